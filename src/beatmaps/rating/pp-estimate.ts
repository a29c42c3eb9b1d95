import { errorFunction, maniaShares } from '../difficulty/mania-hits.ts';
import type { Ruleset } from '../model/beatmapset.ts';

/** The facts from which pp are estimated without the map's file. */
export interface Performance {
  readonly ruleset: Ruleset;
  /** The stars with the mods. */
  readonly stars: number;
  /** The accuracy from 0 to 1. */
  readonly accuracy: number;
  readonly misses: number;
  /** The number of objects; null if it is unknown: then the number of a usual map is used. */
  readonly objects: number | null;
  /** The approach rate with the mods. */
  readonly ar: number | null;
  /** The overall difficulty with the mods. */
  readonly od?: number | null;
  /** Mods that change pp in other ways than by stars and settings: HD, in catch FL, in mania EZ. */
  readonly mods?: readonly string[];
}

/** The facts of {@link Performance}, with usual values in place of those that are unknown. */
type Known = { readonly [Fact in keyof Performance]-?: NonNullable<Performance[Fact]> };

const USUAL_OBJECTS = 600;

/**
 * Estimates pp from a map's stars and settings by the published formulas (2025-03). Values that only the map's file
 * states are replaced by usual ones, and a factor that depends on the stars brings the result near rosu-pp-js's. The
 * bench prints the error that is left.
 */
export function estimatePp(play: Performance): number {
  const { ruleset, stars } = play;
  const known = {
    ...play,
    stars: Math.max(0, stars),
    objects: Math.max(1, play.objects ?? USUAL_OBJECTS),
    // An unknown setting is assumed to be that of a usual ranked map of these stars.
    ar: play.ar ?? Math.min(9.8, 4.5 + stars),
    od: play.od ?? Math.min(9.5, 3 + stars),
    mods: play.mods ?? [],
  };
  return WORTH[ruleset](known) * correctionOf(ruleset, known.stars);
}

const WORTH: Readonly<Record<Ruleset, (play: Known) => number>> = {
  osu: standardPp,
  taiko: taikoPp,
  fruits: catchPp,
  mania: maniaPp,
};

/** In a usual map this share of the stars is due to aim, the rest to speed. */
const AIM_SHARE = 0.6;
/** The exponent with which the pp of the skills are added up. */
const POWER = 1.1;
/** The share of a map's objects that count as hard ones. */
const HARD_STRAINS = 0.15;

function combined(...parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part ** POWER, 0) ** (1 / POWER);
}

function standardPp({ stars, accuracy, misses, objects, ar, od, mods }: Known): number {
  const base = (Math.max(1, stars / 0.02724 - 4) ** 3 * 2 ** (1 / POWER)) / 1e5;
  const length = 0.95 + 0.4 * Math.min(1, objects / 2_000) + (objects > 2_000 ? 0.5 * Math.log10(objects / 2_000) : 0);
  const hard = Math.max(2, HARD_STRAINS * objects);
  const missed = misses <= 0 ? 1 : 0.96 / (misses / (4 * Math.log(hard) ** 0.94) + 1);
  const fast = 0.3 * Math.max(0, ar - 10.33);
  const slow = 0.05 * Math.max(0, 8 - ar);
  const isHidden = mods.includes('HD');
  const whole = base * length * missed * (isHidden ? 1 + 0.04 * (12 - ar) : 1);
  const aim = whole * AIM_SHARE ** (1 / POWER) * (1 + (fast + slow) * length) * accuracy * (0.98 + od ** 2 / 2_500);
  const speed =
    whole *
    (1 - AIM_SHARE) ** (1 / POWER) *
    (1 + fast * length) *
    (0.95 + od ** 2 / 750) *
    accuracy ** Math.max(0, (14.5 - od) / 2);
  const exact =
    1.52163 ** od * accuracy ** 24 * 2.83 * Math.min(1.15, (objects / 1_000) ** 0.3) * (isHidden ? 1.08 : 1);
  return 1.15 * combined(aim, speed, exact) * accuracy ** 2;
}

/** The z-score of 99 % confidence in the share of well-timed hits: a short play proves less than a long one. */
const CONFIDENCE = 2.32634787404;

