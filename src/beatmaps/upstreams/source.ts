/** The sources of sets: the official API, the mirrors, and the catalogue, which answers when all of them fail. */
import type { Beatmapset } from '../model/beatmapset.ts';
import type { Search, SearchPage } from '../query/search.ts';
import { MIRROR_IDS, type MirrorId } from './mirror-sites.ts';

export const SOURCE_IDS = ['osu', ...MIRROR_IDS, 'catalogue'] as const;
export type SourceId = (typeof SOURCE_IDS)[number];
export type UpstreamId = 'osu' | MirrorId;

export interface BeatmapSource {
  readonly id: UpstreamId;
  /** @param next the token from the previous page; see {@link tokenOf} */
  search(search: Search, next: string | undefined, signal?: AbortSignal): Promise<SearchPage>;
  set(id: number, signal?: AbortSignal): Promise<Beatmapset>;
  setOfMap(mapId: number, signal?: AbortSignal): Promise<Beatmapset>;
}

/** The token of a page by its number, from 0; undefined for the first page. */
export function tokenOf({ id }: Pick<BeatmapSource, 'id'>, page: number): string | undefined {
  if (page === 0) return undefined;
  return id === 'osu' ? `page:${page + 1}` : String(page);
}
