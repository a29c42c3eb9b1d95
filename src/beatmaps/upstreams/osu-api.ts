import { AppError } from '../../errors.ts';
import type { ThrottleRule } from '../../infra/http/host-throttle.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import { type Beatmap, type Beatmapset, type Ruleset, rulesetNumber } from '../model/beatmapset.ts';
import { id, number, text } from '../model/osu-fields.ts';
import { parseBeatmap, parseBeatmapset, parseBeatmapsets } from '../model/osu-schemas.ts';
import { type Player, parsePlayer } from '../model/player.ts';
import { parseScore, type Score, type ScoreMod, type ScoreType } from '../model/score.ts';
import { renderQuery } from '../query/query.ts';
import { isExcluded } from '../query/query-match.ts';
import { renderSort } from '../query/query-words.ts';
import type { Search, SearchPage } from '../query/search.ts';
import type { OsuParams } from './osu-call.ts';
import { createOsuPlaysApi, type OsuPlaysApi } from './osu-plays-api.ts';
import { createOsuToken } from './osu-token.ts';
import { expectShape, OSU, readAnswer } from './upstream-answer.ts';
/** The official API v2 (osu-web 2026-08), asked as an application without a user. */

import * as z from 'zod';

export const USER_BEATMAP_TYPES = [
  'ranked',
  'loved',
  'pending',
  'graveyard',
  'guest',
  'nominated',
  'favourite',
  'most_played',
] as const;
export type UserBeatmapType = (typeof USER_BEATMAP_TYPES)[number];

/** A set of a player's list. */
export interface UserBeatmapset {
  readonly set: Beatmapset;
  /** How often the player played `beatmap_id`; in `most_played` alone. */
  readonly count: number | null;
  readonly beatmap_id: number | null;
}

/** Part of a list whose length the API does not say. */
export interface ListSlice<T> {
  readonly items: readonly T[];
  /** Whether the API gave as many as it was asked for. */
  readonly isFull: boolean;
}

export interface SliceOptions {
  /** 1 to 100. */
  readonly limit: number;
  readonly offset: number;
}

/** A number is an id, text a name. */
export type PlayerRef = number | string;

export interface DifficultyAttributes {
  readonly star_rating: number;
  readonly max_combo: number | null;
  /** All of them by the API's names, the two above included; they differ by ruleset. */
  readonly values: Readonly<Record<string, number>>;
}

/**
 * @throws AppError from every method: `not_found` (a restricted player too), `credentials_required`, `forbidden`,
 * `upstream_rate_limited` with `retryAfterMs`, `upstream_changed`, `upstream_unavailable`, `timeout`
 */
export interface OsuApi extends OsuPlaysApi {
  /** @param next of the page before; `page:N` for the Nth, from 1 */
  search(search: Search, next: string | undefined, signal?: AbortSignal): Promise<SearchPage>;
  set(id: number, signal?: AbortSignal): Promise<Beatmapset>;
  setOfMap(mapId: number, signal?: AbortSignal): Promise<Beatmapset>;
  /** The difficulty and its set, which then knows no other. */
  beatmap(id: number, signal?: AbortSignal): Promise<{ readonly beatmap: Beatmap; readonly set: Beatmapset }>;
  /** Without a ruleset: statistics of the one the player plays most. */
  user(player: PlayerRef, ruleset?: Ruleset, signal?: AbortSignal): Promise<Player>;
  userScores(
    userId: number,
    type: ScoreType,
    options: SliceOptions & { readonly ruleset?: Ruleset | undefined },
    signal?: AbortSignal,
  ): Promise<ListSlice<Score>>;
  /** One play, with its difficulty and set. With a ruleset the number is one from before 2022. */
  score(id: number, ruleset?: Ruleset, signal?: AbortSignal): Promise<Score>;
  userBeatmaps(
    userId: number,
    type: UserBeatmapType,
    options: SliceOptions,
    signal?: AbortSignal,
  ): Promise<ListSlice<UserBeatmapset>>;
  attributes(
    mapId: number,
    options: { readonly ruleset?: Ruleset; readonly mods?: readonly (string | ScoreMod)[] },
    signal?: AbortSignal,
  ): Promise<DifficultyAttributes>;
}

