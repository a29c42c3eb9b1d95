/** The photos and videos of a post -> its items. */
import {
  child,
  isJsonObject,
  type JsonObject,
  mediaAddress,
  readList,
  readSize,
  readText,
} from '../../../parse/json-fields.ts';
import type { UnplacedItem, Variant } from '../../../post.ts';
import { listedFile, listedItem } from '../../kit/media-files.ts';

export const BLUESKY_MEDIA_HOSTS: readonly string[] = ['cdn.bsky.app', 'video.bsky.app', 'host.bsky.network'];

/** A photo or video as a post lists it, of the person who posted it. */
export interface Listed {
  readonly did: string;
  readonly view: JsonObject;
  readonly cid: string | null;
}

/** Smaller numbers are a ratio. */
const MIN_PIXELS = 64;

export function frameOf(view: JsonObject) {
  const [width = null, height = null] = ['width', 'height'].map(side => readSize(child(view, 'aspectRatio', side)));
  const isFrame = width !== null && height !== null && Math.min(width, height) >= MIN_PIXELS;
  return isFrame ? { width, height } : { width: null, height: null };
}

/** An address of the CDN, unless it names another person: everyone's files are kept apart by their ids. */
function addressOf(url: unknown, did: string): string | null {
  const address = mediaAddress(url, BLUESKY_MEDIA_HOSTS);
  const owner = /did(?::|%3a)\w+(?::|%3a)[a-z0-9.-]+/i.exec(address ?? '')?.[0].replace(/%3a/gi, ':');
  return owner === undefined || owner === did ? address : null;
}

/** The CDN has two sizes of a photo, each at most so many pixels wide or high. */
function photoFile(url: string | null, view: JsonObject, most: number): readonly Variant[] {
  if (url === null) return [];
  const { width, height } = frameOf(view);
  const scale = width === null || height === null ? 1 : Math.min(1, most / Math.max(width, height));
  const size = { width: width && Math.round(width * scale), height: height && Math.round(height * scale) };
  const mime = `image/${/@(png|webp)$/.exec(url)?.[1] ?? 'jpeg'}`;
  return [listedFile(url, { mime, hasVideo: false, ...size })];
}

export function photoOf({ view, did, cid }: Listed): UnplacedItem | null {
  const kept = (size: string) => (cid === null ? null : `https://cdn.bsky.app/img/${size}/plain/${did}/${cid}@jpeg`);
  const small = addressOf(view.thumb ?? view.thumbnail ?? kept('feed_thumbnail'), did);
  const large = addressOf(view.fullsize ?? kept('feed_fullsize'), did);
  const files = [...photoFile(large, view, 2_000), ...photoFile(small, view, 1_000)];
  return listedItem('image', files, { ...frameOf(view), thumbnailUrl: small ?? large, alt: readText(view.alt) });
}

/** The playlist of a video, on the CDN. */
export function playlistOf({ view, did, cid }: Listed): string | null {
  const kept =
    cid === null ? undefined : `https://video.bsky.app/watch/${encodeURIComponent(did)}/${cid}/playlist.m3u8`;
  return addressOf(view.playlist ?? kept, did);
}

/** @param files all that is known of it, its original first */
export function videoOf({ view, did }: Listed, files: readonly Variant[]): UnplacedItem | null {
  const { width, height } = frameOf(view);
  const [best] = files;
  if (best === undefined) return null;
  return {
    kind: 'video',
    width: width ?? best.width,
    height: height ?? best.height,
    durationMs: null,
    thumbnailUrl: addressOf(view.thumbnail, did),
    alt: readText(view.alt),
    variants: files,
  };
}

const cidOf = (blob: unknown) => /^[a-z2-7]{20,100}$/.exec(readText(child(blob, 'ref', '$link')) ?? '')?.[0] ?? null;

export interface ListedMedia {
  readonly photos: readonly Listed[];
  readonly video: (Listed & { readonly mime: string | null; readonly bytes: number | null }) | null;
}

/** The media of what is shown, completed by the record of the post; by the record alone where nothing is shown. */
export function mediaOf(views: readonly JsonObject[], record: unknown, did: string): ListedMedia {
  const parts = [record, child(record, 'media')].filter(isJsonObject);
  const lists = [views, parts].map(embeds => embeds.flatMap(one => [...readList(one.images), ...readList(one.items)]));
  const [shown = [], written = []] = lists;
  const photos = (shown.length > 0 ? shown : written).map((one, index) => {
    return { did, view: isJsonObject(one) ? one : {}, cid: cidOf(child(written[index], 'image')) };
  });
  const blob = parts.map(one => one.video).find(isJsonObject);
  const played = views.find(({ playlist }) => playlist !== undefined) ?? parts.find(one => isJsonObject(one.video));
  if (played === undefined) return { photos, video: null };
  const cid = cidOf(blob) ?? readText(played.cid);
  return { photos, video: { did, view: played, cid, mime: readText(blob?.mimeType), bytes: readSize(blob?.size) } };
}
