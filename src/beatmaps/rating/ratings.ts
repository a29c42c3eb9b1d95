/** The stars and pp of a difficulty with mods, for every card. "The library" calculates both from the `.osu` file. */

import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Difficulty, DifficultyRequest, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { modClassOf, starFactor } from './mod-class.ts';
import { type OfficialRating, type OfficialStars, type RatedMap, ratedMods } from './official-stars.ts';

export interface RatingRequest extends Omit<DifficultyRequest, 'beatmap'> {
  /** The map with osu!'s stars without mods. */
  readonly beatmap: RatedMap;
  /** The pp that osu! states for `play`. Calculated pp of the play, also of its full combo, are scaled to match. */
  readonly knownPp?: number | null | undefined;
}

export type Rating = Readonly<ReturnType<typeof rate>>;
export type Ratings = ReturnType<typeof createRatings>;
export type PromptRatings = ReturnType<Ratings['within']>;

export interface RatingsOptions {
  readonly official: OfficialStars;
  /** Calculates stars and pp from `.osu` files; undefined where that is impossible. */
  readonly difficulty: (Pick<Difficulty, 'of'> & Partial<Pick<Difficulty, 'isExact'>>) | undefined;
  /** How long osu!, the files and the library may take, in milliseconds. Default 8000. */
  readonly waitMs?: number | undefined;
}

/** How long to wait for stars and pp in an answer that cannot be edited later. */
const USUAL_MS = 3_000;
/** The most maps of one answer for which osu! is asked, to keep the requests few. */
const MAX_ASKED = 5;
/**
 * Bounds of osu!'s stars divided by the library's. If the ratio is beyond them, the two rated different maps, because a
 * change of osu!'s rules has a smaller effect.
 */
const LOWEST = 0.7;
const HIGHEST = 1.4;

/** The library's mean error in pp, as a share, without misses (`npm run check-stars`, 160 random maps, 2026-11). */
const PP_ERRORS: Readonly<Record<Ruleset, number>> = { osu: 0.09, taiko: 0.19, fruits: 0.001, mania: 0.001 };

/** osu!'s current stars divided by the library's; undefined if one is unknown, or they are of different maps. */
function starRatio(today: number, library: number | undefined): number | undefined {
  const ratio = library === undefined || !(library > 0) ? Number.NaN : today / library;
  return ratio >= LOWEST && ratio <= HIGHEST ? ratio : undefined;
}

interface Known {
  readonly request: RatingRequest;
  readonly ruleset: Ruleset;
  /** True when the request is for the stars without mods, which the upstream stated. */
  readonly isPlain: boolean;
  readonly official: OfficialRating | undefined;
  readonly library: MapDifficulty | undefined;
}

/** @throws AppError `invalid_request` (params.what `mods`, `mode`, `accuracies`); the signal's reason; nothing else */
export function createRatings({ official, difficulty, waitMs = 8_000 }: RatingsOptions) {
  async function compute(request: RatingRequest, signal: AbortSignal): Promise<MapDifficulty | null> {
    const { knownPp: _, ...asked } = request;
    try {
      return (await difficulty?.of(asked, signal)) ?? null;
    } catch (error) {
      signal.throwIfAborted();
      // Wrong mods are an error only when a person typed them: a play's mods may be too new for this library.
      const isWrong = error instanceof AppError && error.code === 'invalid_request';
      if (isWrong && request.mods.every(mod => typeof mod === 'string')) throw error;
      // The error was logged where it happened, so it is not logged again.
      return null;
    }
  }

  async function know(request: RatingRequest, mayAsk: boolean, wait: Wait): Promise<Known> {
    const { beatmap, mods, ruleset = beatmap.mode, accuracies = [], play, strains = false, isScan = false } = request;
    const rated = ratedMods(mods, ruleset);
    const isPlain = rated.length === 0 && ruleset === beatmap.mode && beatmap.difficulty_rating > 0;
    const needsLibrary = !isPlain || accuracies.length > 0 || play !== undefined || strains;
    const computing = needsLibrary ? wait(signal => compute(request, signal)) : undefined;
    // If osu!'s own calculator works, osu! is asked only for maps that the calculator could not do. If the calculator is
    // late (undefined), osu!'s answer would be later still.
    const computed = difficulty?.isExact?.() === true ? await computing : null;
    const isMissing = computed === null || computed?.isExact === false;
    const asking =
      isPlain || isScan || !mayAsk || !isMissing
        ? undefined
        : wait(signal => official.of(beatmap, ruleset, rated, signal));
    const [stars, library] = await Promise.all([asking, computing]);
    return { request, ruleset, isPlain, official: stars, library: library ?? undefined };
  }

  /**
   * Rates the maps of one answer, each with its mods. osu! is asked only for the hardest few; the others get the
   * library's stars, scaled by how much osu!'s stars differ from the library's for those few.
   */
  async function rateAll(requests: readonly RatingRequest[], wait: Wait): Promise<readonly Rating[]> {
    const asked = new Set(requests.toSorted(byWeight).slice(0, MAX_ASKED));
    const known = await Promise.all(requests.map(request => know(request, asked.has(request), wait)));
    const common = medianOf(
      known.flatMap(({ official, library }) =>
        official === undefined ? [] : (starRatio(official.stars, library?.stars) ?? []),
      ),
    );
    return known.map(each => rate(each, common));
  }

  /**
   * Ratings for callers that cannot wait: stars and pp that take longer are left out of the answer, but still
   * calculated for the next time.
   */
  function within(ms: number) {
    let isIncomplete = false;
    const waiting = (signal: AbortSignal) =>
      createWait(signal, Math.min(ms, waitMs), waitMs, () => {
        isIncomplete = true;
      });
    return {
      ratings: {
        of: async (request: RatingRequest, signal: AbortSignal) =>
          rate(await know(request, true, waiting(signal)), undefined),
        ofMaps: (requests: readonly RatingRequest[], signal: AbortSignal) => rateAll(requests, waiting(signal)),
      },
      /** True when stars or pp took too long and were left out. */
      isIncomplete: () => isIncomplete,
    };
  }

  return { ...within(USUAL_MS).ratings, within };
}