export interface OsuApiOptions {
  readonly http: HttpClient;
  readonly clientId: number;
  readonly clientSecret: string;
  readonly log: Logger;
  /** Of one request. Default 6000. */
  readonly timeoutMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** What its terms ask for is 60 a minute; beyond it an application may lose its access. */
export const OSU_THROTTLE: ThrottleRule = { perSecond: 1, burst: 12, atOnce: 6 };
export const OSU_HOST = 'osu.ppy.sh';
/** Covers, avatars, previews: open to everyone (2026-08). */
export const OSU_ASSET_HOSTS = ['assets.ppy.sh', 'a.ppy.sh', 'b.ppy.sh'] as const;

const BASE = `https://${OSU_HOST}/api/v2/`;
/** A date. From 20220705 on scores have one shape; newer ones change what is not asked here. */
const API_VERSION = '20241022';
/** A wish to be left alone for longer is most likely a mistake. */
const MAX_CLOSED_MS = 15 * 60_000;
const PAGE_CURSOR = /^page:(\d{1,3})$/;

const searchShape = z.looseObject({ beatmapsets: z.array(z.unknown()), total: number, cursor_string: text });
const mapShape = z.looseObject({ beatmapset: z.unknown() });
const playedShape = z.looseObject({ beatmap_id: id, count: number, beatmap: z.unknown(), beatmapset: z.unknown() });
const attributesShape = z.looseObject({ attributes: z.record(z.string(), z.unknown()) });
const rows = z.array(z.unknown());

function addressOf(path: string, params: OsuParams): URL {
  const url = new URL(path, BASE);
  for (const [name, value] of Object.entries(params)) {
    const values = typeof value === 'object' ? value : value === undefined ? [] : [value];
    for (const each of values) url.searchParams.append(name, String(each));
  }
  return url;
}

function readSlice<T>(answer: unknown, limit: number, what: string, read: (row: unknown) => T | undefined) {
  const all = expectShape(rows.safeParse(answer).data, OSU, what);
  const items = all.flatMap(row => read(row) ?? []);
  if (items.length === 0 && all.length > 0) expectShape(undefined, OSU, what);
  return { items, isFull: all.length >= limit };
}

/** A row of `most_played` holds a difficulty, or its number alone, and its set beside it. */
function readPlayed(row: unknown): UserBeatmapset | undefined {
  const played = playedShape.safeParse(row).data;
  const set = parseBeatmapset(played?.beatmapset);
  const beatmap = parseBeatmap(played?.beatmap);
  if (played === undefined || set === undefined) return undefined;
  const beatmaps = beatmap === undefined ? [] : [beatmap];
  return { set: { ...set, beatmaps }, count: played.count, beatmap_id: beatmap?.id ?? played.beatmap_id };
}

function readOwn(row: unknown): UserBeatmapset | undefined {
  const set = parseBeatmapset(row);
  return set === undefined ? undefined : { set, count: null, beatmap_id: null };
}

/** People write spaces and underscores for each other; a name has one or the other. */
function otherSpelling(name: string): string | undefined {
  const other = name.includes('_') ? name.replaceAll('_', ' ').trim() : name.replaceAll(' ', '_');
  return other === name || other === '' ? undefined : other;
}

export function createOsuApi(options: OsuApiOptions): OsuApi {
  const { http, now = Date.now, timeoutMs = 6_000 } = options;
  const token = createOsuToken({ ...options, timeoutMs, now });
  let closedUntil = 0;

  async function send(request: Partial<HttpRequest>, url: URL, bearer: string): Promise<HttpResponse> {
    return http.request({
      timeoutMs,
      repeatable: true,
      retries: 1,
      maxRedirects: 0,
      ...request,
      url,
      headers: {
        accept: 'application/json',
        'accept-language': 'en',
        authorization: `Bearer ${bearer}`,
        'x-api-version': API_VERSION,
        ...request.headers,
      },
      hosts: [OSU_HOST],
    });
  }

  /** A token may be taken back before its time: it is renewed once. */
  async function ask(path: string, params: OsuParams, signal?: AbortSignal, request: Partial<HttpRequest> = {}) {
    if (now() < closedUntil) {
      throw new AppError('upstream_rate_limited', 'osu! asked to wait', { retryAfterMs: closedUntil - now() });
    }
    const url = addressOf(path, params);
    const whole = signal === undefined ? request : { ...request, signal };
    const bearer = await token.get(signal);
    let response = await send(whole, url, bearer);
    if (response.status === 401) {
      token.refuse(bearer);
      response = await send(whole, url, await token.get(signal));
    }
    if (response.status === 401) {
      throw new AppError('credentials_required', 'osu! takes none of its own tokens for this');
    }
    try {
      return readAnswer(response, { upstream: OSU, now: now() });
    } catch (error) {
      if (error instanceof AppError && error.code === 'upstream_rate_limited') {
        closedUntil = now() + Math.min(error.retryAfterMs ?? 5_000, MAX_CLOSED_MS);
      }
      throw error;
    }
  }

  async function findUser(name: PlayerRef, ruleset: Ruleset | undefined, signal?: AbortSignal): Promise<Player> {
    const key = typeof name === 'number' ? String(name) : `@${name}`;
    const path = `users/${encodeURIComponent(key)}${ruleset === undefined ? '' : `/${ruleset}`}`;
    return expectShape(parsePlayer(await ask(path, {}, signal), ruleset), OSU, 'player');
  }

  return {
    ...createOsuPlaysApi(ask),
    async search({ query, status, sort }, next, signal) {
      const page = PAGE_CURSOR.exec(next ?? '')?.[1];
      const params = {
        q: renderQuery(query, { osuOnly: true }) || undefined,
        m: query.ruleset === undefined ? undefined : rulesetNumber(query.ruleset),
        s: status,
        sort: renderSort(sort),
        g: query.genre,
        l: query.language,
        e: query.video === true ? 'video' : undefined,
        c: query.spotlight === true ? 'spotlights' : undefined,
        // Explicit ones are part of the answer; who shows them decides.
        nsfw: query.nsfw === false ? 'false' : 'true',
        page,
        cursor_string: page === undefined ? next : undefined,
      };
      const answer = await ask('beatmapsets/search', params, signal);
      const found = expectShape(searchShape.safeParse(answer).data, OSU, 'list of sets');
      const sets = expectShape(await parseBeatmapsets(found.beatmapsets), OSU, 'readable set');
      const following = sets.length === 0 ? null : found.cursor_string;
      // Its search cannot leave out, and counts what it was not asked to.
      if (query.excluded === undefined) return { sets, total: found.total, next: following };
      return { sets: sets.filter(set => !isExcluded(query, set)), total: null, next: following };
    },
    async set(id, signal) {
      return expectShape(parseBeatmapset(await ask(`beatmapsets/${id}`, {}, signal)), OSU, 'set');
    },
    async setOfMap(mapId, signal) {
      const answer = await ask('beatmapsets/lookup', { beatmap_id: mapId }, signal);
      return expectShape(parseBeatmapset(answer), OSU, 'set');
    },
    async beatmap(id, signal) {
      const answer = await ask(`beatmaps/${id}`, {}, signal);
      const beatmap = expectShape(parseBeatmap(answer), OSU, 'difficulty');
      const set = expectShape(parseBeatmapset(mapShape.safeParse(answer).data?.beatmapset), OSU, 'set');
      return { beatmap, set: { ...set, beatmaps: [beatmap] } };
    },
    async user(player, ruleset, signal) {
      try {
        return await findUser(player, ruleset, signal);
      } catch (error) {
        const other = typeof player === 'string' ? otherSpelling(player) : undefined;
        const isGone = error instanceof AppError && error.code === 'not_found';
        if (!isGone || other === undefined) throw error;
        return findUser(other, ruleset, signal);
      }
    },
    async userScores(userId, type, { ruleset, limit, offset }, signal) {
      const params = { mode: ruleset, limit, offset, include_fails: type === 'recent' ? 1 : undefined };
      return readSlice(await ask(`users/${userId}/scores/${type}`, params, signal), limit, 'score', parseScore);
    },
    async score(id, ruleset, signal) {
      const path = ruleset === undefined ? `scores/${id}` : `scores/${ruleset}/${id}`;
      return expectShape(parseScore(await ask(path, {}, signal)), OSU, 'score');
    },
    async userBeatmaps(userId, type, { limit, offset }, signal) {
      const answer = await ask(`users/${userId}/beatmapsets/${type}`, { limit, offset }, signal);
      return readSlice(answer, limit, 'set', type === 'most_played' ? readPlayed : readOwn);
    },
    async attributes(mapId, { ruleset, mods = [] }, signal) {
      const answer = await ask(`beatmaps/${mapId}/attributes`, {}, signal, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mods, ...(ruleset === undefined ? {} : { ruleset }) }),
      });
      const given = expectShape(attributesShape.safeParse(answer).data, OSU, 'attributes').attributes;
      const values = Object.fromEntries(
        Object.entries(given).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
      );
      const star_rating = expectShape(values.star_rating, OSU, 'star rating');
      return { star_rating, max_combo: values.max_combo ?? null, values };
    },
  };
}
