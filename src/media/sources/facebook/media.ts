/** Turns the objects of a page that describe one video or photo into an item with its files. Pure. */
import { child, firstOf, type JsonObject, type PixelSize, UNKNOWN_SIZE } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { UnplacedItem } from '../../post.ts';
import { readAddress } from '../kit/cdn-address.ts';
import { imageItem, type ListedFile, videoItem } from '../kit/media-files.ts';
import { valuesAt } from './page.ts';

/** Properties that contain the addresses of a video's files, best first. Facebook last changed them in 2024-11. */
const HD_KEYS = ['browser_native_hd_url', 'playable_url_quality_hd', 'hd_src_no_ratelimit', 'hd_src'];
const SD_KEYS = ['browser_native_sd_url', 'playable_url', 'sd_src_no_ratelimit', 'sd_src'];
const MANIFEST_KEYS = ['dash_manifest', 'dash_manifest_xml_string', 'playlist'];
const LEGACY = 'videoDeliveryLegacyFields';
const FRAGMENT = 'videoDeliveryResponseFragment';
const RESULT = 'videoDeliveryResponseResult';
const VIDEO_KEYS = [...HD_KEYS, ...SD_KEYS, ...MANIFEST_KEYS, LEGACY, FRAGMENT, RESULT];
const IMAGE_KEYS = ['viewer_image', 'photo_image', 'full_image'];
const PHOTO_KEYS = [...IMAGE_KEYS, 'prefetch_uris_v2'];
const IMAGE_PATHS = [...IMAGE_KEYS, 'image', 'comet_photo_attachment_resolution_renderer.image'];
const COVER_PATHS = [['preferred_thumbnail.image.uri', 'thumbnailImage.uri'], ['first_frame_thumbnail'], ['image.uri']];
const AUDIO = new Map<unknown, boolean>(Object.entries({ AVAILABLE: true, UNAVAILABLE: false }));

export function isVideo(object: JsonObject): boolean {
  return object.__typename === 'Video' || VIDEO_KEYS.some(key => key in object);
}

/** Says whether the object is a real photo, not the image of a link or the cover of a video. */
export function isPhoto(object: JsonObject): boolean {
  if (isVideo(object)) return false;
  return object.__typename === 'Photo' || object.__isNode === 'Photo' || PHOTO_KEYS.some(key => key in object);
}

function delivered(video: JsonObject, list: string): readonly unknown[] {
  return valuesAt([video], `${FRAGMENT}.${RESULT}`, RESULT).flatMap(answer => read.list(child(answer, list)));
}

/** The addresses in one object: in its own properties, in older delivery data, and in lists (since 2024-11). */
function addressesOf(video: JsonObject, isHd: boolean): readonly unknown[] {
  const fits = (one: unknown) => (read.text(child(one, 'metadata', 'quality'))?.toUpperCase() === 'HD') === isHd;
  const named = valuesAt([video, video[LEGACY]], ...(isHd ? HD_KEYS : SD_KEYS));
  return [...named, ...valuesAt(delivered(video, 'progressive_urls').filter(fits), 'progressive_url')];
}

function manifestOf(video: JsonObject): string | null {
  const listed = valuesAt(delivered(video, 'dash_manifests'), 'manifest_xml');
  const manifests = [...valuesAt([video, video[LEGACY]], ...MANIFEST_KEYS), ...listed];
  return manifests.map(read.text).find(xml => xml?.includes('<MPD')) ?? null;
}

/** The files, best first. Addresses of one file differ in host and signature but have the same path: one is kept. */
function listFiles(videos: readonly JsonObject[]): readonly ListedFile[] {
  const files = new Map<string, ListedFile>();
  for (const isHd of [true, false]) {
    for (const url of videos.flatMap(video => addressesOf(video, isHd)).map(readAddress)) {
      const path = url === null ? '' : new URL(url).pathname;
      // The page states only one size, which is that of the HD file, so any other file is marked as reduced.
      if (url !== null && !files.has(path)) files.set(path, { url, isReduced: !isHd });
    }
  }
  return [...files.values()];
}

function statedSize(videos: readonly JsonObject[], ...keys: readonly [string, string]): PixelSize | null {
  const sizes = videos.map(one => read.dimensions(one, ...keys));
  return sizes.find(({ width, height }) => width !== null && height !== null) ?? null;
}

export function readVideo(videos: readonly JsonObject[]): UnplacedItem | null {
  const milliseconds = firstOf(valuesAt(videos, 'playable_duration_in_ms'), read.positive);
  return videoItem({
    files: listFiles(videos),
    covers: COVER_PATHS.map(paths => ({ url: firstOf(valuesAt(videos, ...paths), readAddress) })),
    original:
      statedSize(videos, 'original_width', 'original_height') ?? statedSize(videos, 'width', 'height') ?? UNKNOWN_SIZE,
    dashManifest: firstOf(videos, manifestOf),
    durationMs: milliseconds ?? firstOf(valuesAt(videos, 'length_in_second'), read.seconds),
    hasAudio: firstOf(valuesAt(videos, 'audio_availability'), one => AUDIO.get(one)),
    alt: altOf(videos),
  });
}

function altOf(nodes: readonly JsonObject[]): string | null {
  return firstOf(valuesAt(nodes, 'accessibility_caption'), read.text);
}

export function readPhoto(photos: readonly JsonObject[]): UnplacedItem | null {
  const files = photos.flatMap(photo => [
    ...valuesAt([photo], ...IMAGE_PATHS).map(image => ({ url: child(image, 'uri'), ...read.dimensions(image) })),
    ...valuesAt(read.list(photo.prefetch_uris_v2), 'uri').map(url => ({ url })),
  ]);
  return imageItem({ files, alt: altOf(photos) });
}

export function readNamedVideo(og: ReadonlyMap<string, string>): UnplacedItem | null {
  const url = og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video');
  return videoItem({ files: [{ url }], covers: [{ url: og.get('og:image') }] });
}
