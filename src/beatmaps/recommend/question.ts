import { AppError, invalidRequest } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { candidateOf } from '../catalogue/candidates.ts';
import { renderOffsetCursor } from '../cursor.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { createTotalPp } from '../plays/total-pp.ts';
import { findNamed } from '../set-lookup.ts';
import type { RecommendFilters } from './filters.ts';
import { profileOf } from './player-profile.ts';
import { planSearch } from './search-plan.ts';

export interface RecommendRequest extends RecommendFilters {
  /** The player whose plays the maps must suit: an id, a name, `@name` or an address. Default: only filters count. */
  readonly user?: number | string | undefined;
  /** The maps' ruleset. Default: that of the map in `like`, else the player's main ruleset, else osu!. */
  readonly ruleset?: Ruleset | undefined;
  /** A map to which similar maps are wanted: the address or id of a difficulty or a set. */
  readonly like?: number | string | undefined;
  /** How many maps to recommend, from 1 to 50. Default 10. */
  readonly limit?: number | undefined;
  /** The same seed gives the same answer while plays and catalogue stay the same. Default: a new seed each time. */
  readonly seed?: number | undefined;
  /** A key for the person who asks; no person gets the same map twice within 28 days. */
  readonly caller?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface QuestionOptions {
  readonly beatmaps: Pick<Beatmaps, 'user' | 'userScores' | 'set' | 'setOfMap'>;
  readonly log: Logger;
}

export type Question = Awaited<ReturnType<typeof readQuestion>>;

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

/** Reads what a request names: the player with their plays, and the map that recommended maps should be similar to. */
export async function readQuestion(options: QuestionOptions, request: RecommendRequest) {
  const { user, signal } = request;
  const reference = await findReferenceMap(options, request);
  const wanted = reference?.map.mode ?? request.ruleset;
  const context = user === undefined ? noPlayer(wanted ?? 'osu') : await readPlayer(options, user, wanted, signal);
  const like = reference === undefined ? undefined : candidateOf(reference.set, reference.map);
  const plan = planSearch(context.profile, context.totalPp, request, like);
  const limit = Math.max(1, Math.min(Math.trunc(request.limit ?? DEFAULT_LIMIT), MAX_LIMIT));
  return { limit, context, reference, like, plan };
}

/** The most plays that osu!'s API returns for one request. A player's 200 best plays take two requests. */
const PAGE = 100;

function noPlayer(ruleset: Ruleset) {
  const profile = profileOf(ruleset, []);
  return { profile, known: new Set<number>(), totalPp: null, total: null, player: null, stale: false };
}

/**
 * Reads a player's plays; without the recent plays if they cannot be read.
 * @throws AppError as `Beatmaps.user` does, and `userScores` for the best plays
 */
async function readPlayer(
  { beatmaps, log }: QuestionOptions,
  user: number | string,
  ruleset: Ruleset | undefined,
  signal: AbortSignal | undefined,
) {
  const found = await beatmaps.user(user, ruleset, signal);
  const { id, username, mode, statistics } = found.user;
  const own = { ruleset: mode, limit: PAGE, signal };
  const [first, second, recent] = await Promise.all([
    beatmaps.userScores(id, 'best', own),
    beatmaps.userScores(id, 'best', { ...own, cursor: renderOffsetCursor(PAGE) }),
    beatmaps.userScores(id, 'recent', own).catch((error: unknown) => {
      signal?.throwIfAborted();
      log.warn({ err: error }, 'recommended without knowing what was played lately');
      return { scores: [] };
    }),
  ]);
  const best = [...first.scores, ...second.scores];
  const totalPp = statistics?.pp ?? null;
  return {
    profile: profileOf(mode, best),
    /** The ids of difficulties that the player has played. */
    known: new Set([...best, ...recent.scores].flatMap(score => score.beatmap_id ?? score.beatmap?.id ?? [])),
    /** The player's total pp at osu!; null when unknown. */
    totalPp,
    /** Calculates by how much a further play would change the total pp. */
    total: createTotalPp(
      best.flatMap(({ pp }) => pp ?? []),
      totalPp,
    ),
    player: { id, username },
    stale: found.stale || first.stale || second.stale,
  };
}

export interface ReferenceMap {
  readonly set: Beatmapset;
  readonly map: Beatmap;
}

/**
 * Finds the map that recommended maps should be similar to: a difficulty, or a set's hardest one in the ruleset. A bare
 * number is a difficulty's id, or else a set's.
 * @throws AppError `invalid_request` (params.what: `like`), `not_found` (params.what: `beatmap`), or the upstream's
 * code
 */
async function findReferenceMap(
  { beatmaps }: QuestionOptions,
  { like, ruleset, signal }: RecommendRequest,
): Promise<ReferenceMap | undefined> {
  if (like === undefined) return undefined;
  const found = await findNamed(String(like).trim(), beatmaps, 'map', signal);
  if (found === undefined) throw invalidRequest('like', 'like must be the number or the osu! address of a beatmap');
  const { set, beatmap, ruleset: wanted = ruleset } = found;
  const maps = set.beatmaps.filter(({ mode }) => wanted === undefined || mode === wanted);
  const map = beatmap ?? maps.toSorted((a, b) => b.difficulty_rating - a.difficulty_rating)[0];
  if (map !== undefined) return { set, map };
  throw new AppError('not_found', `set ${set.id} has no difficulty of this ruleset`, { params: { what: 'beatmap' } });
}
