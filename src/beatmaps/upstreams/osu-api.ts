/** The official API v2 (osu-web 2026-08), used as an application without a user. */

import * as z from 'zod';
import { type Ruleset, rulesetNumber } from '../model/beatmapset.ts';
import { number, text } from '../model/osu-fields.ts';
import { parseBeatmapset, parseBeatmapsets } from '../model/osu-schemas.ts';
import type { ScoreMod } from '../model/score.ts';
import { renderQuery } from '../query/query.ts';
import { isExcluded } from '../query/query-match.ts';
import { renderSort } from '../query/query-words.ts';
import { createOsuCall, type OsuCall, type OsuCallOptions } from './osu-call.ts';
import { createOsuPlayersApi } from './osu-players-api.ts';
import type { BeatmapSource } from './source.ts';
import { expectShape, OSU } from './upstream-answer.ts';

export type OsuApi = ReturnType<typeof createOsuApi>;

/** Hosts of covers, avatars and previews, which need no login (2026-08). */
export const OSU_ASSET_HOSTS = ['assets.ppy.sh', 'a.ppy.sh', 'b.ppy.sh'] as const;

const PAGE_CURSOR = /^page:(\d{1,3})$/;

const searchShape = z.looseObject({ beatmapsets: z.array(z.unknown()), total: number, cursor_string: text });
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

function createOsuSetsApi(ask: OsuCall): Omit<BeatmapSource, 'id'> {
  return {
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
        // Explicit sets are part of the answer unless the query excludes them; the caller decides how to show them.
        nsfw: query.nsfw === false ? 'false' : 'true',
        page,
        cursor_string: page === undefined ? next : undefined,
      };
      const answer = await ask('beatmapsets/search', params, signal);
      const found = expectShape(searchShape.safeParse(answer).data, OSU, 'list of sets');
      const sets = expectShape(await parseBeatmapsets(found.beatmapsets), OSU, 'readable set');
      const following = sets.length === 0 ? null : found.cursor_string;
      // osu!'s search cannot exclude sets, so they are removed here. osu!'s total still counts them, so it is left out.
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
  };
}
