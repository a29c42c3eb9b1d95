/** Objects of a page that describe one video -> the video with its files. Pure. */
import { z } from 'zod';
import { address, flag, listOf, objectOf, size, text } from '../../parse/fields.ts';
import type { JsonObject } from '../../parse/json-search.ts';
import { addressTag } from '../../parse/media-address.ts';
import { type ListedFile, type Size, videoItem } from '../../parse/media-files.ts';
import type { UnplacedItem } from '../../post.ts';

/** Where the addresses of a video's files stand, by the years' fashions (latest: 2024-11). */
const files = {
  browser_native_hd_url: address,
  playable_url_quality_hd: address,
  hd_src: address,
  hd_src_no_ratelimit: address,
  browser_native_sd_url: address,
  playable_url: address,
  sd_src: address,
  sd_src_no_ratelimit: address,
  dash_manifest: text,
  dash_manifest_xml_string: text,
  playlist: text,
};
const response = objectOf({
  progressive_urls: listOf(z.object({ progressive_url: address, metadata: objectOf({ quality: text }) })),
  dash_manifests: listOf(z.object({ manifest_xml: text })),
});
const picture = objectOf({ uri: address, width: size, height: size });

const video = z.object({
  ...files,
  videoDeliveryLegacyFields: objectOf(files),
  videoDeliveryResponseFragment: objectOf({ videoDeliveryResponseResult: response }),
  videoDeliveryResponseResult: response,
  width: size,
  height: size,
  original_width: size,
  original_height: size,
  playable_duration_in_ms: size,
  length_in_second: size,
  audio_availability: text,
  thumbnailImage: picture,
  preferred_thumbnail: objectOf({ image: picture }),
  first_frame_thumbnail: address,
  image: picture,
  accessibility_caption: text,
  is_live_streaming: flag,
});
type Video = z.infer<typeof video>;
type Files = Pick<Video, keyof typeof files>;

const FILE_KEYS: readonly string[] = [
  ...Object.keys(files),
  'videoDeliveryLegacyFields',
  'videoDeliveryResponseFragment',
  'videoDeliveryResponseResult',
];

/** Whether an object describes a video's files, or names itself a video. */
export function isVideo(object: JsonObject): boolean {
  return object.__typename === 'Video' || FILE_KEYS.some(key => key in object);
}

interface Addresses {
  readonly hd: readonly (string | null)[];
  readonly sd: readonly (string | null)[];
  readonly manifests: readonly (string | null)[];
}

function addressesOf(one: Files): Addresses {
  return {
    hd: [one.browser_native_hd_url, one.playable_url_quality_hd, one.hd_src_no_ratelimit, one.hd_src],
    sd: [one.browser_native_sd_url, one.playable_url, one.sd_src_no_ratelimit, one.sd_src],
    manifests: [one.dash_manifest, one.dash_manifest_xml_string, one.playlist],
  };
}

function responseAddresses(answer: Video['videoDeliveryResponseResult']): Addresses {
  const progressive = answer?.progressive_urls ?? [];
  const ofQuality = (isHd: boolean) =>
    progressive.filter(one => (one.metadata?.quality?.toUpperCase() === 'HD') === isHd).map(one => one.progressive_url);
  return {
    hd: ofQuality(true),
    sd: ofQuality(false),
    manifests: (answer?.dash_manifests ?? []).map(one => one.manifest_xml),
  };
}

function allAddresses(videos: readonly Video[]): Addresses {
  const all = videos.flatMap(one => [
    addressesOf(one),
    ...(one.videoDeliveryLegacyFields === null ? [] : [addressesOf(one.videoDeliveryLegacyFields)]),
    responseAddresses(one.videoDeliveryResponseFragment?.videoDeliveryResponseResult ?? null),
    responseAddresses(one.videoDeliveryResponseResult),
  ]);
  return {
    hd: all.flatMap(one => one.hd),
    sd: all.flatMap(one => one.sd),
    manifests: all.flatMap(one => one.manifests),
  };
}

function firstOf<Value>(videos: readonly Video[], read: (one: Video) => Value | null | undefined): Value | null {
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
 * The files in order, the best first, one address each. The page tells only the video's size: it is the HD file's where the
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

const SOUND: ReadonlyMap<string | null, boolean> = new Map([
  ['AVAILABLE', true],
  ['UNAVAILABLE', false],
]);

function sizeOf(videos: readonly Video[]): Size {
  const original = firstOf(videos, one => (one.original_width && one.original_height ? one : null));
  if (original !== null) return { width: original.original_width, height: original.original_height };
  const shown = firstOf(videos, one => (one.width && one.height ? one : null));
  return { width: shown?.width ?? null, height: shown?.height ?? null };
}

export interface VideoReading {
  /** Null when no file of it can be fetched. */
  readonly item: UnplacedItem | null;
  /** Still on the air: there is no file yet. */
  readonly isLive: boolean;
}

/** Reads all objects that carry one video's id as one video: what the first does not say, a later one may. */
export function readVideo(nodes: readonly JsonObject[]): VideoReading {
  const videos = nodes.flatMap(node => {
    const result = video.safeParse(node);
    return result.success ? [result.data] : [];
  });
  const addresses = allAddresses(videos);
  const full = sizeOf(videos);
  const seconds = firstOf(videos, one => one.length_in_second);
  const item = videoItem({
    files: listFiles(addresses, full),
    covers: [
      firstOf(videos, one => one.preferred_thumbnail?.image?.uri ?? one.thumbnailImage?.uri),
      firstOf(videos, one => one.first_frame_thumbnail),
      firstOf(videos, one => one.image?.uri),
    ].map(url => ({ url, width: null, height: null })),
    original: { width: null, height: null },
    dashManifest: addresses.manifests.find(xml => xml?.includes('<MPD')) ?? null,
    durationMs:
      firstOf(videos, one => one.playable_duration_in_ms) ?? (seconds === null ? null : Math.round(seconds * 1000)),
    hasAudio: firstOf(videos, one => SOUND.get(one.audio_availability)),
    alt: firstOf(videos, one => one.accessibility_caption),
  });
  return {
    item: item === null ? null : { ...item, width: full.width ?? item.width, height: full.height ?? item.height },
    isLive: videos.some(one => one.is_live_streaming === true),
  };
}
