import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Difficulty, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { starFactor } from '../rating/mod-class.ts';
import { middleOf, rateByLibrary } from '../rating/ratings.ts';
import type { ClassProfile, Play } from './player-profile.ts';

/** What a player's plays with certain mods tell: the error of the library's pp, and the kinds of maps they like. */
export interface Calibration {
  /** osu!'s pp for these plays as a multiple of the library's, whose rules are older; 1 without plays or time. */
  readonly ratio: number;
  readonly patterns: Patterns;
}

export interface CalibrationSignals {
  /** Aborts the work. */
  readonly work: AbortSignal;
  /** Aborts only the waiting for its result; the work goes on. */
  readonly wait: AbortSignal;
}

/** How many plays are read: each needs a file, as do the recommended maps at the same time. */
const PLAYS = 3;
/**
 * Bounds of a play's pp divided by the library's. A change of rules changes pp by less, so beyond them the map of that id
 * is another one now, or the play was made in another game client.
 */
const BOUNDS = { low: 0.7, high: 1.4 };
/** In mania perfect hits give more pp, and accuracy does not tell how many there are, so the bounds are wider. */
const MANIA_BOUNDS = { low: 0.5, high: 2.2 };

/** Plays from all parts of the list, because those at its top are on maps that give more pp than usual. */
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
      return { ratio: play.pp / (rated.pp[0]?.pp ?? 0), patterns: patternsOf(rated) };
    } catch {
      // The error is logged already.
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

/** The share of each kind of pattern in a map, by name, from 0 to 1. */
export type Patterns = Readonly<Record<string, number>>;

/** From this difference in the share of one pattern on, players call two maps different in kind. */
const FAR = 0.12;
/** The largest difference that is counted for one share, so that others can make up for it. */
const MAX_DISTANCE = 3;

export function patternsOf({ aim, speed, patterns = {} }: Pick<MapDifficulty, 'aim' | 'speed' | 'patterns'>): Patterns {
  if (aim === undefined || speed === undefined || aim + speed <= 0) return patterns;
  return { ...patterns, aim: aim / (aim + speed) };
}

/** The medians of several maps' shares of patterns. */
function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries([...names].map(name => [name, middleOf(maps.flatMap(map => map[name] ?? [])) ?? 0]));
}

/** How different the patterns are: 0 the same, 1 one differs much. Those that only one map has do not count. */
export function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  const distances = shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR));
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}
