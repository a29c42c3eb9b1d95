/** The photos and videos that a pin lists -> items. Pure. */
import { firstOf, mediaAddress, readList, readSize, readText } from '../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import { PLAYLIST_MIME, type UnplacedItem, type Variant } from '../../post.ts';
import { listedFile, listedItem } from '../kit/listed-files.ts';
import { PINTEREST_MEDIA_HOSTS } from './constants.ts';

type Item = UnplacedItem | null;

export function readAddress(value: unknown): string | null {
  return mediaAddress(value, PINTEREST_MEDIA_HOSTS);
}

export function imageFile(file: unknown): readonly Variant[] {
  const url = readAddress(child(file, 'url'));
  if (url === null) return [];
  const type = /\.(png|webp|gif)(?:\?|$)/i.exec(url)?.[1]?.toLowerCase() ?? 'jpeg';
  const size = { width: readSize(child(file, 'width')), height: readSize(child(file, 'height')) };
  return [listedFile(url, { mime: `image/${type}`, hasVideo: false, ...size })];
}

/** The original before the sizes that were made of it, which may be larger in pixels. */
function photoOf(images: unknown, alt: string | null): Item {
  if (!isJsonObject(images)) return null;
  const { orig, originals, ...sizes } = images;
  const made = Object.values(sizes).slice(0, 20).flatMap(imageFile);
  const item = listedItem('image', made);
  const variants = [...[orig, originals].flatMap(imageFile).slice(0, 1), ...(item?.variants ?? [])];
  const [best] = variants;
  if (best === undefined) return null;
  const { width, height } = best;
  const thumbnailUrl = item?.variants.at(0)?.url ?? best.url;
  return { kind: 'image', width, height, durationMs: null, thumbnailUrl, alt, variants };
}

const isStream = ({ mime }: Variant) => mime === PLAYLIST_MIME;

/** Whole files, that of 720 pixels first, which plays everywhere; where there is none, the best stream, still as its master. */
export function videoOf(list: unknown, cover: string | null = null): Item {
  if (!isJsonObject(list)) return null;
  const entries = Object.entries(list).slice(0, 40);
  const files = entries.flatMap(([name, file]): readonly Variant[] => {
    const url = readAddress(child(file, 'url'));
    const type = /\.(mp4|m3u8)$/.exec(new URL(url ?? 'https://pin.invalid/').pathname)?.[1];
    if (url === null || type === undefined) return [];
    const size = { width: readSize(child(file, 'width')), height: readSize(child(file, 'height')) };
    // Of the streams the first kind has H.264 alone.
    const bitrate = readSize(child(file, 'bitrate')) ?? (name === 'V_HLSV4' ? 1 : null);
    const mime = type === 'mp4' ? 'video/mp4' : PLAYLIST_MIME;
    return [listedFile(url, { mime, hasVideo: true, ...size, bitrate: mime === PLAYLIST_MIME ? bitrate : null })];
  });
  const preferred = readAddress(child(list.V_720P, 'url'));
  const whole = files.filter(file => !isStream(file));
  const sorted = listedItem('video', whole.length > 0 ? whole : files, {
    durationMs: firstOf(entries, ([, file]) => readSize(child(file, 'duration'))),
    thumbnailUrl: firstOf(entries, ([, file]) => readAddress(child(file, 'thumbnail'))) ?? cover,
  });
  if (sorted === null) return null;
  const isFirst = ({ url }: Variant) => Number(url === preferred);
  const variants = sorted.variants.toSorted((a, b) => isFirst(b) - isFirst(a));
  const [best] = variants;
  const kept = best !== undefined && isStream(best) ? [{ ...best, bitrate: null }] : variants;
  return { ...sorted, width: best?.width ?? null, height: best?.height ?? null, variants: kept };
}

/** Of a part that has a photo beside its video, the photo is the video's cover. Undefined for one without either. */
function partOf(part: unknown, alt: string | null): Item | undefined {
  if (!isJsonObject(part)) return undefined;
  const { image, images = child(image, 'images'), video, videos = video } = part;
  const photo = photoOf(images, alt);
  if (isJsonObject(videos)) return videoOf(videos.video_list, photo?.variants[0]?.url ?? null);
  return isJsonObject(images) || isJsonObject(image) ? photo : undefined;
}

/** An idea pin's pages, each of one or more blocks; words are blocks too. */
function itemsOfPages(pages: readonly unknown[]): readonly Item[] {
  return pages.flatMap(page => {
    const blocks = readList(child(page, 'blocks')).map(block => partOf(block, null));
    const media = blocks.filter(item => item !== undefined);
    if (media.length > 0) return media;
    const whole = partOf(page, null);
    return whole === undefined ? [] : [whole];
  });
}

function gifOf({ embed, images }: JsonObject, alt: string | null): Item {
  const url = child(embed, 'type') === 'gif' ? readAddress(child(embed, 'src')) : null;
  if (url === null) return null;
  const { width = null, height = null } = photoOf(images, alt) ?? {};
  const own = { width: readSize(child(embed, 'width')) ?? width, height: readSize(child(embed, 'height')) ?? height };
  const files = imageFile({ url, ...own });
  return listedItem('image', files, { thumbnailUrl: url, alt });
}

/** Every item of a pin in order; null for one that is there and cannot be read. */
export function itemsOf(pin: JsonObject): readonly Item[] {
  const alt = readText(pin.alt_text) ?? readText(pin.auto_alt_text);
  const pages = itemsOfPages(readList(child(pin.story_pin_data, 'pages')));
  if (pages.length > 0) return pages;
  const slots = readList(child(pin.carousel_data, 'carousel_slots'));
  if (slots.length > 0) return slots.map(slot => partOf(slot, alt) ?? null);
  const cover = photoOf(pin.images, alt);
  const coverUrl = cover?.variants[0]?.url ?? null;
  if (isJsonObject(pin.videos) || pin.is_video === true) return [videoOf(child(pin.videos, 'video_list'), coverUrl)];
  return [gifOf(pin, alt) ?? cover];
}
