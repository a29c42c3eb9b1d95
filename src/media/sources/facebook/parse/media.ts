/** Objects of a page that describe one video or photo -> the item with its files. Pure. */
import { readList, readSize, readText } from '../../../parse/fields.ts';
import { child, type JsonObject } from '../../../parse/json-search.ts';
import type { UnplacedItem } from '../../../post.ts';
import { readAddress, type Size } from '../../kit/cdn-address.ts';
import { imageItem, type ListedFile, videoItem } from '../../kit/media-files.ts';
import { firstOf } from './page.ts';

/** Where the addresses of a video's files stand, by the years' fashions (latest: 2024-11), best first. */
const HD_KEYS: readonly string[] = [
  'browser_native_hd_url',
  'playable_url_quality_hd',
  'hd_src_no_ratelimit',
  'hd_src',
];
const SD_KEYS: readonly string[] = ['browser_native_sd_url', 'playable_url', 'sd_src_no_ratelimit', 'sd_src'];
const MANIFEST_KEYS: readonly string[] = ['dash_manifest', 'dash_manifest_xml_string', 'playlist'];
const LEGACY = 'videoDeliveryLegacyFields';
const FRAGMENT = 'videoDeliveryResponseFragment';
const RESULT = 'videoDeliveryResponseResult';
const VIDEO_KEYS: readonly string[] = [...HD_KEYS, ...SD_KEYS, ...MANIFEST_KEYS, LEGACY, FRAGMENT, RESULT];
const PHOTO_KEYS: readonly string[] = ['viewer_image', 'photo_image', 'full_image', 'prefetch_uris_v2'];
/** More objects than one photo or video is ever spread over. */
const MAX_NODES = 40;
const UNKNOWN: Size = { width: null, height: null };

/** Whether an object describes a video's files, or names itself a video. */
export function isVideo(object: JsonObject): boolean {
  return object.__typename === 'Video' || VIDEO_KEYS.some(key => key in object);
}

/** Whether an object describes a photo of a person or page, not the image of a link or a video's cover. */
export function isPhoto(object: JsonObject): boolean {
  if (isVideo(object)) return false;
  return object.__typename === 'Photo' || object.__isNode === 'Photo' || PHOTO_KEYS.some(key => key in object);
}

/** The files that one object lists: in its own properties, in those of a delivery, and in the answers of the newest kind. */
function filesOf(video: JsonObject) {
  const places = [video, video[LEGACY]];
  const answers = [child(video, FRAGMENT, RESULT), video[RESULT]];
  const listed = answers.flatMap(answer => readList(child(answer, 'progressive_urls')));
  const isHd = (one: unknown) => readText(child(one, 'metadata', 'quality'))?.toUpperCase() === 'HD';
  const valuesOf = (keys: readonly string[]) => places.flatMap(place => keys.map(key => child(place, key)));
  const urlsOf = (files: readonly unknown[]) => files.map(one => child(one, 'progressive_url'));
  const manifests = answers.flatMap(answer => readList(child(answer, 'dash_manifests')));
  return {
    hd: [...valuesOf(HD_KEYS), ...urlsOf(listed.filter(isHd))],
    sd: [...valuesOf(SD_KEYS), ...urlsOf(listed.filter(one => !isHd(one)))],
    manifests: [...valuesOf(MANIFEST_KEYS), ...manifests.map(one => child(one, 'manifest_xml'))],
  };
}

/** The files in order, the best first, one address each: hosts and signatures differ from place to place, paths do not. */
function listFiles(hd: readonly unknown[], sd: readonly unknown[]): readonly ListedFile[] {
  const files = new Map<string, ListedFile>();
  for (const [list, isReduced] of [
    [hd, false],
    [sd, true],
  ] as const) {
    for (const url of list.map(readAddress)) {
      const path = url === null ? '' : new URL(url).pathname;
      // The page says only the video's size, which is the HD file's.
      if (url !== null && !files.has(path)) files.set(path, { url, ...UNKNOWN, isReduced });
    }
  }
  return [...files.values()];
}

function pair(width: unknown, height: unknown): Size | null {
  const size = { width: readSize(width), height: readSize(height) };
  return size.width === null || size.height === null ? null : size;
}

const HAS_AUDIO: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['AVAILABLE', true],
  ['UNAVAILABLE', false],
]);

function coversOf(videos: readonly JsonObject[]): readonly (string | null)[] {
  return [
    firstOf(
      videos,
      one =>
        readAddress(child(one.preferred_thumbnail, 'image', 'uri')) ?? readAddress(child(one.thumbnailImage, 'uri')),
    ),
    firstOf(videos, one => readAddress(one.first_frame_thumbnail)),
    firstOf(videos, one => readAddress(child(one.image, 'uri'))),
  ];
}

/** Reads all objects that carry one video's id as one video; null when no file of it can be fetched. */
export function readVideo(nodes: readonly JsonObject[]): UnplacedItem | null {
  const videos = nodes.slice(0, MAX_NODES);
  const files = videos.map(filesOf);
  const manifests = files.flatMap(one => one.manifests).map(readText);
  const milliseconds = firstOf(videos, one => readSize(one.playable_duration_in_ms));
  const seconds = firstOf(videos, one => readSize(one.length_in_second));
  return videoItem({
    files: listFiles(
      files.flatMap(one => one.hd),
      files.flatMap(one => one.sd),
    ),
    covers: coversOf(videos).map(url => ({ url, ...UNKNOWN })),
    original:
      firstOf(videos, one => pair(one.original_width, one.original_height)) ??
      firstOf(videos, one => pair(one.width, one.height)) ??
      UNKNOWN,
    dashManifest: manifests.find(xml => xml?.includes('<MPD')) ?? null,
    durationMs: milliseconds ?? (seconds === null ? null : Math.round(seconds * 1000)),
    hasAudio: firstOf(videos, one => HAS_AUDIO.get(one.audio_availability)),
    alt: firstOf(videos, one => readText(one.accessibility_caption)),
  });
}

/** Whether the video is still on the air: there is no file of it yet. */
export function isLive(nodes: readonly JsonObject[]): boolean {
  return nodes.slice(0, MAX_NODES).some(one => one.is_live_streaming === true);
}

/** Reads all objects that carry one photo's id as one photo; null when no size of it can be fetched. */
export function readPhoto(nodes: readonly JsonObject[]): UnplacedItem | null {
  const photos = nodes.slice(0, MAX_NODES);
  const files = photos.flatMap(photo => [
    ...[
      photo.viewer_image,
      photo.photo_image,
      photo.full_image,
      photo.image,
      child(photo.comet_photo_attachment_resolution_renderer, 'image'),
    ].map(image => ({
      url: readAddress(child(image, 'uri')),
      width: readSize(child(image, 'width')),
      height: readSize(child(image, 'height')),
    })),
    ...readList(photo.prefetch_uris_v2).map(one => ({ url: readAddress(child(one, 'uri')), ...UNKNOWN })),
  ]);
  return imageItem({ files, original: UNKNOWN, alt: firstOf(photos, one => readText(one.accessibility_caption)) });
}

/** The file of the video as the page names it to crawlers; null when it names none. */
export function readNamedVideo(og: ReadonlyMap<string, string>): UnplacedItem | null {
  const file = readAddress(og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video'));
  return videoItem({
    files: [{ url: file, ...UNKNOWN }],
    covers: [{ url: readAddress(og.get('og:image')), ...UNKNOWN }],
    original: UNKNOWN,
    dashManifest: null,
    durationMs: null,
    hasAudio: null,
    alt: null,
  });
}
