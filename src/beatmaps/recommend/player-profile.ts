import { candidateOf } from '../catalogue/candidates.ts';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { countOf, type Score, type ScoreMod, shownMods } from '../model/score.ts';
import { type Figures, figuresWith, type ModClass, modClassOf } from '../rating/mod-class.ts';
import { estimatePp } from '../rating/pp-estimate.ts';

/** One of a player's best plays. */
export interface Play {
  readonly mapId: number;
  readonly version: string;
  /** The set, without its difficulties. */
  readonly set: Beatmapset;
  readonly modClass: ModClass;
  /** The mods of the play, without `CL`, which marks the client. */
  readonly mods: readonly string[];
  /** The mods in `mods`, with the settings that osu!lazer lets players change. */
  readonly settings: readonly ScoreMod[];
  readonly pp: number;
  /** How much of the play's pp counts for the player, 0 to 1. */
  readonly weight: number;
  /** The accuracy from 0 to 1. */
  readonly accuracy: number;
  readonly misses: number;
  readonly objects: number | null;
  /** The map's stars and settings with the mods. */
  readonly figures: Figures;
}

export const FEATURES = ['ar', 'od', 'cs', 'bpm', 'length'] as const;
export type Feature = (typeof FEATURES)[number];

/** How a player plays with one combination of mods (`ModClass`). */
export interface ClassProfile {
  readonly modClass: ModClass;
  /** The number of keys in mania, because each number is a skill of its own; else null. */
  readonly keys: number | null;
  /** True when the player usually adds HD. */
  readonly hidden: boolean;
  /** The weight of these plays as a share of the weight of all plays, 0 to 1. */
  readonly share: number;
  readonly plays: readonly Play[];
  /** The player's usual range of each feature; absent where it is unknown or has no meaning. */
  readonly features: Readonly<Partial<Record<Feature, Span>>>;
  /** The player's usual accuracy, 0 to 1. */
  readonly accuracy: number;
  readonly misses: number;
  /** The pp of these plays divided by the pp that Medley estimates for them. */
  readonly calibration: number;
  readonly objects: number | null;
}

export interface PlayerProfile {
  readonly ruleset: Ruleset;
  readonly plays: readonly Play[];
  /** One profile for each combination of mods that the player uses, sorted by share, the largest first. */
  readonly classes: readonly ClassProfile[];
  /** The median pp of the plays, each counted by its weight; null without plays. */
  readonly pivot: number | null;
  readonly top: number | null;
}

const DECAY = 0.95;
/** In the calibration of one combination of mods, the calibration over all plays counts as much as this many plays. */
const PRIOR_PLAYS = 8;
/**
 * The calibration over all plays includes this many more plays whose pp equal their estimates, so that few plays move
 * it little.
 */
const PRIOR_ALL = 3;
/**
 * The bound of the logarithm of a play's pp divided by its estimate: a play beyond it is odd and says little about the
 * player.
 */
const MAX_RESIDUAL = Math.log(2);

const LEAST_HIDDEN = 2;

/** @param scores best plays, best first; plays of other rulesets or without a map are left out */
export function profileOf(ruleset: Ruleset, scores: readonly Score[]): PlayerProfile {
  const plays = scores.filter(score => score.mode === ruleset).flatMap((score, index) => playOf(score, index) ?? []);
  const whole = weightOf(plays);
  const all = shrink(PRIOR_ALL, 0, plays, ruleset);
  const keysOf = ({ figures }: Play) => (ruleset === 'mania' ? figures.cs : null);
  const groups = new Map(plays.map(play => [`${play.modClass.key} ${keysOf(play)}`, play]));
  const classes = [...groups.values()].map(first => {
    const { modClass } = first;
    const keys = keysOf(first);
    const own = plays.filter(play => play.modClass.key === modClass.key && keysOf(play) === keys);
    return classProfile(ruleset, { modClass, keys, plays: own, share: weightOf(own) / whole }, all);
  });
  return {
    ruleset,
    plays,
    classes: classes.sort((a, b) => b.share - a.share),
    pivot: quantilesOf(plays.map(({ pp, weight }) => ({ value: pp, weight })))?.middle ?? null,
    top: plays[0]?.pp ?? null,
  };
}

