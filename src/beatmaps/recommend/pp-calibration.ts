import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Difficulty, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { starFactor } from '../rating/mod-class.ts';
import { middleOf, rateByLibrary } from '../rating/ratings.ts';
import type { ClassProfile, Play } from './player-profile.ts';

/** A player's own plays with certain mods say how far off the library's figures are, and what the player likes. */
export interface Calibration {
  /**
   * osu! gives so many times what the library works out on the scale of today's stars: the library's rules are older than osu!'s.
   * 1 where there are no plays, or nothing is known about them in time.
   */
  readonly ratio: number;
  readonly patterns: Patterns;
}

export interface CalibrationSignals {
  /** Ends the work. */
  readonly work: AbortSignal;
  /** Ends the wait for it. */
  readonly wait: AbortSignal;
}

/** Each costs a file, and the picks themselves need theirs in the same time. */
const PLAYS = 3;
/** Rules change by less; what lies beyond is another map under the same number, or a play of another client. */
const BOUNDS = { low: 0.7, high: 1.4 };
/** Accuracy alone does not say how many of the hits were perfect, which count for more in mania. */
const MANIA_BOUNDS = { low: 0.5, high: 2.2 };

/** From all over the list: those on its top stand there because their maps give more than is usual. */
function spread(plays: readonly Play[]): readonly Play[] {
  const ordered = [...plays].sort((a, b) => b.pp - a.pp);
  const places = Array.from({ length: PLAYS }, (_, index) => Math.floor(((index + 1) * ordered.length) / (PLAYS + 1)));
  return ordered.filter((_, place) => places.includes(place));
}

export function createPpCalibration(difficulty: Pick<Difficulty, 'of'>, { work, wait }: CalibrationSignals) {
  const known = new Map<ClassProfile, Promise<Calibration>>();

  async function readPlay(play: Play, ruleset: Ruleset) {
    const { mapId: id, mods, accuracy, misses, figures, modClass } = play;
    const difficulty_rating = figures.stars / starFactor(ruleset, modClass);
    const beatmap = { id, checksum: null, mode: ruleset, difficulty_rating };
    try {
      const rated = await abortable(rateByLibrary(difficulty, { beatmap, mods, accuracy, misses }, work), wait);
      return { ratio: play.pp / (rated.todayPp ?? 0), patterns: patternsOf(rated) };
    } catch {
      // Logged where it failed.
      return undefined;
    }
  }

  async function calibrate({ plays }: ClassProfile, ruleset: Ruleset): Promise<Calibration> {
    const read = (await Promise.all(spread(plays).map(play => readPlay(play, ruleset)))).flatMap(each => each ?? []);
    const { low, high } = ruleset === 'mania' ? MANIA_BOUNDS : BOUNDS;
    const ratios = read.map(({ ratio }) => ratio).filter(ratio => ratio >= low && ratio <= high);
    return { ratio: middleOf(ratios) ?? 1, patterns: usualPatterns(read.map(({ patterns }) => patterns)) };
  }

  return (profile: ClassProfile, ruleset: Ruleset): Promise<Calibration> => {
    const own = known.get(profile) ?? calibrate(profile, ruleset);
    known.set(profile, own);
    return own;
  };
}

/** Shares of the kinds of notes that the library found in a map, by name, each from 0 to 1. */
export type Patterns = Readonly<Record<string, number>>;

/** How far apart two maps are in something that players would call another kind of map. */
const FAR = 0.12;
/** Nothing is so far off that it could not be made up for. */
const MAX_DISTANCE = 3;

export function patternsOf({ aim, speed, patterns = {} }: Pick<MapDifficulty, 'aim' | 'speed' | 'patterns'>): Patterns {
  if (aim === undefined || speed === undefined || aim + speed <= 0) return patterns;
  return { ...patterns, aim: aim / (aim + speed) };
}

/** The middle of several maps' patterns. */
function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries([...names].map(name => [name, middleOf(maps.flatMap(map => map[name] ?? [])) ?? 0]));
}

/** 0 for the same kind of map; 1 for one that is far off in a single thing. Things that only one of them has do not count. */
export function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  const distances = shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR));
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}
