/**
 * What a difficulty comes to as it is played: the one place from which every card takes stars and pp. A newer library replaces the one
 * behind `Difficulty`.
 */

import { AppError } from '../../errors.ts';
import type { Difficulty, DifficultyRequest, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { modClassOf, starFactor } from './mod-class.ts';
import { type OfficialRating, type OfficialStars, type RatedMap, ratedMods } from './official-stars.ts';

export interface RatingRequest extends Omit<DifficultyRequest, 'beatmap'> {
  /** Its stars are osu!'s own, without mods. */
  readonly beatmap: RatedMap;
  /** pp that osu! gave for `play`: what the play had been worth otherwise is put on its scale. */
  readonly knownPp?: number | null | undefined;
  /** What the player's own plays gave, as a multiple of what the library works out for them. Default 1. */
  readonly ppScale?: number | undefined;
}

export interface Rating {
  /** With the mods. */
  readonly stars: number;
  /** Whether the stars are not osu!'s own of today. pp that osu! did not give is always an estimate. */
  readonly isEstimate: boolean;
  /** Day of the library's rules; null where the map itself was not read, so that there is no pp either. */
  readonly algorithm: string | null;
  readonly maxCombo: number | null;
  /** For the accuracies asked for, on today's scale as far as it is known; empty where the map was not read. */
  readonly pp: MapDifficulty['pp'];
  /** The same for the play asked for. */
  readonly play: MapDifficulty['play'];
  /** What the library read in the map: settings, length, strains; its stars and pp are not to be shown. */
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
}

export interface RatingsOptions {
  readonly official: OfficialStars;
  /** Absent where nothing can be computed. */
  readonly difficulty: Pick<Difficulty, 'of'> | undefined;
  /** How long an answer waits for files and the library. Default 3000. */
  readonly waitMs?: number;
}

/** Of one answer; more is not polite. */
const MAX_ASKED = 5;
/** Rules change by less; what lies beyond is another map under the same number. */
const LOWEST = 0.7;
const HIGHEST = 1.4;

/** pp grows with this power of the stars in the published formulas (2025). */
const PP_POWER: Readonly<Record<Ruleset, number>> = { osu: 2.9, taiko: 2.25, fruits: 2, mania: 2.2 };

/** Today's stars as a multiple of the library's; undefined where either is unknown or they are not of the same map. */
export function starRatio(today: number, library: number | undefined): number | undefined {
  const ratio = library === undefined || !(library > 0) ? Number.NaN : today / library;
  return ratio >= LOWEST && ratio <= HIGHEST ? ratio : undefined;
}

/** What such a ratio of stars does to pp. */
export function ppRatio(ruleset: Ruleset, ratio: number | undefined): number {
  return ratio === undefined ? 1 : ratio ** PP_POWER[ruleset];
}

interface Known {
  readonly request: RatingRequest;
  readonly ruleset: Ruleset;
  /** Whether the upstream's stars without mods are those asked for. */
  readonly isPlain: boolean;
  readonly official: OfficialRating | undefined;
  readonly library: MapDifficulty | undefined;
}

export function createRatings({ official, difficulty, waitMs = 3_000 }: RatingsOptions): Ratings {
  async function compute(request: RatingRequest, signal: AbortSignal): Promise<MapDifficulty | undefined> {
    const { knownPp: _, ppScale: __, ...asked } = request;
    try {
      return await difficulty?.of(asked, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
    } catch (error) {
      signal.throwIfAborted();
      // Mods that a person typed; a play may have such as this library does not know yet.
      if (isWrongQuestion(error) && request.mods.every(mod => typeof mod === 'string')) throw error;
      // Logged where it failed.
      return undefined;
    }
  }

  async function know(request: RatingRequest, mayAsk: boolean, signal: AbortSignal): Promise<Known> {
    const { beatmap, mods, ruleset = beatmap.mode, accuracies = [], play, strains = false } = request;
    const rated = ratedMods(mods, ruleset);
    const isPlain = rated.length === 0 && ruleset === beatmap.mode && beatmap.difficulty_rating > 0;
    const needsLibrary = !isPlain || accuracies.length > 0 || play !== undefined || strains;
    const [told, library] = await Promise.all([
      isPlain || !mayAsk ? undefined : official.of(beatmap, ruleset, rated, signal),
      needsLibrary ? compute(request, signal) : undefined,
    ]);
    return { request, ruleset, isPlain, official: told, library };
  }

  async function ofMaps(requests: readonly RatingRequest[], signal: AbortSignal): Promise<readonly Rating[]> {
    const asked = new Set(requests.toSorted(byWeight).slice(0, MAX_ASKED));
    const known = await Promise.all(requests.map(request => know(request, asked.has(request), signal)));
    const common = middleOf(
      known.flatMap(({ official, library }) =>
        official === undefined ? [] : (starRatio(official.stars, library?.stars) ?? []),
      ),
    );
    return known.map(each => rate(each, common));
  }

  return {
    async of(request, signal) {
      return rate(await know(request, true, signal), undefined);
    },
    ofMaps,
  };
}

/** What an answer is about comes first, then the hardest. */
function byWeight(a: RatingRequest, b: RatingRequest): number {
  const detail = ({ accuracies = [], strains = false }: RatingRequest) => Number(accuracies.length > 0 || strains);
  return detail(b) - detail(a) || b.beatmap.difficulty_rating - a.beatmap.difficulty_rating;
}

function isWrongQuestion(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_request';
}

function middleOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** @param common today's stars over the library's for the maps beside it */
function rate(known: Known, common: number | undefined): Rating {
  const { request, ruleset, isPlain, official, library } = known;
  const { beatmap, knownPp, ppScale = 1 } = request;
  const today = isPlain ? beatmap.difficulty_rating : official?.stars;
  const plain = ruleset === beatmap.mode ? starRatio(beatmap.difficulty_rating, library?.plainStars) : undefined;
  const ratio = today === undefined ? (common ?? plain) : starRatio(today, library?.stars);
  const rated = {
    stars: today ?? (library === undefined ? starsByFigures(request, ruleset) : library.stars * (ratio ?? 1)),
    isEstimate: today === undefined,
    algorithm: library?.algorithm ?? null,
    maxCombo: library?.maxCombo ?? official?.maxCombo ?? null,
    difficulty: library,
  };
  if (library === undefined) return { ...rated, pp: [], play: null };
  const scale = ppScale * ppRatio(ruleset, ratio);
  const { play } = library;
  // What osu! gave for this very play says more than any ratio.
  const playScale = knownPp != null && play !== null && play.pp > 0 ? knownPp / play.pp : scale;
  return {
    ...rated,
    pp: library.pp.map(({ accuracy, pp }) => ({ accuracy, pp: pp * scale })),
    play: play && { pp: play.pp * playScale, ppIfFullCombo: play.ppIfFullCombo * playScale },
  };
}

/** What such mods make of a typical map of so many stars. */
function starsByFigures({ beatmap, mods }: RatingRequest, ruleset: Ruleset): number {
  const acronyms = mods.map(mod => (typeof mod === 'string' ? mod : mod.acronym));
  return beatmap.difficulty_rating * starFactor(ruleset, modClassOf(acronyms));
}
