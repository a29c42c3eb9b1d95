/** The sources of sets: the official API, the mirrors, and in their place the catalogue. */
import type { Beatmapset } from '../model/beatmapset.ts';
import type { Search, SearchPage } from '../query/search.ts';
import type { Mirror } from './mirror.ts';
import { MIRROR_IDS, type MirrorId } from './mirror-sites.ts';
import type { OsuApi } from './osu-api.ts';

export const SOURCE_IDS = ['osu', ...MIRROR_IDS, 'catalogue'] as const;
export type SourceId = (typeof SOURCE_IDS)[number];
export type UpstreamId = 'osu' | MirrorId;

export interface BeatmapSource {
  readonly id: UpstreamId;
  search(search: Search, next: string | undefined, signal?: AbortSignal): Promise<SearchPage>;
  /** `next` of a page by its number, from 0. */
  tokenOf(page: number): string | undefined;
  set(id: number, signal?: AbortSignal): Promise<Beatmapset>;
  setOfMap(mapId: number, signal?: AbortSignal): Promise<Beatmapset>;
}

export function officialSource(osu: OsuApi): BeatmapSource {
  return {
    id: 'osu',
    search: osu.search,
    tokenOf: page => (page === 0 ? undefined : `page:${page + 1}`),
    set: osu.set,
    setOfMap: osu.setOfMap,
  };
}

export function mirrorSource(mirror: Mirror): BeatmapSource {
  return {
    id: mirror.id,
    search: mirror.search,
    tokenOf: page => (page === 0 ? undefined : String(page)),
    set: mirror.set,
    setOfMap: mirror.setOfMap,
  };
}
