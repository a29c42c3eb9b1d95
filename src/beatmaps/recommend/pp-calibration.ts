import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Difficulty, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { medianOf } from '../rating/ratings.ts';
import type { ClassProfile, Play } from './player-profile.ts';

interface CalibrationSignals {
  /** Ends the calculation itself. */
  readonly work: AbortSignal;
  /** Ends only the waiting for the calculation, which goes on. */
  readonly wait: AbortSignal;
}

/** How many of a player's plays are calculated: each needs a map's file, and so do the recommended maps. */
const PLAYS = 3;
/**
 * osu!'s pp for a play divided by the calculated pp must be between these bounds. Changes of osu!'s rules are smaller,
 * so a ratio beyond the bounds means that the file is of another map, or that the play is of another client.
 */
const BOUNDS = { low: 0.7, high: 1.4 };
/** The bounds in mania are wider: perfect hits give more pp, and accuracy does not tell how many there are. */
const MANIA_BOUNDS = { low: 0.5, high: 2.2 };

/** Plays from all parts of the list, because the best ones are on maps that give more pp than usual. */
function spread(plays: readonly Play[]): readonly Play[] {
  const ordered = [...plays].sort((a, b) => b.pp - a.pp);
  const places = Array.from({ length: PLAYS }, (_, index) => Math.floor(((index + 1) * ordered.length) / (PLAYS + 1)));
  return ordered.filter((_, place) => places.includes(place));
}

/** Learns from a player's plays with certain mods how far calculated pp are off, and which kinds of maps they like. */
export function createPpCalibration(difficulty: Pick<Difficulty, 'of'>, { work, wait }: CalibrationSignals) {
  const known = new Map<ClassProfile, ReturnType<typeof calibrate>>();

  async function readPlay(play: Play, ruleset: Ruleset) {
    const { mapId: id, mods, accuracy, misses } = play;
    const beatmap = { id, checksum: null, mode: ruleset };
    const asked = { beatmap, mods, accuracies: [accuracy * 100], misses, isScan: true };
    try {
      const rated = await abortable(difficulty.of(asked, work), wait);
      return { ratio: play.pp / (rated.pp[0]?.pp ?? 0), patterns: patternsOf(rated) };
    } catch {
      // The error was logged where it happened.
      return undefined;
    }
  }

  async function calibrate({ plays }: ClassProfile, ruleset: Ruleset) {
    const read = (await Promise.all(spread(plays).map(play => readPlay(play, ruleset)))).flatMap(each => each ?? []);
    const { low, high } = ruleset === 'mania' ? MANIA_BOUNDS : BOUNDS;
    const ratios = read.map(({ ratio }) => ratio).filter(ratio => ratio >= low && ratio <= high);
    return {
      /**
       * osu!'s pp for these plays divided by those calculated by older rules; 1 if none could be calculated in time.
       */
      ratio: medianOf(ratios) ?? 1,
      patterns: usualPatterns(read.map(({ patterns }) => patterns)),
    };
  }

  return (profile: ClassProfile, ruleset: Ruleset) => {
    const own = known.get(profile) ?? calibrate(profile, ruleset);
    known.set(profile, own);
    return own;
  };
}

/** The share of each kind of pattern in a map, by name, from 0 to 1. */
type Patterns = Readonly<Record<string, number>>;

/** If the shares of one pattern differ by this much, players say that two maps are of different kinds. */
const FAR = 0.12;
/** The most that the difference in one pattern counts: maps that differ in one may be alike in the others. */
const MAX_DISTANCE = 3;

export function patternsOf({ aim, speed, patterns = {} }: Pick<MapDifficulty, 'aim' | 'speed' | 'patterns'>): Patterns {
  if (aim === undefined || speed === undefined || aim + speed <= 0) return patterns;
  return { ...patterns, aim: aim / (aim + speed) };
}

/** The medians of several maps' shares of patterns. */
function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries([...names].map(name => [name, medianOf(maps.flatMap(map => map[name] ?? [])) ?? 0]));
}

/** How different the patterns are: 0 the same, 1 if one differs much. Patterns of only one of the maps do not count. */
export function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  const distances = shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR));
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}
