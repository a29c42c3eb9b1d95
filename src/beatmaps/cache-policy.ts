/** How long answers are kept, and the caches that keep them. */

import * as z from 'zod';
import { AppError } from '../errors.ts';
import { type Cache, type CachePolicy, createMemoryCache, type SharedCache } from '../infra/cache/cache.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import { type Beatmapset, beatmapsetSchema } from './model/beatmapset.ts';
import type { Player, PlayerStandings, RankedPlayer } from './model/player.ts';
import type { Score, ScoreType } from './model/score.ts';
import type { SearchPage } from './query/search.ts';
import { type OfficialRating, officialRatingSchema } from './rating/official-stars.ts';
import { MIRROR_IDS } from './upstreams/mirror-sites.ts';
import type { ListSlice, UserBeatmapset } from './upstreams/osu-players-api.ts';
import type { UpstreamId } from './upstreams/source.ts';

export interface FoundPage extends SearchPage {
  readonly source: UpstreamId;
  /** The upstream's token for the requested page. */
  readonly token: string | undefined;
}

export interface FoundSet {
  readonly set: Beatmapset;
  readonly source: UpstreamId;
}

/** The caches. All values are plain data that JSON can hold. */
export interface BeatmapCaches {
  readonly pages: Cache<FoundPage>;
  readonly sets: Cache<FoundSet>;
  readonly players: Cache<Player>;
  readonly scores: Cache<ListSlice<Score>>;
  readonly plays: Cache<Score>;
  readonly userBeatmaps: Cache<ListSlice<UserBeatmapset>>;
  /** Scores on one map: the world's best, or those of one player. */
  readonly mapScores: Cache<readonly Score[]>;
  readonly standings: Cache<readonly PlayerStandings[]>;
  /** Pages of the world ranking. */
  readonly rankings: Cache<readonly RankedPlayer[]>;
  /** Star ratings by difficulty, mods and ruleset. */
  readonly stars: Cache<OfficialRating>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MAX_RATE_LIMIT_MS = MINUTE;

/** True when a set was withdrawn or never existed: then no older answer may be used. */
function isGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid_request');
}

function errorTtlMs(error: unknown): number {
  if (!(error instanceof AppError)) return 0;
  switch (error.code) {
    case 'not_found':
      return MINUTE;
    case 'upstream_rate_limited':
      return Math.min(error.retryAfterMs ?? 5 * SECOND, MAX_RATE_LIMIT_MS);
    case 'upstream_changed':
      return 5 * SECOND;
    case 'upstream_unavailable':
    case 'timeout':
      return 2 * SECOND;
    default:
      return 0;
  }
}

function policy<V>(ttlMs: (value: V) => number): CachePolicy<V> {
  return { ttlMs, staleIfErrorMs: () => DAY, staleOnError: error => !isGone(error), errorTtlMs };
}

/** How long a set is fresh: one with a leaderboard hardly changes, others are still being edited. */
function setTtlMs({ set }: FoundSet): number {
  return ['ranked', 'approved', 'loved'].includes(set.status) ? DAY : 15 * MINUTE;
}

const SCORE_TTL_MS: Readonly<Record<ScoreType, number>> = {
  best: 15 * MINUTE,
  // The API's terms allow a request a minute for the same list, so it is kept a little longer than that.
  recent: 75 * SECOND,
  firsts: 15 * MINUTE,
  pinned: 10 * MINUTE,
};

export const PAGE_POLICY: CachePolicy<FoundPage> = policy(() => 2 * MINUTE);
export const SET_POLICY: CachePolicy<FoundSet> = policy(setTtlMs);
export const PLAYER_POLICY: CachePolicy<Player> = policy(() => 5 * MINUTE);
export const USER_BEATMAP_POLICY: CachePolicy<ListSlice<UserBeatmapset>> = policy(() => 10 * MINUTE);
export function scorePolicy(type: ScoreType): CachePolicy<ListSlice<Score>> {
  return policy(() => SCORE_TTL_MS[type]);
}

