import type { Beatmapset } from '../model/beatmapset.ts';
import { setPage } from '../model/link.ts';
import type { Mirror } from './mirror.ts';

export interface DownloadAddress {
  /** A mirror's id, or `osu` for the page where a login is needed. */
  readonly source: Mirror['id'] | 'osu';
  /** Whether the file holds the set's video. */
  readonly video: boolean;
  readonly url: string;
}

/** Best first: of each mirror with the video, then without; osu!'s page last, and alone when downloads are disabled. */
export function downloadAddresses(set: Beatmapset, mirrors: readonly Mirror[]): readonly DownloadAddress[] {
  const page: DownloadAddress = { source: 'osu', video: set.video, url: setPage(set.id) };
  if (set.download_disabled) return [page];
  const offers = set.video ? [true, false] : [false];
  const files = mirrors.flatMap(mirror =>
    offers.map(video => ({ source: mirror.id, video, url: mirror.downloadUrl(set.id, video || !set.video) })),
  );
  return [...files, page];
}
