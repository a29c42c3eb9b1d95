/** Reads the photos, videos and silent loops that an answer lists for a post into its items. */
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

export const X_MEDIA_HOSTS: readonly string[] = ['pbs.twimg.com', 'video.twimg.com'];

/** The address of a photo in one of its sizes, which the query names. */
function sized(url: string, name: string): string {
  const address = new URL(url);
  address.searchParams.set('name', name);
  return address.href;
}

function photoOf(media: JsonObject): UnplacedItem | null {
  // Old addresses end in a size such as `:large`.
  const url = mediaAddress(readText(media.media_url_https ?? media.url)?.replace(/:\w{1,10}$/, ''), X_MEDIA_HOSTS);
  if (url === null) return null;
  const type = /[?&]format=(\w{3,4})/.exec(url)?.[1] ?? /\.(\w{3,4})(?:\?|$)/.exec(url)?.[1] ?? 'jpg';
  const fileOf = (name: string, width: number | null, height: number | null) =>
    listedFile(sized(url, name), { mime: `image/${type.replace('jpg', 'jpeg')}`, hasVideo: false, width, height });
  const info = isJsonObject(media.original_info) ? media.original_info : media;
  const width = readSize(info.width);
  const smaller = ['large', 'medium'].flatMap(name => {
    const [w, h] = [readSize(child(media, 'sizes', name, 'w')), readSize(child(media, 'sizes', name, 'h'))];
    return w !== null && width !== null && w < width ? [fileOf(name, w, h)] : [];
  });
  const alt = readText(media.ext_alt_text);
  return listedItem('image', [fileOf('orig', width, readSize(info.height)), ...smaller], {
    thumbnailUrl: sized(url, 'small'),
    alt,
  });
}

/** The address of a video file names its pixels and codec. */
function videoFile(variant: JsonObject, isSilent: boolean): readonly Variant[] {
  const url = mediaAddress(variant.url ?? variant.src, X_MEDIA_HOSTS);
  const type = variant.content_type ?? variant.type;
  if (url === null || (type !== 'video/mp4' && !/\.mp4(?:\?|$)/.test(url))) return [];
  const [, width, height] = /\/(\d{2,5})x(\d{2,5})\//.exec(url) ?? [];
  const codecs = /\/(hevc|hvc1|av1|vp9)\//.exec(url)?.[1] ?? null;
  const facts = { width: readSize(width), height: readSize(height), bitrate: readSize(variant.bitrate), codecs };
  return [listedFile(url, { mime: 'video/mp4', hasVideo: true, hasAudio: isSilent ? false : null, ...facts })];
}

function videoOf(media: JsonObject): UnplacedItem | null {
  const isSilent = media.type === 'animated_gif';
  const info = isJsonObject(media.video_info) ? media.video_info : media;
  const variants = readList(info.variants).filter(isJsonObject);
  const files = variants.flatMap(variant => videoFile(variant, isSilent));
  const [width, height] = ['width', 'height'].map(side => readSize(child(media, 'original_info', side)));
  const size = width && height ? { width, height } : {};
  // A loop has a single file, whose address does not name its pixels.
  return listedItem('video', isSilent ? files.map(file => ({ ...file, ...size })) : files, {
    ...size,
    durationMs: readSize(info.duration_millis ?? info.durationMs),
    thumbnailUrl: mediaAddress(media.media_url_https ?? media.poster, X_MEDIA_HOSTS),
    alt: readText(media.ext_alt_text),
  });
}

/** Reads one media of an answer; null for one that exists but cannot be read. */
export function itemOf(media: JsonObject): UnplacedItem | null {
  const { status = 'Available' } = isJsonObject(media.ext_media_availability) ? media.ext_media_availability : {};
  if (status !== 'Available') return null;
  const isVideo = isJsonObject(media.video_info) || Array.isArray(media.variants);
  if (isVideo || media.type === 'video' || media.type === 'animated_gif') return videoOf(media);
  return media.type === undefined || media.type === 'photo' ? photoOf(media) : null;
}
