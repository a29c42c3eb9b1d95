/** Mirrors that need no credentials and answer in the API v2's shapes (as reported from 2026-07 to 2026-09). */

import * as z from 'zod';
import type { ThrottleRule } from '../../infra/http/host-throttle.ts';
import { rulesetNumber, statusNumber } from '../model/beatmapset.ts';
import { number } from '../model/osu-fields.ts';
import { type Query, renderQuery } from '../query/query.ts';
import { renderSort, type SortField, type StatusFilter, statusesOf } from '../query/query-words.ts';
import { PAGE_SIZE, type Search } from '../query/search.ts';
import { type UrlParams, urlWith } from './upstream-answer.ts';

export const MIRROR_IDS = ['osu.direct', 'hinai', 'catboy'] as const;
export type MirrorId = (typeof MIRROR_IDS)[number];

/** How to ask one mirror, and how to read what it answers. */
export interface MirrorSite {
  readonly id: MirrorId;
  readonly host: string;
  readonly throttle: ThrottleRule;
  /** @param page from 0, of {@link PAGE_SIZE} sets */
  searchUrl(search: Search, page: number, withSort: boolean): URL;
  setUrl(id: number): URL;
  /** An address whose answer names the set of a difficulty. */
  mapUrl(id: number): URL;
  downloadUrl(setId: number, withVideo: boolean): string;
  /** The address of a difficulty's `.osu` file; absent if the mirror does not serve them. */
  readonly osuFileUrl?: (mapId: number) => URL;
}

function modeParam({ ruleset }: Query): number | undefined {
  return ruleset === undefined ? undefined : rulesetNumber(ruleset);
}

/** The fields by which mirrors of the Mino family can sort; any other field makes them answer with an error. */
const MINO_SORTS: Readonly<Partial<Record<SortField, string>>> = {
  artist: 'artist',
  title: 'title',
  difficulty: 'beatmaps.difficulty_rating',
  favourites: 'favourite_count',
  plays: 'play_count',
  ranked: 'ranked_date',
  updated: 'last_updated',
};

/** The numbers of the statuses to request; empty for `leaderboard`, the mirrors' default. */
function statusParams(status: StatusFilter): readonly number[] {
  return status === 'leaderboard' ? [] : statusesOf(status).map(statusNumber);
}

interface MinoSite extends Pick<MirrorSite, 'id' | 'host' | 'throttle' | 'downloadUrl' | 'osuFileUrl'> {
  /** The name of the parameter for the number of sets. */
  readonly limitName: string;
  readonly statuses: (status: StatusFilter) => readonly number[];
}

function minoSite({ limitName, statuses, ...own }: MinoSite): MirrorSite {
  const base = `https://${own.host}/api/v2`;
  return {
    ...own,
    searchUrl({ query, status, sort }, page, withSort) {
      const q = renderQuery(query, { osuOnly: true }) || undefined;
      const attribute = withSort ? MINO_SORTS[sort.field] : undefined;
      return urlWith(`${base}/search`, {
        // The query is sent under both names: mirrors have changed which one they read, and they ignore the other.
        q,
        query: q,
        mode: modeParam(query),
        sort: attribute && `${attribute}:${sort.order}`,
        [limitName]: PAGE_SIZE,
        offset: page * PAGE_SIZE,
        status: statuses(status),
      });
    },
    setUrl: id => urlWith(`${base}/s/${id}`),
    mapUrl: id => urlWith(`${base}/b/${id}`),
  };
}

const OSU_DIRECT = minoSite({
  id: 'osu.direct',
  host: 'osu.direct',
  throttle: { perSecond: 0.8, burst: 12, atOnce: 6 },
  limitName: 'amount',
  // This mirror answers a request for several statuses with a 403, so only the first one is requested.
  statuses: status => (status === 'any' ? [] : statusParams(status).slice(0, 1)),
  downloadUrl: (id, withVideo) => `https://osu.direct/api/d/${id}${withVideo ? '' : '?noVideo=1'}`,
  osuFileUrl: id => urlWith(`https://osu.direct/api/osu/${id}`),
});

const CATBOY = minoSite({
  id: 'catboy',
  host: 'catboy.best',
  throttle: { perSecond: 2, burst: 10, atOnce: 4 },
  limitName: 'limit',
  statuses: statusParams,
  downloadUrl: (id, withVideo) => `https://catboy.best/d/${id}${withVideo ? '' : 'n'}`,
  osuFileUrl: id => urlWith(`https://catboy.best/osu/${id}`),
});

const pageShape = z.looseObject({ beatmapsets: z.unknown(), total_count: number, total: number });

/**
 * The sets in a mirror's answer, which is a list or an object that contains one; mirrors have switched between these
 * forms.
 */
export function readMirrorPage(answer: unknown): { readonly rows: unknown; readonly total: number | null } {
  const page = pageShape.safeParse(answer).data;
  return { rows: page?.beatmapsets ?? answer, total: page?.total_count ?? page?.total ?? null };
}

function hinaiBounds({ ranges, texts }: Query): UrlParams {
  return {
    min_stars: ranges.stars?.gte,
    max_stars: ranges.stars?.lt,
    min_bpm: ranges.bpm?.gte,
    max_bpm: ranges.bpm?.lt,
    min_length: ranges.length?.gte,
    max_length: ranges.length?.lt,
    creator: texts.creator?.text,
  };
}

const HINAI: MirrorSite = {
  id: 'hinai',
  host: 'mirror.hinamizawa.ai',
  throttle: { perSecond: 4, burst: 12, atOnce: 6 },
  searchUrl(search, page, withSort) {
    const { query, status, sort } = search;
    const words = [query.text, query.texts.artist?.text, query.texts.title?.text].filter(Boolean).join(' ');
    const text = words || undefined;
    return urlWith('https://mirror.hinamizawa.ai/v3/osu/beatmaps/search/v2', {
      q: text,
      query: text,
      mode: modeParam(query),
      status: status === 'any' || status === 'leaderboard' ? undefined : status,
      ...hinaiBounds(query),
      explicit: query.nsfw === false ? undefined : 'show',
      sort: withSort && sort.field !== 'relevance' ? renderSort(sort) : undefined,
      limit: PAGE_SIZE,
      page,
    });
  },
  setUrl: id => urlWith(`https://mirror.hinamizawa.ai/v3/osu/beatmaps/s/${id}`),
  mapUrl: id => urlWith('https://mirror.hinamizawa.ai/api/v2/beatmaps', { ids: id }),
  downloadUrl: (id, withVideo) => `https://mirror.hinamizawa.ai/api/v1/hinai/d/${id}${withVideo ? '' : '?noVideo=1'}`,
};

/** The mirrors in the order in which they are asked at first. */
export const MIRROR_SITES: readonly MirrorSite[] = [OSU_DIRECT, HINAI, CATBOY];