function weightOf(plays: readonly Play[]): number {
  return plays.reduce((sum, { weight }) => sum + weight, 0);
}

function playOf(score: Score, index: number): Play | undefined {
  const { beatmap, beatmapset, pp } = score;
  if (beatmap === null || beatmapset === null || pp === null || pp <= 0) return undefined;
  const mods = shownMods(score);
  const modClass = modClassOf(mods);
  const map = candidateOf(beatmapset, beatmap);
  return {
    mapId: beatmap.id,
    version: beatmap.version,
    set: beatmapset,
    modClass,
    mods,
    settings: score.mods.filter(({ acronym }) => mods.includes(acronym)),
    pp,
    weight: DECAY ** index,
    accuracy: score.accuracy,
    misses: countOf(score, 'miss'),
    objects: map.objects,
    figures: figuresWith(map, modClassOf(score.mods)),
  };
}

/** The logarithm of a play's pp divided by its estimate. */
function residualOf({ pp, accuracy, misses, objects, figures, mods }: Play, ruleset: Ruleset): number {
  const { stars, ar, od } = figures;
  const residual = Math.log(pp / estimatePp({ ruleset, stars, ar, od, accuracy, misses, objects, mods }));
  return Math.max(-MAX_RESIDUAL, Math.min(MAX_RESIDUAL, residual));
}

/** The median of the plays' residuals (pp against estimate), moved towards `to` if there are only few plays. */
function shrink(prior: number, to: number, plays: readonly Play[], ruleset: Ruleset): number {
  const middle = quantilesOf(plays.map(play => ({ value: residualOf(play, ruleset), weight: 1 })))?.middle ?? to;
  return (plays.length * middle + prior * to) / (plays.length + prior);
}

type ClassPlays = Pick<ClassProfile, 'modClass' | 'keys' | 'plays' | 'share'>;

/** @param all the logarithm of the calibration over all plays */
function classProfile(ruleset: Ruleset, own: ClassPlays, all: number): ClassProfile {
  const { plays } = own;
  const middle = (read: (play: Play) => number | null) => quantilesBy(plays, read)?.middle;
  const features = FEATURES.flatMap(feature => {
    const quantiles = quantilesBy(plays, ({ figures }) => figures[feature]);
    return quantiles === undefined ? [] : [[feature, quantiles] as const];
  });
  const withHidden = plays.filter(({ mods }) => mods.includes('HD'));
  // A single play with HD may be chance, so several are needed.
  const hidden = withHidden.length >= LEAST_HIDDEN && weightOf(withHidden) > weightOf(plays) / 2;
  return {
    ...own,
    hidden,
    features: Object.fromEntries(features),
    accuracy: middle(({ accuracy }) => accuracy) ?? 1,
    misses: Math.round(middle(({ misses }) => misses) ?? 0),
    calibration: Math.exp(shrink(PRIOR_PLAYS, all, plays, ruleset)),
    objects: middle(({ objects }) => objects) ?? null,
  };
}

function quantilesBy(plays: readonly Play[], read: (play: Play) => number | null): Span | undefined {
  return quantilesOf(
    plays.flatMap(play => {
      const value = read(play);
      return value === null ? [] : [{ value, weight: play.weight }];
    }),
  );
}

export interface Span {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** The values below which 20, 50 and 80 % of the weight lie; undefined for an empty list. */
function quantilesOf(values: readonly { readonly value: number; readonly weight: number }[]): Span | undefined {
  const sorted = values.filter(({ weight }) => weight > 0).toSorted((a, b) => a.value - b.value);
  const whole = sorted.reduce((sum, { weight }) => sum + weight, 0);
  const [first] = sorted;
  if (first === undefined) return undefined;
  const at = (share: number) => {
    let sum = 0;
    for (const { value, weight } of sorted) {
      sum += weight;
      if (sum >= share * whole) return value;
    }
    return first.value;
  };
  return { low: at(0.2), middle: at(0.5), high: at(0.8) };
}
