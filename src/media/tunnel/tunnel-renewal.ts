import type { CdnAddress } from '../files/cdn.ts';
import { audioTracks, isOneFile, wholeVideos } from '../files/variant-ranking.ts';
import { type MediaItem, type Post, playableVariants, type Variant } from '../post.ts';
import type { TrackPair, TunnelFile } from './tunnel-token.ts';

type ExpiredItem = Pick<TunnelFile, 'width' | 'height'> & { readonly index: number };
export type ExpiredFile = ExpiredItem & Pick<TunnelFile, 'url' | 'mime'>;

type TrackAddress = CdnAddress & Pick<Variant, 'mime'>;
type SizedAddress = CdnAddress & Pick<Variant, 'width' | 'height'>;

/** Addresses of two tracks of one video, or of a single file with both, with the headers that their host requires. */
export interface TrackAddresses {
  readonly video: TrackAddress;
  readonly audio?: TrackAddress;
}

export type ExpiredTracks = ExpiredItem & { readonly tracks: TrackPair };

/**
 * Finds an expired file in a newer version of its post: the file with the same path on the CDN, else the one of the
 * same kind whose size is nearest. Undefined when the post no longer has such an item.
 */
export function renewedAddress(post: Pick<Post, 'items'>, file: ExpiredFile): CdnAddress | undefined {
  const item = itemOf(post, file.index, file.url);
  return item && (sameFile(addressesOf(item), file.url, file) ?? nearestFile(item, file));
}

/** Finds a video's two tracks in a newer version of its post; undefined if it has them no longer. */
export function renewedTracks(post: Pick<Post, 'items'>, file: ExpiredTracks): TrackAddresses | undefined {
  const item = itemOf(post, file.index, file.tracks.video);
  if (item === undefined) return undefined;
  const isAlone = file.tracks.audio === undefined;
  const made = wholeVideos(item).filter(whole => !isOneFile(whole) && (whole.audio === undefined) === isAlone);
  const videos = made.map(({ variant }) => variant);
  const video = sameFile(videos, file.tracks.video, file) ?? nearest(videos, file);
  if (isAlone) return video && { video };
  const audios = audioTracks(item);
  const audio = audios.find(({ url }) => isSameFile(file.tracks.audio ?? '', url)) ?? audios[0];
  return video && audio && { video, audio };
}

/** The item that contains this file, else the item at `index`, which may be another if more items can be read now. */
function itemOf({ items }: Pick<Post, 'items'>, index: number, url: string): MediaItem | undefined {
  return items.find(item => addressesOf(item).some(address => isSameFile(url, address.url))) ?? items[index];
}

function addressesOf({ variants, thumbnailUrl }: MediaItem): readonly SizedAddress[] {
  return [...variants, ...(thumbnailUrl === null ? [] : [{ url: thumbnailUrl, width: null, height: null }])];
}

/**
 * The address with the path of `url`. On some hosts all files of a post have one path; then the nearest size decides.
 */
function sameFile<T extends SizedAddress>(addresses: readonly T[], url: string, file: ExpiredItem): T | undefined {
  return nearest(
    addresses.filter(other => isSameFile(url, other.url)),
    file,
  );
}

function isSameFile(url: string, other: string): boolean {
  const path = pathOf(url);
  return path !== undefined && pathOf(other) === path;
}

function nearestFile(item: MediaItem, file: ExpiredFile): CdnAddress | undefined {
  const family = file.mime.split('/', 1)[0];
  if (family === 'image' && item.kind !== 'image') {
    return item.thumbnailUrl === null ? undefined : { url: item.thumbnailUrl };
  }
  const candidates = family === 'audio' ? item.variants.filter(variant => !variant.hasVideo) : playableVariants(item);
  const alike = candidates.filter(variant => variant.mime === file.mime);
  return nearest(alike.length > 0 ? alike : candidates, file);
}

/** The variant of the nearest size. If sizes are unknown it is the first, which the source ranks best. */
function nearest<T extends SizedAddress>(variants: readonly T[], file: ExpiredItem): T | undefined {
  return variants.toSorted((a, b) => distance(a, file) - distance(b, file))[0];
}

function distance(variant: SizedAddress, { width, height }: ExpiredItem): number {
  const between = (own: number | null, wanted: number | null = null) =>
    wanted === null ? 0 : Math.abs((own ?? 0) - wanted);
  return between(variant.width, width) + between(variant.height, height);
}

function pathOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).pathname : undefined;
}
