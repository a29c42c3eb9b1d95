/** Reads the objects of a page that describe one video or photo into an item with its files. Pure. */
import { child, firstOf, type JsonObject, readList, readSize, readText } from '../../../parse/json-fields.ts';
import type { UnplacedItem } from '../../../post.ts';
import { type PixelSize, readAddress, UNKNOWN_SIZE } from '../../kit/cdn-address.ts';
import { imageItem, type ListedFile, videoItem } from '../../kit/media-files.ts';
import { valuesAt } from './page.ts';

/** The properties with the addresses of a video's files; they changed over the years (latest: 2024-11). The best comes first. */
const HD_KEYS = ['browser_native_hd_url', 'playable_url_quality_hd', 'hd_src_no_ratelimit', 'hd_src'];
const SD_KEYS = ['browser_native_sd_url', 'playable_url', 'sd_src_no_ratelimit', 'sd_src'];
const MANIFEST_KEYS = ['dash_manifest', 'dash_manifest_xml_string', 'playlist'];
const LEGACY = 'videoDeliveryLegacyFields';
const FRAGMENT = 'videoDeliveryResponseFragment';
const RESULT = 'videoDeliveryResponseResult';
const VIDEO_KEYS = [...HD_KEYS, ...SD_KEYS, ...MANIFEST_KEYS, LEGACY, FRAGMENT, RESULT];
const PHOTO_KEYS = ['viewer_image', 'photo_image', 'full_image', 'prefetch_uris_v2'];
const IMAGE_PATHS = [
  'viewer_image',
  'photo_image',
  'full_image',
  'image',
  'comet_photo_attachment_resolution_renderer.image',
];
const COVER_PATHS = [['preferred_thumbnail.image.uri', 'thumbnailImage.uri'], ['first_frame_thumbnail'], ['image.uri']];
/** One photo or video is described by fewer objects than this. */
const MAX_NODES = 40;

/** A video's object has files, or says that it is a video. */
export function isVideo(object: JsonObject): boolean {
  return object.__typename === 'Video' || VIDEO_KEYS.some(key => key in object);
}

/** Says whether the object is a photo of a person or page, and not the image of a link or a video's cover. */
export function isPhoto(object: JsonObject): boolean {
  if (isVideo(object)) return false;
  return object.__typename === 'Photo' || object.__isNode === 'Photo' || PHOTO_KEYS.some(key => key in object);
}

function answersOf(video: JsonObject): readonly unknown[] {
  return valuesAt([video], `${FRAGMENT}.${RESULT}`, RESULT);
}

/** The addresses that one object lists: in its own properties, in its delivery data, and in the newest kind of answer. */
function addressesOf(video: JsonObject, isHd: boolean): readonly unknown[] {
  const listed = answersOf(video).flatMap(answer => readList(child(answer, 'progressive_urls')));
  const fits = (one: unknown) => (readText(child(one, 'metadata', 'quality'))?.toUpperCase() === 'HD') === isHd;
  const named = valuesAt([video, video[LEGACY]], ...(isHd ? HD_KEYS : SD_KEYS));
  return [...named, ...valuesAt(listed.filter(fits), 'progressive_url')];
}

function manifestOf(video: JsonObject): string | null {
  const listed = answersOf(video).flatMap(answer => readList(child(answer, 'dash_manifests')));
  const manifests = [...valuesAt([video, video[LEGACY]], ...MANIFEST_KEYS), ...valuesAt(listed, 'manifest_xml')];
  return manifests.map(readText).find(xml => xml?.includes('<MPD')) ?? null;
}

/** The files, best first, each with one address: the same file has several hosts and signatures, but one path. */
function listFiles(videos: readonly JsonObject[]): readonly ListedFile[] {
  const files = new Map<string, ListedFile>();
  for (const isHd of [true, false]) {
    for (const url of videos.flatMap(video => addressesOf(video, isHd)).map(readAddress)) {
      const path = url === null ? '' : new URL(url).pathname;
      // The page states only the video's size, which is that of the HD file.
      if (url !== null && !files.has(path)) files.set(path, { url, ...UNKNOWN_SIZE, isReduced: !isHd });
    }
  }
  return [...files.values()];
}

function sizeOf(videos: readonly JsonObject[], widthKey: string, heightKey: string): PixelSize | null {
  return firstOf(videos, one => {
    const size = { width: readSize(one[widthKey]), height: readSize(one[heightKey]) };
    return size.width === null || size.height === null ? null : size;
  });
}

function hasAudio(availability: unknown): boolean | null {
  return availability === 'AVAILABLE' || availability === 'UNAVAILABLE' ? availability === 'AVAILABLE' : null;
}

export function readVideo(nodes: readonly JsonObject[]): UnplacedItem | null {
  const videos = nodes.slice(0, MAX_NODES);
  const milliseconds = firstOf(valuesAt(videos, 'playable_duration_in_ms'), readSize);
  const seconds = firstOf(valuesAt(videos, 'length_in_second'), readSize);
  return videoItem({
    files: listFiles(videos),
    covers: COVER_PATHS.map(paths => ({ url: firstOf(valuesAt(videos, ...paths), readAddress), ...UNKNOWN_SIZE })),
    original: sizeOf(videos, 'original_width', 'original_height') ?? sizeOf(videos, 'width', 'height') ?? UNKNOWN_SIZE,
    dashManifest: firstOf(videos, manifestOf),
    durationMs: milliseconds ?? (seconds === null ? null : Math.round(seconds * 1000)),
    hasAudio: firstOf(valuesAt(videos, 'audio_availability'), hasAudio),
    alt: altOf(videos),
  });
}

function altOf(nodes: readonly JsonObject[]): string | null {
  return firstOf(valuesAt(nodes, 'accessibility_caption'), readText);
}

/** A live broadcast has no file yet. */
export function isLive(nodes: readonly JsonObject[]): boolean {
  return nodes.slice(0, MAX_NODES).some(one => one.is_live_streaming === true);
}

export function readPhoto(nodes: readonly JsonObject[]): UnplacedItem | null {
  const photos = nodes.slice(0, MAX_NODES);
  const files = photos.flatMap(photo => [
    ...valuesAt([photo], ...IMAGE_PATHS).map(image => ({
      url: readAddress(child(image, 'uri')),
      width: readSize(child(image, 'width')),
      height: readSize(child(image, 'height')),
    })),
    ...valuesAt(readList(photo.prefetch_uris_v2), 'uri').map(uri => ({ url: readAddress(uri), ...UNKNOWN_SIZE })),
  ]);
  return imageItem({ files, alt: altOf(photos) });
}

export function readNamedVideo(og: ReadonlyMap<string, string>): UnplacedItem | null {
  const file = readAddress(og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video'));
  const covers = [{ url: og.get('og:image'), ...UNKNOWN_SIZE }];
  return videoItem({ files: [{ url: file, ...UNKNOWN_SIZE }], covers });
}