/**
 * Waits a limited time for each part of an answer; a part that is not ready in time is undefined.
 * @throws what the work throws; the signal's reason
 */
type Wait = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>;

/**
 * @param ms the time for all parts together, in milliseconds
 * @param waitMs how long work on a late part may go on
 */
function createWait(signal: AbortSignal, ms: number, waitMs: number, onLate: () => void): Wait {
  const end = performance.now() + ms;
  const own = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  // Each map adds a listener to the signal; Node would report that many as a leak.
  setMaxListeners(0, own);
  return work => {
    const late = AbortSignal.timeout(Math.ceil(Math.max(0, end - performance.now())));
    // Work on a late part goes on until `waitMs` is over; a caller who asks again meanwhile shares its result or error.
    return abortable(work(own), late).catch((error: unknown) => {
      if (error !== late.reason) {
        signal.throwIfAborted();
        if (!own.aborted) throw error;
      }
      onLate();
      return undefined;
    });
  };
}

/** Sorts the maps that an answer is about before the others, and each of these two groups by stars, hardest first. */
function byWeight(a: RatingRequest, b: RatingRequest): number {
  const detail = ({ accuracies = [], strains = false }: RatingRequest) => Number(accuracies.length > 0 || strains);
  return detail(b) - detail(a) || b.beatmap.difficulty_rating - a.beatmap.difficulty_rating;
}

/** The median; for an even number of values the upper of the two middle ones. */
export function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** @param common the median of osu!'s stars divided by the library's in this answer, for maps without osu!'s stars */
function rate({ request, ruleset, isPlain, official, library }: Known, common: number | undefined) {
  const { beatmap, mods, knownPp } = request;
  const isExact = library?.isExact === true;
  const stated = isPlain ? beatmap.difficulty_rating : official?.stars;
  const today = isExact ? library.stars : stated;
  const plain = ruleset === beatmap.mode ? starRatio(beatmap.difficulty_rating, library?.plainStars) : undefined;
  const ratio = common ?? plain ?? 1;
  const pp = library?.pp ?? [];
  const play = library?.play ?? null;
  const hasError = !isExact && knownPp == null && (pp.length > 0 || play !== null);
  // Without osu!'s pp for the play the calculated pp are not scaled, because a change of stars does not tell how pp
  // changed.
  const scale = !isExact && knownPp != null && play !== null && play.pp > 0 ? knownPp / play.pp : 1;
  // Without the map's file its stars with mods are estimated by what these mods change in a typical map.
  const typical = beatmap.difficulty_rating * starFactor(ruleset, modClassOf(mods));
  return {
    /** The stars with the mods. */
    stars: today ?? (library === undefined ? typical : library.stars * ratio),
    /** True when the stars are not osu!'s current ones. */
    isEstimate: today === undefined,
    /** True when the pp are from osu!'s own calculator; else pp that osu! does not state are estimates. */
    isExact,
    /** The average error of the pp, as a share; null if they are exact, missing, or scaled by osu!'s pp of the play. */
    ppError: hasError ? PP_ERRORS[ruleset] : null,
    /** The date of the osu! rules behind the calculated pp; null if the map could not be read. */
    algorithm: library?.algorithm ?? null,
    maxCombo: library?.maxCombo ?? official?.maxCombo ?? null,
    /** The pp for the requested accuracies; empty if the map was not read. */
    pp,
    /** The requested play's pp, scaled to match what osu! states for the play. */
    play: play && { pp: play.pp * scale, ppIfFullCombo: play.ppIfFullCombo * scale },
    /**
     * Settings, length and strains from the map's file. The stars and pp among them are not scaled, so they must not be
     * shown.
     */
    difficulty: library,
  };
}
