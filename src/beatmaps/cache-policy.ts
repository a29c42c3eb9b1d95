/** How long answers are kept, and the caches that keep them. */

import * as z from 'zod';
import { AppError } from '../errors.ts';
import { type CachePolicy, createMemoryCache } from '../infra/cache/cache.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import { beatmapsetSchema, hasLeaderboard } from './model/beatmapset.ts';
import type { Player, PlayerStandings, RankedPlayer } from './model/player.ts';
import type { Score } from './model/score.ts';
import { type OfficialRating, officialRatingSchema } from './rating/official-stars.ts';
import { MIRROR_IDS } from './upstreams/mirror-sites.ts';
import type { ListSlice, UserBeatmapset } from './upstreams/osu-players-api.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MAX_RATE_LIMIT_MS = MINUTE;

/** True when a set was withdrawn or never existed, so that no older answer may be used. */
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

/** How long each kind of answer is kept. */
export const POLICIES = {
  page: policy(() => 2 * MINUTE),
  /** A set with a leaderboard hardly changes any more; other sets are still being edited. */
  set: policy(({ set }: FoundSet) => (hasLeaderboard(set) ? DAY : 15 * MINUTE)),
  player: policy(() => 5 * MINUTE),
  userBeatmaps: policy(() => 10 * MINUTE),
  scores: {
    best: policy(() => 15 * MINUTE),
    // The API's terms allow a request a minute for the same list, so it is kept a little longer than that.
    recent: policy(() => 75 * SECOND),
    firsts: policy(() => 15 * MINUTE),
    pinned: policy(() => 10 * MINUTE),
  },
  mapScores: policy(() => 10 * MINUTE),
  /** A player's plays on a map are cached briefly, because people ask just after they played. */
  ownScores: policy(() => 2 * MINUTE),
  memberScores: policy(() => 20 * MINUTE),
  standings: policy(() => 10 * MINUTE),
  ranking: policy(() => HOUR),
  /** A single play is cached for long, because only its pp can still change. */
  play: policy(() => HOUR),
};

const upstream = z.enum(['osu', ...MIRROR_IDS]);
/** Checks a set from a shared cache: another process stored it, so its addresses are not trusted. */
const storedSet = beatmapsetSchema.refine(({ preview_url, cover_url, card_url, list_url }) =>
  [preview_url, cover_url, card_url, list_url].every(isHttps),
);
const foundSet = z.object({ set: storedSet, source: upstream });
export type FoundSet = Readonly<z.infer<typeof foundSet>>;

const foundPage = z.object({
  sets: z.array(storedSet).readonly(),
  total: z.number().nullable(),
  next: z.string().nullable(),
  corrected: z.boolean().optional(),
  source: upstream,
  /** The upstream's token for the requested page. */
  token: z.string().optional(),
});
export type FoundPage = Readonly<z.infer<typeof foundPage>>;

function isHttps(url: string): boolean {
  return URL.canParse(url) && new URL(url).protocol === 'https:';
}

export type SharedBeatmapCaches = ReturnType<typeof openSharedBeatmapCaches>;

/** Caches that several processes share. Players and plays change by the minute, so their caches are not shared. */
export function openSharedBeatmapCaches({ openCache: open }: Pick<SharedState, 'openCache'>) {
  return {
    // A page is large and soon outdated, so it is cached briefly.
    pages: open({ name: 'beatmap-pages', parse: value => foundPage.safeParse(value).data, maxAgeMs: 10 * MINUTE }),
    sets: open({ name: 'beatmapsets', parse: value => foundSet.safeParse(value).data }),
    stars: open({ name: 'beatmap-stars', parse: value => officialRatingSchema.safeParse(value).data }),
  };
}

export type BeatmapCaches = ReturnType<typeof createMemoryBeatmapCaches>;

/**
 * Creates the caches, which together take about 40 MB when all are full. All values are plain data that JSON can hold.
 */
export function createMemoryBeatmapCaches(now = Date.now, shared?: SharedBeatmapCaches) {
  const sizeOf = (slice: ListSlice<unknown>) => slice.items.length;
  const pages = { maxEntries: 500, maxSize: 4_000, behind: shared?.pages };
  return {
    pages: createMemoryCache<FoundPage>({ ...pages, sizeOf: page => page.sets.length, now }),
    sets: createMemoryCache<FoundSet>({ maxEntries: 1_000, behind: shared?.sets, now }),
    players: createMemoryCache<Player>({ maxEntries: 500, now }),
    scores: createMemoryCache<ListSlice<Score>>({ maxEntries: 300, maxSize: 3_000, sizeOf, now }),
    plays: createMemoryCache<Score>({ maxEntries: 500, now }),
    userBeatmaps: createMemoryCache<ListSlice<UserBeatmapset>>({ maxEntries: 300, maxSize: 2_000, sizeOf, now }),
    /** Scores on one map: the world's best, or one player's. */
    mapScores: createMemoryCache<readonly Score[]>({
      maxEntries: 500,
      maxSize: 5_000,
      sizeOf: ({ length }) => length + 1,
      now,
    }),
    standings: createMemoryCache<readonly PlayerStandings[]>({ maxEntries: 200, now }),
    /** Pages of the world ranking. */
    rankings: createMemoryCache<readonly RankedPlayer[]>({ maxEntries: 200, now }),
    /** Star ratings by difficulty, mods and ruleset. */
    stars: createMemoryCache<OfficialRating>({ maxEntries: 20_000, behind: shared?.stars, now }),
  };
}
