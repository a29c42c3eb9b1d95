/** Objects of a page that describe one video -> the video with its files. Pure. */
import { readList, readSize, readText } from '../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import type { UnplacedItem } from '../../post.ts';
import { addressTag, readAddress, type Size } from '../meta/cdn-address.ts';
import { type ListedFile, videoItem } from '../meta/media-files.ts';

/** Where the addresses of a video's files stand, by the years' fashions (latest: 2024-11), best first. */
const HD_KEYS: readonly string[] = [
  'browser_native_hd_url',
  'playable_url_quality_hd',
  'hd_src_no_ratelimit',
  'hd_src',
];
const SD_KEYS: readonly string[] = ['browser_native_sd_url', 'playable_url', 'sd_src_no_ratelimit', 'sd_src'];
const MANIFEST_KEYS: readonly string[] = ['dash_manifest', 'dash_manifest_xml_string', 'playlist'];

/** Properties of which an object that describes a video's files has at least one. */
export const VIDEO_KEYS: readonly string[] = [
  ...HD_KEYS,
  ...SD_KEYS,
  ...MANIFEST_KEYS,
  'videoDeliveryLegacyFields',
  'videoDeliveryResponseFragment',
  'videoDeliveryResponseResult',
];

/** Whether an object describes a video's files, or names itself a video. */
export function isVideo(object: JsonObject): boolean {
  return object.__typename === 'Video' || VIDEO_KEYS.some(key => key in object);
}

interface Addresses {
  readonly hd: readonly (string | null)[];
  readonly sd: readonly (string | null)[];
  readonly manifests: readonly (string | null)[];
}

function addressesOf(one: unknown): Addresses {
  return {
    hd: HD_KEYS.map(key => readAddress(child(one, key))),
    sd: SD_KEYS.map(key => readAddress(child(one, key))),
    manifests: MANIFEST_KEYS.map(key => readText(child(one, key))),
  };
}

function responseAddresses(answer: unknown): Addresses {
  const progressive = readList(child(answer, 'progressive_urls'));
  const ofQuality = (isHd: boolean) =>
    progressive
      .filter(one => (readText(child(one, 'metadata', 'quality'))?.toUpperCase() === 'HD') === isHd)
      .map(one => readAddress(child(one, 'progressive_url')));
  return {
    hd: ofQuality(true),
    sd: ofQuality(false),
    manifests: readList(child(answer, 'dash_manifests')).map(one => readText(child(one, 'manifest_xml'))),
  };
}

function allAddresses(videos: readonly JsonObject[]): Addresses {
  const all = videos.flatMap(one => [
    addressesOf(one),
    ...(isJsonObject(one.videoDeliveryLegacyFields) ? [addressesOf(one.videoDeliveryLegacyFields)] : []),
    responseAddresses(child(one.videoDeliveryResponseFragment, 'videoDeliveryResponseResult')),
    responseAddresses(one.videoDeliveryResponseResult),
  ]);
  return {
    hd: all.flatMap(one => one.hd),
    sd: all.flatMap(one => one.sd),
    manifests: all.flatMap(one => one.manifests),
  };
}

function firstOf<Value>(
  videos: readonly JsonObject[],
  read: (one: JsonObject) => Value | null | undefined,
): Value | null {
  for (const one of videos) {
    const value = read(one);
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

/** Pixels that the address names as its short side, in the video's proportions. */
function taggedSize(url: string, { width, height }: Size): Size | null {
  const { shortSide } = addressTag(url);
  if (shortSide === null || width === null || height === null) return null;
  const scale = shortSide / Math.min(width, height);
  const even = (pixels: number) => Math.max(2, Math.round((pixels * scale) / 2) * 2);
  return scale >= 1 ? { width, height } : { width: even(width), height: even(height) };
}

/**
 * The files in order, the best first, one address each. The page says only the video's size: it is the HD file's where the
 * address names none; that of another file is then unknown.
 */
function listFiles({ hd, sd }: Addresses, full: Size): readonly ListedFile[] {
  const seen = new Set<string>();
  const isNew = (url: string) => {
    // One file, many signatures: hosts and queries differ from blob to blob.
    const path = new URL(url).pathname;
    return !seen.has(path) && seen.add(path) !== undefined;
  };
  const list = (urls: readonly (string | null)[], size: Size): ListedFile[] =>
    urls.flatMap(url => (url !== null && isNew(url) ? [{ url, ...(taggedSize(url, full) ?? size) }] : []));
  const best = list(hd, full);
  return [...best, ...list(sd, { width: null, height: null })];
}

const AUDIO: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['AVAILABLE', true],
  ['UNAVAILABLE', false],
]);

function pair(width: unknown, height: unknown): Size | null {
  const size = { width: readSize(width), height: readSize(height) };
  return size.width === null || size.height === null ? null : size;
}

function sizeOf(videos: readonly JsonObject[]): Size {
  const original = firstOf(videos, one => pair(one.original_width, one.original_height));
  return original ?? firstOf(videos, one => pair(one.width, one.height)) ?? { width: null, height: null };
}

/** More objects than one video is ever spread over. */
const MAX_NODES = 40;

export interface VideoReading {
  /** Null when no file of it can be fetched. */
  readonly item: UnplacedItem | null;
  /** Still on the air: there is no file yet. */
  readonly isLive: boolean;
}

/** Reads all objects that carry one video's id as one video: what the first does not say, a later one may. */
export function readVideo(nodes: readonly JsonObject[]): VideoReading {
  const videos = nodes.slice(0, MAX_NODES);
  const addresses = allAddresses(videos);
  const full = sizeOf(videos);
  const milliseconds = firstOf(videos, one => readSize(one.playable_duration_in_ms));
  const seconds = firstOf(videos, one => readSize(one.length_in_second));
  const item = videoItem({
    files: listFiles(addresses, full),
    covers: [
      firstOf(
        videos,
        one =>
          readAddress(child(one.preferred_thumbnail, 'image', 'uri')) ?? readAddress(child(one.thumbnailImage, 'uri')),
      ),
      firstOf(videos, one => readAddress(one.first_frame_thumbnail)),
      firstOf(videos, one => readAddress(child(one.image, 'uri'))),
    ].map(url => ({ url, width: null, height: null })),
    original: { width: null, height: null },
    dashManifest: addresses.manifests.find(xml => xml?.includes('<MPD')) ?? null,
    durationMs: milliseconds ?? (seconds === null ? null : Math.round(seconds * 1000)),
    hasAudio: firstOf(videos, one => AUDIO.get(one.audio_availability)),
    alt: firstOf(videos, one => readText(one.accessibility_caption)),
  });
  return {
    item: item === null ? null : { ...item, width: full.width ?? item.width, height: full.height ?? item.height },
    isLive: videos.some(one => one.is_live_streaming === true),
  };
}