export const MAP_SCORES_POLICY: CachePolicy<readonly Score[]> = policy(() => 10 * MINUTE);
/** A player's plays on a map are cached briefly, because people ask just after they played. */
export const OWN_SCORES_POLICY: CachePolicy<readonly Score[]> = policy(() => 2 * MINUTE);
export const MEMBER_SCORES_POLICY: CachePolicy<readonly Score[]> = policy(() => 20 * MINUTE);
export const STANDING_POLICY: CachePolicy<readonly PlayerStandings[]> = policy(() => 10 * MINUTE);
export const RANKING_POLICY: CachePolicy<readonly RankedPlayer[]> = policy(() => HOUR);

/** A single play is cached for long, because only its pp can still change. */
export const PLAY_POLICY: CachePolicy<Score> = policy(() => HOUR);

const upstream = z.enum(['osu', ...MIRROR_IDS]);
/** Checks a set from a shared cache: another process stored it, so its addresses are not trusted. */
const storedSet = beatmapsetSchema.refine(({ preview_url, cover_url, card_url, list_url }) =>
  [preview_url, cover_url, card_url, list_url].every(isHttps),
);
const StoredSet: z.ZodType<FoundSet> = z.object({ set: storedSet, source: upstream });
const StoredPage: z.ZodType<FoundPage> = z
  .object({
    sets: z.array(storedSet),
    total: z.number().nullable(),
    next: z.string().nullable(),
    source: upstream,
    token: z.string().optional(),
  })
  .transform(page => ({ ...page, token: page.token }));

function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}

/** Caches that several processes share; those of players and plays are not, because they change by the minute. */
export interface SharedBeatmapCaches {
  readonly pages: SharedCache<FoundPage>;
  readonly sets: SharedCache<FoundSet>;
  readonly stars: SharedCache<OfficialRating>;
}

export function openSharedBeatmapCaches({ openCache: open }: Pick<SharedState, 'openCache'>): SharedBeatmapCaches {
  return {
    // A page is large and soon outdated, so it is cached briefly.
    pages: open({ name: 'beatmap-pages', parse: value => StoredPage.safeParse(value).data, maxAgeMs: 10 * MINUTE }),
    sets: open({ name: 'beatmapsets', parse: value => StoredSet.safeParse(value).data }),
    stars: open({ name: 'beatmap-stars', parse: value => officialRatingSchema.safeParse(value).data }),
  };
}

/** Creates the caches, which together take about 40 MB when all are full. */
export function createMemoryBeatmapCaches(now?: () => number, sharedCaches?: SharedBeatmapCaches): BeatmapCaches {
  const clock = now === undefined ? {} : { now };
  const pages = { maxEntries: 500, maxSize: 4_000, behind: sharedCaches?.pages };
  return {
    pages: createMemoryCache({ ...pages, sizeOf: page => page.sets.length, ...clock }),
    sets: createMemoryCache({ maxEntries: 1_000, behind: sharedCaches?.sets, ...clock }),
    players: createMemoryCache({ maxEntries: 500, ...clock }),
    scores: createMemoryCache({ maxEntries: 300, maxSize: 3_000, sizeOf: slice => slice.items.length, ...clock }),
    plays: createMemoryCache({ maxEntries: 500, ...clock }),
    userBeatmaps: createMemoryCache({ maxEntries: 300, maxSize: 2_000, sizeOf: slice => slice.items.length, ...clock }),
    mapScores: createMemoryCache({ maxEntries: 500, maxSize: 5_000, sizeOf: scores => scores.length + 1, ...clock }),
    standings: createMemoryCache({ maxEntries: 200, ...clock }),
    rankings: createMemoryCache({ maxEntries: 200, ...clock }),
    stars: createMemoryCache({ maxEntries: 20_000, behind: sharedCaches?.stars, ...clock }),
  };
}
