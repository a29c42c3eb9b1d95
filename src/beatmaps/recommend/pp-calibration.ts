import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Difficulty, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { starFactor } from '../rating/mod-class.ts';
import { middleOf, rateByLibrary } from '../rating/ratings.ts';
import type { ClassProfile, Play } from './player-profile.ts';

/** What a player's own plays with certain mods tell: how far off the library's pp are, and which kinds of maps the player likes. */
export interface Calibration {
  /**
   * osu!'s pp for these plays as a multiple of the library's, whose rules are older. 1 where there are no plays, or nothing is known about them in time.
   */
  readonly ratio: number;
  readonly patterns: Patterns;
}

export interface CalibrationSignals {
  /** Aborts the work itself. */
  readonly work: AbortSignal;
  /** Aborts only the waiting for the result; the work itself goes on. */
  readonly wait: AbortSignal;
}

/** How many plays are looked at: each costs a file, and the recommended maps need their files at the same time. */
const PLAYS = 3;
/** A change of rules moves pp by less; a ratio beyond this means another map under the same id, or a play of another client. */
const BOUNDS = { low: 0.7, high: 1.4 };
/** In mania perfect hits count for more pp, and accuracy alone does not tell how many there were, so the bounds are wider. */
const MANIA_BOUNDS = { low: 0.5, high: 2.2 };

/** Plays from all over the list, because those at its top are there since their maps give more pp than usual. */
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
      // The error was logged where it happened.
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

/** How much of a map each kind of note makes up, by the kind's name, from 0 to 1. */
export type Patterns = Readonly<Record<string, number>>;

/** A difference in one share from which players would call it another kind of map. */
const FAR = 0.12;
/** The difference in a single share is capped, so that others can still make up for it. */
const MAX_DISTANCE = 3;

export function patternsOf({ aim, speed, patterns = {} }: Pick<MapDifficulty, 'aim' | 'speed' | 'patterns'>): Patterns {
  if (aim === undefined || speed === undefined || aim + speed <= 0) return patterns;
  return { ...patterns, aim: aim / (aim + speed) };
}

/** The medians of several maps' patterns. */
function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries([...names].map(name => [name, middleOf(maps.flatMap(map => map[name] ?? [])) ?? 0]));
}

/** 0 for the same kind of map, 1 for a map that is far off in one pattern. Patterns that only one of the two has do not count. */
export function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  const distances = shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR));
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}
