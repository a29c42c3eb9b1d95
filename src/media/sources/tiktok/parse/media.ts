/** Reads a video, a photo or a sound as TikTok lists it into the items of a post. Pure. */
import {
  child,
  firstOf,
  type JsonObject,
  mediaAddress,
  readList,
  readSize,
  readText,
} from '../../../parse/json-fields.ts';
import type { UnplacedItem, Variant } from '../../../post.ts';
import { listedFile, listedItem } from '../../kit/media-files.ts';

/** Suffixes of the media hosts; the site's own host serves files too. */
export const TIKTOK_MEDIA_HOSTS: readonly string[] = [
  ...['tiktok.com', 'tiktokcdn.com', 'tiktokcdn-us.com', 'tiktokcdn-eu.com', 'tiktokv.com', 'tiktokv.us', 'tiktokv.eu'],
  ...['byteoversea.com', 'ibyteimg.com', 'ibytedtos.com', 'muscdn.com'],
];

export function readAddress(value: unknown): string | null {
  return mediaAddress(value, TIKTOK_MEDIA_HOSTS);
}

/** True for a file on the site's own host, or of an encoding of 2026: it often fails or has no audio. */
function isDoubtful(url: string): boolean {
  return url.startsWith('https://www.tiktok.com/') || url.includes('/media-video-hvc1/');
}

/** The addresses of one file: from an address, a list of them, or an object that contains one. The best is first. */
function addressesOf(value: unknown): readonly string[] {
  const listed = ['UrlList', 'urlList', 'url_list'].flatMap(key => readList(child(value, key)));
  const urls = [value, ...readList(value), ...listed].flatMap(url => readAddress(url) ?? []);
  return urls.toSorted((a, b) => Number(isDoubtful(a)) - Number(isDoubtful(b)));
}

/**
 * When the signature of an address expires, unix milliseconds: from `expire=` or `x-expires=`, or from hex digits behind a hash in the
 * path.
 */
function addressExpiry(url: string): number | null {
  const seconds = /[?&](?:expire|x-expires)=(\d{9,11})(?:&|$)/.exec(url)?.[1];
  const hex = /^https:\/\/[^/]{1,200}\/[0-9a-f]{32}\/([0-9a-f]{8})\//.exec(url)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  return hex === undefined ? null : Number.parseInt(hex, 16) * 1000;
}

function milliseconds(seconds: unknown): number | null {
  const size = readSize(seconds);
  return size === null ? null : Math.round(size * 1000);
}

interface Rendition {
  readonly places: unknown;
  /** Values that may name the codec. */
  readonly codec: readonly unknown[];
  readonly facts: Pick<Variant, 'width' | 'height' | 'bitrate' | 'bytes'>;
}

function fileOf({ places, codec, facts }: Rendition): Variant | null {
  const [url] = addressesOf(places);
  const named = codec.flatMap(one => readText(one) ?? []).join(' ');
  // No player supports ByteDance's own codec of 2023.
  if (url === undefined || /bytevc2|h266|vvc/i.test(named)) return null;
  const isHevc = /bytevc1|h265|hevc|hvc1|hev1/i.test(`${named} ${url.split('?', 1)[0]}`);
  const codecs = isHevc ? 'hvc1' : /h264|avc/i.test(named) ? 'avc1' : null;
  return listedFile(url, { mime: 'video/mp4', hasVideo: true, ...facts, codecs, expiresAt: addressExpiry(url) });
}

function renditionsOf(video: JsonObject): readonly Rendition[] {
  const listed = readList(video.bitrateInfo).map(info => {
    const places = child(info, 'PlayAddr') ?? child(info, 'playAddr');
    const size = (key: string) => readSize(child(places, key));
    const bitrate = readSize(child(info, 'Bitrate'));
    const facts = { width: size('Width'), height: size('Height'), bitrate, bytes: size('DataSize') };
    return { places, codec: [child(info, 'CodecType'), child(places, 'UrlKey')], facts };
  });
  const { width, height, bitrate, size } = video;
  const whole = { width: readSize(width), height: readSize(height) };
  const facts = { ...whole, bitrate: readSize(bitrate), bytes: readSize(size) };
  return [...listed, { places: video.playAddr, codec: [video.codecType], facts }];
}

/** The files without the site's watermark; those that every chat plays come before those that few do. */
function filesOf(video: JsonObject): readonly Variant[] {
  const files: Variant[] = [];
  // The same file is on several hosts.
  const nameOf = (url: string) => (isDoubtful(url) ? url : new URL(url).pathname);
  for (const rendition of renditionsOf(video)) {
    const file = fileOf(rendition);
    if (file !== null && files.every(({ url }) => nameOf(url) !== nameOf(file.url))) files.push(file);
  }
  const good = files.filter(({ url }) => !isDoubtful(url));
  return good.some(({ codecs }) => codecs !== 'hvc1') ? good : files;
}

/** Null when none of its files can be fetched. A file with the site's watermark is used only if there is no other. */
export function videoItem(video: JsonObject): UnplacedItem | null {
  const whole = { width: readSize(video.width), height: readSize(video.height) };
  const marked = fileOf({ places: video.downloadAddr, codec: [], facts: { ...whole, bitrate: null, bytes: null } });
  const unmarked = filesOf(video);
  const item = listedItem('video', unmarked.length > 0 || marked === null ? unmarked : [marked], {
    durationMs: milliseconds(video.duration),
    thumbnailUrl: firstOf([video.originCover, video.cover], readAddress),
  });
  if (item === null) return null;
  const isHevc = ({ codecs }: Variant) => codecs === 'hvc1';
  const variants = item.variants.toSorted((a, b) => Number(isHevc(a)) - Number(isHevc(b)));
  return { ...item, ...(whole.width !== null && whole), variants };
}

/** Null when the image cannot be fetched. */
export function imageItem(image: JsonObject): UnplacedItem | null {
  const [url] = addressesOf(image.imageURL ?? image);
  if (url === undefined) return null;
  const type = /\.(webp|png|heic|avif)(?:\?|$)/.exec(url)?.[1] ?? 'jpeg';
  const [width, height] = [readSize(image.imageWidth), readSize(image.imageHeight)];
  const known = { mime: `image/${type}`, hasVideo: false, width, height, expiresAt: addressExpiry(url) };
  return listedItem('image', [listedFile(url, known)], { thumbnailUrl: url });
}

/** Null for a sound that is not available. */
export function soundItem({ playUrl, duration }: JsonObject): UnplacedItem | null {
  const [url] = addressesOf(playUrl);
  if (url === undefined) return null;
  const mime = /mime_type=audio_mp4|\.(?:m4a|mp4)(?:\?|$)/.test(url) ? 'audio/mp4' : 'audio/mpeg';
  const known = { mime, hasVideo: false, hasAudio: true, expiresAt: addressExpiry(url) };
  return listedItem('audio', [listedFile(url, known)], { durationMs: milliseconds(duration) });
}
