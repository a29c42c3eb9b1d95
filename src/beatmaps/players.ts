/** Players' profiles, plays, maps and ranks, which only the official API has. */
import { AppError, invalidRequest } from '../errors.ts';
import { type CacheHit, createLru } from '../infra/cache/cache.ts';
import { type BeatmapCaches, POLICIES } from './cache-policy.ts';
import { parseOffsetCursor, renderOffsetCursor } from './cursor.ts';
import { type Beatmap, type Beatmapset, type Ruleset, statusNumber } from './model/beatmapset.ts';
import { matchOsuLink, USERNAME } from './model/link.ts';
import { foldPlayerName, type Player } from './model/player.ts';
import type { Score, ScoreType } from './model/score.ts';
import type { OsuApi } from './upstreams/osu-api.ts';
import type { ListSlice, PlayerRef, UserBeatmapType } from './upstreams/osu-players-api.ts';
import { missingAs } from './upstreams/upstream-answer.ts';

interface PlayerAnswer {
  readonly source: 'osu';
  /** True for an older answer that is used because the upstream failed. */
  readonly stale: boolean;
  /** True for an answer from the cache that is still fresh. Default false. */
  readonly cached?: boolean;
}

interface PlayerListOptions {
  /** The most entries, from 1 to 100. Default 20. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ScoreListOptions extends PlayerListOptions {
  readonly ruleset?: Ruleset | undefined;
}

interface OsuAccess {
  readonly osu: OsuApi | undefined;
  readonly caches: BeatmapCaches;
}

const MAX_LIMIT = 100;
/** The most entries that the API has in a player's list of each type. */
const MAX_ENTRIES: Readonly<Record<ScoreType, number>> = { best: 200, recent: 100, firsts: 10_000, pinned: 10_000 };

/** Reads an id, a name or an address of a player. @throws AppError `invalid_request` */
export function parsePlayerRef(user: number | string): PlayerRef {
  const text = String(user).trim();
  const link = matchOsuLink(text);
  if (link?.kind === 'user') return 'id' in link ? link.id : link.name;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  const name = text.replace(/^@/, '').trim();
  if (USERNAME.test(name)) return name;
  throw invalidRequest('user', 'user must be the name, number or profile of a player');
}

/** The ruleset that the address of a player's profile names; undefined for all else. */
export function rulesetOfLink(user: number | string): Ruleset | undefined {
  return typeof user === 'string' ? matchOsuLink(user.trim())?.ruleset : undefined;
}

function playerAnswer(from: CacheHit<unknown>['from']): PlayerAnswer {
  return { source: 'osu', stale: from === 'stale', cached: from === 'cache' };
}

/** @throws AppError `credentials_required` */
function requireOsu(osu: OsuApi | undefined, what: 'player' | 'score'): OsuApi {
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

  /** The player's id, for the API's lists, which take only ids; a name is looked up first. */
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
      const key = `osu-scores:${id}:${type}:${ruleset ?? ''}:${offset}:${size}`;
      const load = (own: AbortSignal) => api.userScores(id, type, { ruleset, limit: size, offset }, own);
      const { value, from } = await caches.scores.wrap(key, load, POLICIES.scores[type], signal);
      const cursor = nextOf(value, offset + size, MAX_ENTRIES[type]);
      return { scores: value.items, cursor, ...playerAnswer(from) };
    },
    /**
     * A single play. A ruleset is needed only for an `id` from before 2022, when each ruleset numbered its plays
     * separately. Errors such as `not_found` have params.what `score`.
     */
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
      const key = `osu-user-maps:${id}:${type}:${offset}:${limit}`;
      const load = (own: AbortSignal) => api.userBeatmaps(id, type, { limit, offset }, own);
      const { value, from } = await caches.userBeatmaps.wrap(key, load, POLICIES.userBeatmaps, options.signal);
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

interface MapInSet {
  readonly beatmap: Beatmap;
  readonly set: Beatmapset;
}

/** The last rank in osu!'s world ranking. */
export const MAX_RANK = 10_000;
const RANKS_A_PAGE = 50;
/** The most players of one list of standings, and how many of them one request asks for. */
const MAX_STANDINGS = 200;
const STANDINGS_A_REQUEST = 50;

/**
 * Adds the map and its set to scores, since osu! leaves them out of these answers. In a ruleset other than its own, the
 * map's combo is unknown.
 */
function onMap(scores: readonly Score[], { beatmap, set }: MapInSet): readonly Score[] {
  const beatmapset = { ...set, beatmaps: [] };
  return scores.map(score => {
    const played = score.mode === beatmap.mode ? beatmap : { ...beatmap, max_combo: null };
    return { ...score, beatmap_id: beatmap.id, beatmap: played, beatmapset };
  });
}

/** @throws AppError from every method: `credentials_required` (params.what `score` or `player`), an upstream's code */
export function createMapPlays({ osu, caches }: OsuAccess) {
  const ownScores =
    (use: 'own' | 'member') => async (map: MapInSet, userId: number, ruleset: Ruleset, signal?: AbortSignal) => {
      const api = requireOsu(osu, 'score');
      if (statusNumber(map.beatmap.status) <= 0) return { scores: [], ...playerAnswer('load') };
      const key = `osu-${use}-scores:${map.beatmap.id}:${userId}:${ruleset}`;
      const load = (own: AbortSignal) => missingAs('beatmap', api.userMapScores(map.beatmap.id, userId, ruleset, own));
      const { value, from } = await caches.mapScores.wrap(key, load, POLICIES[`${use}Scores`], signal);
      return { scores: onMap(value, map), ...playerAnswer(from) };
    };

  /** A page of 50 players of the world's ranking, or of a country's by its two letters. @param page from 1 */
  async function ranking(
    ruleset: Ruleset,
    { page, country }: { readonly page: number; readonly country?: string | undefined },
    signal?: AbortSignal,
  ) {
    const api = requireOsu(osu, 'player');
    const key = `osu-ranking:${ruleset}:${country ?? 'world'}:${page}`;
    const load = (own: AbortSignal) => api.ranking(ruleset, { page, country }, own);
    const { value, from } = await caches.rankings.wrap(key, load, POLICIES.ranking, signal);
    return { players: value, ...playerAnswer(from) };
  }

  return {
    /**
     * The world's best plays on a map, at most 50.
     * @param mods only plays with exactly these; undefined for all plays, an empty list for plays without mods
     */
    async mapScores(
      map: MapInSet,
      { ruleset, mods }: { readonly ruleset: Ruleset; readonly mods?: readonly string[] | undefined },
      signal?: AbortSignal,
    ) {
      const api = requireOsu(osu, 'score');
      const asked = mods === undefined ? [] : mods.length === 0 ? ['NM'] : mods;
      const key = `osu-map-scores:${map.beatmap.id}:${ruleset}:${asked.join('')}`;
      const load = (own: AbortSignal) => missingAs('beatmap', api.mapScores(map.beatmap.id, ruleset, asked, own));
      const { value, from } = await caches.mapScores.wrap(key, load, POLICIES.mapScores, signal);
      return { scores: onMap(value, map), ...playerAnswer(from) };
    },
    /** All plays of a player on a map; none if it has no leaderboard. */
    userMapScores: ownScores('own'),
    /** Like `userMapScores`, but cached longer, so that paging through a list of members repeats no request. */
    memberMapScores: ownScores('member'),
    /** The pp, ranks and accuracies of players in the given order, at most 200; deleted accounts are missing. */
    async standings(userIds: readonly number[], signal?: AbortSignal) {
      const api = requireOsu(osu, 'player');
      const ids = [...new Set(userIds)].slice(0, MAX_STANDINGS);
      if (ids.length === 0) return { players: [], ...playerAnswer('load') };
      const key = `osu-standings:${ids.toSorted((a, b) => a - b).join(',')}`;
      const load = async (own: AbortSignal) => {
        const starts = ids.flatMap((_, place) => (place % STANDINGS_A_REQUEST === 0 ? [place] : []));
        const parts = starts.map(from => api.standings(ids.slice(from, from + STANDINGS_A_REQUEST), own));
        return (await Promise.all(parts)).flat();
      };
      const { value, from } = await caches.standings.wrap(key, load, POLICIES.standings, signal);
      const players = ids.flatMap(id => value.find(player => player.id === id) ?? []);
      return { players, ...playerAnswer(from) };
    },
    /** The player at that rank of the world; undefined if osu! does not state it. @param rank from 1 to 10 000 */
    async rankHolder(ruleset: Ruleset, rank: number, signal?: AbortSignal) {
      const { players, ...answer } = await ranking(ruleset, { page: Math.ceil(rank / RANKS_A_PAGE) }, signal);
      return { holder: players[(rank - 1) % RANKS_A_PAGE], ...answer };
    },
    ranking,
  };
}
