/** Players' profiles, plays and maps, which only the official API has. */
import { AppError } from '../errors.ts';
import { type CacheHit, createLru } from '../infra/cache/cache.ts';
import { type BeatmapCaches, POLICIES } from './cache-policy.ts';
import { parseOffsetCursor, renderOffsetCursor } from './cursor.ts';
import type { Ruleset } from './model/beatmapset.ts';
import { matchOsuLink, USERNAME } from './model/link.ts';
import { foldPlayerName, type Player } from './model/player.ts';
import type { ScoreType } from './model/score.ts';
import type { OsuApi } from './upstreams/osu-api.ts';
import type { ListSlice, PlayerRef, UserBeatmapType } from './upstreams/osu-players-api.ts';
import { missingAs } from './upstreams/upstream-answer.ts';

export interface PlayerAnswer {
  readonly source: 'osu';
  /** True for an older answer that is used because the upstream failed. */
  readonly stale: boolean;
  /** True for an answer from the cache that is still fresh. Default false. */
  readonly cached?: boolean;
}

export interface PlayerListOptions {
  /** The most entries, from 1 to 100. Default 20. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ScoreListOptions extends PlayerListOptions {
  readonly ruleset?: Ruleset | undefined;
}

export interface OsuAccess {
  readonly osu: OsuApi | undefined;
  readonly caches: BeatmapCaches;
}

const MAX_LIMIT = 100;
/** The most entries that the API has in a list of each type. */
const MAX_ENTRIES: Readonly<Record<ScoreType, number>> = { best: 200, recent: 100, firsts: 10_000, pinned: 10_000 };

/** Reads an id, a name or an address of a player. @throws AppError `invalid_request` */
function parsePlayerRef(user: number | string): PlayerRef {
  const text = String(user).trim();
  const link = matchOsuLink(text);
  if (link?.kind === 'user') return 'id' in link ? link.id : link.name;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  const name = text.replace(/^@/, '').trim();
  if (!USERNAME.test(name)) {
    const params = { what: 'user' };
    throw new AppError('invalid_request', 'user must be the name, number or profile of a player', { params });
  }
  return name;
}

function rulesetOfLink(user: number | string): Ruleset | undefined {
  return typeof user === 'string' ? matchOsuLink(user.trim())?.ruleset : undefined;
}

export function playerAnswer(from: CacheHit<unknown>['from']): PlayerAnswer {
  return { source: 'osu', stale: from === 'stale', cached: from === 'cache' };
}

/** @throws AppError `credentials_required` */
export function requireOsu(osu: OsuApi | undefined, what: 'player' | 'score'): OsuApi {
  if (osu !== undefined) return osu;
  const message = `a ${what} is known to the official API alone, which needs credentials`;
  throw new AppError('credentials_required', message, { params: { what } });
}

/** How many players are remembered for suggestions, in memory only. */
const MAX_SEEN = 2_000;

/**
 * In every method, `user` is an id, a name, `@name` or a profile's address.
 * @throws AppError from every method: `invalid_request` (params.what: `user`, `cursor`), `credentials_required`,
 * `not_found`, or an upstream code
 */
export function createPlayers({ osu, caches }: OsuAccess) {
  const seen = createLru<number, string>({ max: MAX_SEEN });

  function load(player: PlayerRef, ruleset?: Ruleset, signal?: AbortSignal): Promise<CacheHit<Player>> {
    const api = requireOsu(osu, 'player');
    const name = typeof player === 'number' ? String(player) : `@${player.toLowerCase()}`;
    const key = `osu-user:${name}:${ruleset ?? ''}`;
    return caches.players.wrap(key, own => api.user(player, ruleset, own), POLICIES.player, signal);
  }

  /** The player's id. The API has lists by id only, so a name is looked up first. */
  async function idOf(player: PlayerRef, signal?: AbortSignal): Promise<number> {
    return typeof player === 'number' ? player : (await load(player, undefined, signal)).value.id;
  }

  /** Recently requested players whose names begin with the typed text, the most recent first. Asks no upstream. */
  function suggestPlayers(typed: string, limit: number) {
    const wanted = foldPlayerName(typed.replace(/^@/, ''));
    const found: { readonly id: number; readonly username: string }[] = [];
    for (const [id, username] of seen.entries()) {
      if (found.length >= limit) break;
      if (foldPlayerName(username).startsWith(wanted)) found.push({ id, username });
    }
    return found;
  }

  return {
    suggestPlayers,
    async user(user: number | string, ruleset = rulesetOfLink(user), signal?: AbortSignal) {
      const { value, from } = await load(parsePlayerRef(user), ruleset, signal);
      seen.set(value.id, value.username);
      return { user: value, ...playerAnswer(from) };
    },
    async userScores(user: number | string, type: ScoreType, options: ScoreListOptions = {}) {
      const { limit, offset } = readPlace(options);
      const player = parsePlayerRef(user);
      const { ruleset = rulesetOfLink(user), signal } = options;
      const api = requireOsu(osu, 'player');
      const id = await idOf(player, signal);
      const size = Math.min(limit, MAX_ENTRIES[type] - offset);
      if (size <= 0) return { scores: [], cursor: null, ...playerAnswer('load') };
      const { value, from } = await caches.scores.wrap(
        `osu-scores:${id}:${type}:${ruleset ?? ''}:${offset}:${size}`,
        own => api.userScores(id, type, { ruleset, limit: size, offset }, own),
        POLICIES.scores[type],
        signal,
      );
      const cursor = nextOf(value, offset + size, MAX_ENTRIES[type]);
      return { scores: value.items, cursor, ...playerAnswer(from) };
    },
    /** A single play. With a ruleset, `id` is from before 2022. Errors such as `not_found` have params.what `score`. */
    async score(id: number, ruleset?: Ruleset, signal?: AbortSignal) {
      const api = requireOsu(osu, 'score');
      const load = (own: AbortSignal) => missingAs('score', api.score(id, ruleset, own));
      const { value, from } = await caches.plays.wrap(`osu-score:${ruleset ?? ''}:${id}`, load, POLICIES.play, signal);
      return { score: value, ...playerAnswer(from) };
    },
    async userBeatmaps(user: number | string, type: UserBeatmapType, options: PlayerListOptions = {}) {
      const { limit, offset } = readPlace(options);
      const player = parsePlayerRef(user);
      const api = requireOsu(osu, 'player');
      const id = await idOf(player, options.signal);
      const { value, from } = await caches.userBeatmaps.wrap(
        `osu-user-maps:${id}:${type}:${offset}:${limit}`,
        own => api.userBeatmaps(id, type, { limit, offset }, own),
        POLICIES.userBeatmaps,
        options.signal,
      );
      const cursor = nextOf(value, offset + limit);
      return { beatmapsets: value.items, cursor, ...playerAnswer(from) };
    },
  };
}

function readPlace({ limit = 20, cursor }: PlayerListOptions) {
  const offset = cursor === undefined ? 0 : parseOffsetCursor(cursor);
  return { limit: Math.max(1, Math.min(Math.trunc(limit), MAX_LIMIT)), offset };
}

function nextOf({ isFull }: ListSlice<unknown>, end: number, last = 10_000): string | null {
  return isFull && end < last ? renderOffsetCursor(end) : null;
}