/** The unstable rate of a play: the standard deviation of its hits, in tenths of a millisecond. */
function unstableRate({ accuracy, misses, objects, od }: Known): number {
  const window = 50 - 3 * od;
  const great = Math.max(0, 1 - 2 * Math.max(0, 1 - accuracy - misses / objects) - misses / objects);
  const square = CONFIDENCE ** 2;
  const share =
    (objects * great + square / 2) / (objects + square) -
    (CONFIDENCE / (objects + square)) * Math.sqrt(objects * great * (1 - great) + square / 4);
  return (10 * window) / (Math.SQRT2 * inverseErrorFunction(Math.max(0.02, share)));
}

function taikoPp(play: Known): number {
  const { stars, misses, objects, mods } = play;
  const base = 5 * Math.max(1, stars / 0.115) - 4;
  const rate = unstableRate(play);
  const strain =
    Math.min(base ** 3 / 69_052.51, base ** 2.25 / 1_250) *
    (1 + 0.1 * Math.min(1, objects / 1_500)) *
    0.986 ** (misses * Math.max(1, 1_000 / objects)) *
    (mods.includes('HD') ? 1.13 : 1) *
    errorFunction(400 / (Math.SQRT2 * rate)) ** 2.2;
  const exact = (70 / rate) ** 1.1 * stars ** 0.4 * 185 * Math.min(1.15, (objects / 1_500) ** 0.3);
  return 1.13 * combined(strain, exact);
}

function catchPp({ stars, accuracy, misses, objects, ar, mods }: Known): number {
  const most = objects * 1.3;
  const base = (5 * Math.max(1, stars / 0.0049) - 4) ** 2 / 100_000;
  const length = 0.95 + 0.3 * Math.min(1, most / 2_500) + (most > 2_500 ? 0.475 * Math.log10(most / 2_500) : 0);
  const approach = 1 + 0.1 * Math.max(0, ar - 9) + 0.1 * Math.max(0, ar - 10) + 0.025 * Math.max(0, 8 - ar);
  const hidden = ar > 10 ? 1.01 + 0.04 * (11 - Math.min(11, ar)) : 1.05 + 0.075 * (10 - ar);
  const unseen = (mods.includes('HD') ? hidden : 1) * (mods.includes('FL') ? 1.35 * length : 1);
  return base * length * 0.97 ** misses * approach * accuracy ** 5.5 * unseen;
}

function maniaPp({ stars, accuracy, misses, objects, od, mods }: Known): number {
  const length = 1 + 0.1 * Math.min(1, objects / 1_500);
  const hit = Math.max(0, 1 - misses / objects);
  const { nGeki, n300, nKatu, n100, n50 } = maniaShares(Math.min(1, accuracy / Math.max(0.01, hit)), od);
  // In the calculation of pp a perfect hit counts 320, in that of accuracy 300.
  const lost = 1 - (hit * (320 * nGeki + 300 * n300 + 200 * nKatu + 100 * n100 + 50 * n50)) / 320;
  return 8 * Math.max(0.05, stars - 0.15) ** 2.2 * length * Math.max(0, 1 - 5 * lost) * (mods.includes('EZ') ? 0.5 : 1);
}

/** The inverse error function by Winitzki's formula; off by less than 0.4 %. */
function inverseErrorFunction(y: number): number {
  const a = 0.147;
  const logarithm = Math.log(1 - Math.min(1 - 1e-12, y ** 2));
  const half = 2 / (Math.PI * a) + logarithm / 2;
  return Math.sign(y) * Math.sqrt(Math.sqrt(half ** 2 - logarithm / a) - half);
}

/** rosu-pp-js's pp divided by the formulas' pp at 0, 2, 4, 6 and 8 stars; values between are interpolated. */
const CORRECTIONS: Readonly<Record<Ruleset, readonly number[]>> = {
  osu: [0.89, 0.9, 0.92, 0.92, 0.92],
  taiko: [1.2, 0.92, 0.91, 0.9, 0.89],
  fruits: [0.995, 0.995, 0.995, 0.995, 0.995],
  mania: [1, 1, 1, 1, 1],
};

function correctionOf(ruleset: Ruleset, stars: number): number {
  const steps = CORRECTIONS[ruleset];
  const place = Math.min(stars / 2, steps.length - 1);
  const low = steps[Math.floor(place)] ?? 1;
  const high = steps[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** The stars, between 0.1 and 20, at which the described play is estimated to have this pp. */
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

/** The stars that osu! recommends to a player with this total pp (osu-web, 2026-08). */
export function recommendedStars(ruleset: Ruleset, totalPp: number): number {
  if (totalPp <= 0) return 1;
  return ruleset === 'taiko' ? totalPp ** 0.35 * 0.27 : totalPp ** 0.4 * 0.195;
}
