/** The official API v2 (osu-web 2026-08), used as an application without a user. */

import * as z from 'zod';
import { LEADERBOARD, type Ruleset, rulesetNumber } from '../model/beatmapset.ts';
import { number, part, text } from '../model/osu-fields.ts';
import { parseBeatmapset, parseBeatmapsets } from '../model/osu-schemas.ts';
import type { ScoreMod } from '../model/score.ts';
import { parseQuery, type Query, renderQuery } from '../query/query.ts';
import { matches } from '../query/query-match.ts';
import { renderSort, statusesOf } from '../query/query-words.ts';
import type { Search } from '../query/search.ts';
import { createOsuCall, type OsuCall, type OsuCallOptions } from './osu-call.ts';
import { createOsuPlayersApi } from './osu-players-api.ts';
import type { BeatmapSource } from './source.ts';
import { expectShape, OSU } from './upstream-answer.ts';

export type OsuApi = ReturnType<typeof createOsuApi>;

/** Hosts of covers, avatars and previews, which need no login (2026-08). */
export const OSU_ASSET_HOSTS = ['assets.ppy.sh', 'a.ppy.sh', 'b.ppy.sh'] as const;

const PAGE_CURSOR = /^page:(\d{1,3})$/;

const searchShape = z.looseObject({
  beatmapsets: z.array(z.unknown()),
  total: number,
  cursor_string: text,
  cursor: part(z.looseObject({})),
});
const attributesShape = z.object({
  attributes: z.object({ star_rating: z.number(), max_combo: z.number().nullable().catch(null) }),
});

/**
 * @throws AppError from every method: `not_found` (also for a restricted player), `credentials_required`, `forbidden`,
 * `upstream_rate_limited` with `retryAfterMs`, `upstream_changed`, `upstream_unavailable`, `timeout`
 */
export function createOsuApi(options: OsuCallOptions) {
  const ask = createOsuCall(options);
  return {
    ...createOsuSetsApi(ask),
    ...createOsuPlayersApi(ask),
    async attributes(
      mapId: number,
      { ruleset, mods = [] }: { readonly ruleset?: Ruleset; readonly mods?: readonly (string | ScoreMod)[] },
      signal?: AbortSignal,
    ) {
      const answer = await ask(`beatmaps/${mapId}/attributes`, {}, signal, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ mods, ruleset }),
      });
      return expectShape(attributesShape.safeParse(answer).data, OSU, 'attributes').attributes;
    },
  };
}

/** The token of the next page. Older answers state only the token's content, from which the token is made. */
function cursorOf({ cursor_string, cursor }: z.output<typeof searchShape>): string | null {
  return cursor_string ?? (cursor && Buffer.from(JSON.stringify(cursor)).toString('base64url'));
}

/**
 * Replaces a query's years by dates of ranking, because osu!'s search has no `year`. Sets that were never ranked have
 * no such date, so this is done only for searches in which every set has a leaderboard.
 */
function datesOf({ query, status }: Search): Query['ranges'] {
  const { year, ranked } = query.ranges;
  const areRanked = statusesOf(status).every(each => LEADERBOARD.includes(each));
  if (year === undefined || ranked !== undefined || !areRanked) return {};
  const within = (at: number) => Math.min(2_999, Math.max(1_900, at));
  return parseQuery(`ranked>=${within(year.gte ?? 0)} ranked<${within(year.lt ?? 9_999)}`).ranges;
}

/** The conditions of a query that osu!'s search cannot take as text or parameter; its answers are checked for them. */
function beyondOsu({ ranges: { year }, video, nsfw, spotlight, excluded }: Query): Query {
  return {
    ...parseQuery(''),
    ranges: year === undefined ? {} : { year },
    ...(video === false && { video }),
    ...(nsfw === true && { nsfw }),
    ...(spotlight === false && { spotlight }),
    ...(excluded !== undefined && { excluded }),
  };
}

function createOsuSetsApi(ask: OsuCall): Omit<BeatmapSource, 'id'> {
  return {
    async search(search, next, signal) {
      const { query, status, sort } = search;
      const page = PAGE_CURSOR.exec(next ?? '')?.[1];
      const dates = datesOf(search);
      const params = {
        q: renderQuery({ ...query, ranges: { ...query.ranges, ...dates } }, { osuOnly: true }) || undefined,
        m: query.ruleset === undefined ? undefined : rulesetNumber(query.ruleset),
        s: status,
        sort: renderSort(sort),
        g: query.genre,
        l: query.language,
        e: query.video === true ? 'video' : undefined,
        c: query.spotlight === true ? 'spotlights' : undefined,
        // Explicit sets are part of the answer unless the query excludes them; the caller decides how to show them.
        nsfw: query.nsfw === false ? 'false' : 'true',
        page,
        cursor_string: page === undefined ? next : undefined,
      };
      const answer = await ask('beatmapsets/search', params, signal);
      const found = expectShape(searchShape.safeParse(answer).data, OSU, 'list of sets');
      const sets = expectShape(await parseBeatmapsets(found.beatmapsets), OSU, 'readable set');
      const following = sets.length === 0 ? null : cursorOf(found);
      const left = beyondOsu(query);
      const kept = sets.filter(set => matches(left, set));
      // osu!'s total still counts sets that are removed here, so it is left out unless osu! was told the whole query.
      const isTold = renderQuery(dates.ranked === undefined ? left : { ...left, ranges: {} }) === '';
      const isTotal = sets.length === 0 || (isTold && kept.length === sets.length);
      return { sets: kept, total: isTotal ? found.total : null, next: following };
    },
    async set(id, signal) {
      return expectShape(parseBeatmapset(await ask(`beatmapsets/${id}`, {}, signal)), OSU, 'set');
    },
    async setOfMap(mapId, signal) {
      const answer = await ask('beatmapsets/lookup', { beatmap_id: mapId }, signal);
      return expectShape(parseBeatmapset(answer), OSU, 'set');
    },
  };
}
