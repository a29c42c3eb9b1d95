import type { Ruleset } from '../model/beatmapset.ts';

/** What an estimate of pp is made of when the map itself is not read. */
export interface Performance {
  readonly ruleset: Ruleset;
  /** With mods. */
  readonly stars: number;
  /** 0 to 1. */
  readonly accuracy: number;
  readonly misses: number;
  /** Null counts as a map of usual length. */
  readonly objects: number | null;
  /** With mods. */
  readonly ar: number | null;
}

/**
 * pp from a map's stars alone, the way the published formulas (2025) have it for a typical map: good for comparing maps of about the
 * same stars, and some 10 % off for a single one. Everything that is the same for all maps of a player is left to calibration.
 */
export function estimatePp(play: Performance): number {
  const { ruleset, stars, accuracy, misses, objects } = play;
  const whole = STARS[ruleset](Math.max(0, stars)) * ACCURACY[ruleset](accuracy);
  return whole * lengthFactor(ruleset, objects) * approachFactor(play) * missFactor(misses, objects);
}

/** pp of a perfect play. */
const STARS: Readonly<Record<Ruleset, (stars: number) => number>> = {
  osu: stars => 1.9 * stars ** 2.87,
  taiko: stars => (5 * Math.max(1, stars / 0.115) - 4) ** 2.25 / 900,
  fruits: stars => (5 * Math.max(1, stars / 0.0049) - 4) ** 2 / 100_000,
  mania: stars => 8 * Math.max(0.05, stars - 0.15) ** 2.2,
};

const ACCURACY: Readonly<Record<Ruleset, (accuracy: number) => number>> = {
  osu: accuracy => accuracy ** 5,
  taiko: accuracy => accuracy ** 8,
  fruits: accuracy => accuracy ** 5.5,
  mania: accuracy => Math.max(0, 5 * accuracy - 4),
};

const USUAL_OBJECTS = 600;

function lengthFactor(ruleset: Ruleset, objects: number | null): number {
  return lengthBonus(ruleset, objects ?? USUAL_OBJECTS) / lengthBonus(ruleset, USUAL_OBJECTS);
}

function lengthBonus(ruleset: Ruleset, objects: number): number {
  if (ruleset === 'taiko' || ruleset === 'mania') return 1 + 0.1 * Math.min(1, objects / 1_500);
  return 0.95 + 0.4 * Math.min(1, objects / 2_000) + (objects > 2_000 ? 0.5 * Math.log10(objects / 2_000) : 0);
}

/** Reading fast or slow approach is paid. */
function approachFactor({ ruleset, ar }: Performance): number {
  if (ar === null || (ruleset !== 'osu' && ruleset !== 'fruits')) return 1;
  return 1 + 0.15 * Math.max(0, ar - 10.33) + 0.025 * Math.max(0, 8 - ar);
}

function missFactor(misses: number, objects: number | null): number {
  if (misses <= 0) return 1;
  return 0.97 * (1 - (Math.min(misses, objects ?? USUAL_OBJECTS) / (objects ?? USUAL_OBJECTS)) ** 0.775) ** misses;
}

/** The stars at which such a play is worth so much, between 0.1 and 20. */
export function starsForPp(pp: number, play: Omit<Performance, 'stars'>): number {
  let low = 0.1;
  let high = 20;
  for (let step = 0; step < 40; step += 1) {
    const stars = (low + high) / 2;
    if (estimatePp({ ...play, stars }) < pp) low = stars;
    else high = stars;
  }
  return (low + high) / 2;
}

/** The stars that osu! itself recommends to a player of so much pp in all (osu-web, 2026-08). */
export function recommendedStars(ruleset: Ruleset, totalPp: number): number {
  if (totalPp <= 0) return 1;
  return ruleset === 'taiko' ? totalPp ** 0.35 * 0.27 : totalPp ** 0.4 * 0.195;
}
