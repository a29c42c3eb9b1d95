/** The stars and pp of a difficulty as it is played: every card takes them from here. */

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import type { Difficulty, DifficultyRequest, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { modClassOf, starFactor } from './mod-class.ts';
import { type OfficialRating, type OfficialStars, type RatedMap, ratedMods } from './official-stars.ts';

export interface RatingRequest extends Omit<DifficultyRequest, 'beatmap'> {
  /** The stars of the map are osu!'s own, without mods. */
  readonly beatmap: RatedMap;
  /** pp that osu! gave for `play`: what the play had been worth otherwise is put on its scale. */
  readonly knownPp?: number | null | undefined;
}

export interface Rating {
  /** With the mods. */
  readonly stars: number;
  /** True when the stars are not osu!'s own of today. */
  readonly isEstimate: boolean;
  /** True when osu!'s own calculator gave pp, too; else pp that osu! did not give is an estimate. */
  readonly isExact: boolean;
  /**
   * By what share the pp is off on average; null where it is exact, where there is none, and where osu!'s own pp of the play puts it right.
   */
  readonly ppError: number | null;
  /** Day of the library's rules; null where the map itself was not read, so that there is no pp either. */
  readonly algorithm: string | null;
  readonly maxCombo: number | null;
  /** For the accuracies asked for, on today's scale as far as it is known; empty where the map was not read. */
  readonly pp: MapDifficulty['pp'];
  /** The same for the play asked for. */
  readonly play: MapDifficulty['play'];
  /** Settings, length and strains that the library read in the map; its stars and pp are not to be shown. */
  readonly difficulty: MapDifficulty | undefined;
}

/** @throws AppError `invalid_request` (params.what `mods`, `mode`, `accuracies`); the signal's reason. Nothing else fails it. */
export interface Ratings {
  of(request: RatingRequest, signal: AbortSignal): Promise<Rating>;
  /**
   * The maps of one answer, with the mods of each. osu! is asked for the hardest few alone; the stars of the others are the library's in
   * the proportion of those.
   */
  ofMaps(requests: readonly RatingRequest[], signal: AbortSignal): Promise<readonly Rating[]>;
  /**
   * The same for those who cannot wait: what takes longer is left out for now, and worked out all the same, so that it is there when the
   * same is asked again.
   */
  within(waitMs: number): PromptRatings;
}

export interface PromptRatings {
  readonly ratings: Pick<Ratings, 'of' | 'ofMaps'>;
  /** True when something that was asked for took longer. */
  isIncomplete(): boolean;
}

export interface RatingsOptions {
  readonly official: OfficialStars;
  /** Absent where nothing can be computed. */
  readonly difficulty: (Pick<Difficulty, 'of'> & Partial<Pick<Difficulty, 'isExact'>>) | undefined;
  /** How long osu!, the files and the library are given at most. Default 8000. */
  readonly waitMs?: number;
}

/** How long an answer waits that cannot be mended later. */
const USUAL_MS = 3_000;
/** osu! is asked for so many maps of one answer; more is not polite. */
const MAX_ASKED = 5;
/** Rules change by less; what lies beyond is another map under the same number. */
const LOWEST = 0.7;
const HIGHEST = 1.4;

/** pp grows with this power of the stars in the published formulas (2025). */
const PP_POWER: Readonly<Record<Ruleset, number>> = { osu: 2.9, taiko: 2.25, fruits: 2, mania: 2.2 };

/** Mean error of the library's pp of full combos against osu!'s own calculator (`npm run check-stars`, 160 drawn maps, 2026-11). */
const PP_ERRORS: Readonly<Record<Ruleset, number>> = { osu: 0.09, taiko: 0.19, fruits: 0.001, mania: 0.001 };

/** Today's stars as a multiple of the library's; undefined where either is unknown or they are not of the same map. */
function starRatio(today: number, library: number | undefined): number | undefined {
  const ratio = library === undefined || !(library > 0) ? Number.NaN : today / library;
  return ratio >= LOWEST && ratio <= HIGHEST ? ratio : undefined;
}

/** Factor by which such a ratio of stars changes pp. */
export function ppRatio(ruleset: Ruleset, ratio: number | undefined): number {
  return ratio === undefined ? 1 : ratio ** PP_POWER[ruleset];
}

export interface ExpectedPlay {
  /** The stars of the map are today's, without mods. */
  readonly beatmap: RatedMap;
  readonly mods: readonly string[];
  /** 0 to 1. */
  readonly accuracy: number;
  readonly misses: number;
}

export interface LibraryRating extends MapDifficulty {
  /** Worth of the play on the scale of today's stars: the library's rules are older than osu!'s. */
  readonly todayPp: number | undefined;
}

/** The library's word alone on a play, for choosing among many; osu! is not asked. @throws what {@link Difficulty.of} throws */
export async function rateByLibrary(
  difficulty: Pick<Difficulty, 'of'>,
  { beatmap, mods, accuracy, misses }: ExpectedPlay,
  signal: AbortSignal,
): Promise<LibraryRating> {
  const found = await difficulty.of({ beatmap, mods, accuracies: [accuracy * 100], misses, isScan: true }, signal);
  const pp = found.pp[0]?.pp;
  const scale = ppRatio(beatmap.mode, starRatio(beatmap.difficulty_rating, found.plainStars));
  return { ...found, todayPp: pp === undefined ? undefined : pp * scale };
}

interface Known {
  readonly request: RatingRequest;
  readonly ruleset: Ruleset;
  /** True when the upstream's stars without mods are those asked for. */
  readonly isPlain: boolean;
  readonly official: OfficialRating | undefined;
  readonly library: MapDifficulty | undefined;
}

export function createRatings({ official, difficulty, waitMs = 8_000 }: RatingsOptions): Ratings {
  async function compute(request: RatingRequest, signal: AbortSignal): Promise<MapDifficulty | undefined> {
    const { knownPp: _, ...asked } = request;
    try {
      return await difficulty?.of(asked, signal);
    } catch (error) {
      signal.throwIfAborted();
      // Mods that a person typed; a play may have such as this library does not know yet.
      if (isWrongQuestion(error) && request.mods.every(mod => typeof mod === 'string')) throw error;
      // Logged where it failed.
      return undefined;
    }
  }

  async function know(request: RatingRequest, mayAsk: boolean, wait: Wait): Promise<Known> {
    const { beatmap, mods, ruleset = beatmap.mode, accuracies = [], play, strains = false } = request;
    const rated = ratedMods(mods, ruleset);
    const isPlain = rated.length === 0 && ruleset === beatmap.mode && beatmap.difficulty_rating > 0;
    const needsLibrary = !isPlain || accuracies.length > 0 || play !== undefined || strains;
    const [told, library] = await Promise.all([
      isPlain || !mayAsk || difficulty?.isExact?.() === true
        ? undefined
        : wait(signal => official.of(beatmap, ruleset, rated, signal)),
      needsLibrary ? wait(signal => compute(request, signal)) : undefined,
    ]);
    return { request, ruleset, isPlain, official: told, library };
  }

  async function rateAll(requests: readonly RatingRequest[], wait: Wait): Promise<readonly Rating[]> {
    const asked = new Set(requests.toSorted(byWeight).slice(0, MAX_ASKED));
    const known = await Promise.all(requests.map(request => know(request, asked.has(request), wait)));
    const common = middleOf(
      known.flatMap(({ official, library }) =>
        official === undefined ? [] : (starRatio(official.stars, library?.stars) ?? []),
      ),
    );
    return known.map(each => rate(each, common));
  }

  function within(ms: number): PromptRatings {
    let isIncomplete = false;
    const waiting = (signal: AbortSignal) =>
      createWait(signal, { ms: Math.min(ms, waitMs), waitMs, onLate: () => (isIncomplete = true) });
    return {
      ratings: {
        of: async (request, signal) => rate(await know(request, true, waiting(signal)), undefined),
        ofMaps: (requests, signal) => rateAll(requests, waiting(signal)),
      },
      isIncomplete: () => isIncomplete,
    };
  }

  return { ...within(USUAL_MS).ratings, within };
}

/** Waits so long for each thing of an answer; undefined for what is not there by then. @throws what the work throws; the signal's reason */
type Wait = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;

interface Patience {
  /** From now on, for all of it. */
  readonly ms: number;
  /** How long what is late is worked on all the same. */
  readonly waitMs: number;
  readonly onLate: () => void;
}

function createWait(signal: AbortSignal, { ms, waitMs, onLate }: Patience): Wait {
  const end = performance.now() + ms;
  const own = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  // One for each map, which is more than Node takes for a mistake.
  setMaxListeners(0, own);
  return async work => {
    const left = new AbortController();
    const result = work(own)
      .catch((error: unknown) => {
        signal.throwIfAborted();
        if (!own.aborted) throw error;
        onLate();
        return undefined;
      })
      .then(value => ({ value }));
    const timeout = sleep(Math.max(0, end - performance.now()), undefined, { signal: left.signal }).catch(
      () => undefined,
    );
    try {
      const first = await Promise.race([result, timeout]);
      if (first !== undefined) return first.value;
      onLate();
      // It goes on until its time is over; a caller who asks again joins it, and meets its failure.
      result.catch(() => undefined);
      return undefined;
    } finally {
      left.abort();
    }
  };
}

/** Maps that an answer is about come first, then the hardest. */
function byWeight(a: RatingRequest, b: RatingRequest): number {
  const detail = ({ accuracies = [], strains = false }: RatingRequest) => Number(accuracies.length > 0 || strains);
  return detail(b) - detail(a) || b.beatmap.difficulty_rating - a.beatmap.difficulty_rating;
}

function isWrongQuestion(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_request';
}

/** The middle one by size, the upper of two. */
export function middleOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** @param common today's stars over the library's for the maps beside it */
function rate(known: Known, common: number | undefined): Rating {
  const { request, ruleset, isPlain, official, library } = known;
  const { beatmap, knownPp } = request;
  if (library?.isExact === true) {
    const { stars, maxCombo, algorithm, pp, play } = library;
    return {
      stars,
      isEstimate: false,
      isExact: true,
      ppError: null,
      algorithm,
      maxCombo,
      difficulty: library,
      pp,
      play,
    };
  }
  const today = isPlain ? beatmap.difficulty_rating : official?.stars;
  const plain = ruleset === beatmap.mode ? starRatio(beatmap.difficulty_rating, library?.plainStars) : undefined;
  const hasPp = library !== undefined && (library.pp.length > 0 || library.play !== null);
  const ratio = today === undefined ? (common ?? plain) : starRatio(today, library?.stars);
  const rated = {
    stars: today ?? (library === undefined ? starsByFigures(request, ruleset) : library.stars * (ratio ?? 1)),
    isEstimate: today === undefined,
    isExact: false,
    ppError: hasPp && knownPp == null ? PP_ERRORS[ruleset] : null,
    algorithm: library?.algorithm ?? null,
    maxCombo: library?.maxCombo ?? official?.maxCombo ?? null,
    difficulty: library,
  };
  if (library === undefined) return { ...rated, pp: [], play: null };
  const scale = ppRatio(ruleset, ratio);
  const { play } = library;
  // pp that osu! gave for this very play says more than any ratio.
  const playScale = knownPp != null && play !== null && play.pp > 0 ? knownPp / play.pp : scale;
  return {
    ...rated,
    pp: library.pp.map(({ accuracy, pp }) => ({ accuracy, pp: pp * scale })),
    play: play && { pp: play.pp * playScale, ppIfFullCombo: play.ppIfFullCombo * playScale },
  };
}

/** Stars of a typical map of so many stars with such mods. */
function starsByFigures({ beatmap, mods }: RatingRequest, ruleset: Ruleset): number {
  const acronyms = mods.map(mod => (typeof mod === 'string' ? mod : mod.acronym));
  return beatmap.difficulty_rating * starFactor(ruleset, modClassOf(acronyms));
}
