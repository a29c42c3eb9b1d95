/** Reads an answer of Pinterest, from a query or a page, into the pin, or into the AppError that it means (2026-08 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import {
  child,
  firstOf,
  isJsonObject,
  type JsonObject,
  mediaAddress,
  parseJson,
  readCount,
  readDate,
  readId,
  readList,
  readSize,
  readText,
  visitObjects,
} from '../../parse/json-fields.ts';
import { readMeta } from '../../parse/markup.ts';
import { type Author, NO_STATS, PLAYLIST_MIME, type Post, type UnplacedItem, type Variant } from '../../post.ts';
import { EMPTY_DRAFT, type PostDraft, type ReadContext, readableItems, toPost, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { postIdOf } from '../kit/link-match.ts';
import { listedFile, listedItem } from '../kit/media-files.ts';
import { failureOfPlace, failureOfStatus } from '../kit/refusal.ts';
import { matchPinterestLink } from './link.ts';

/** The host of its CDN. */
export const PINTEREST_MEDIA_HOSTS: readonly string[] = ['pinimg.com'];

export const WALL = /^\/(?:login|logout|signup|challenge)(?:\/|$)/;

/** The site writes an empty description as a blank. */
function wordsOf(...values: readonly unknown[]): string | null {
  return firstOf(values, value => readText(readText(value)?.trim()));
}

/** The author: the person who made the pin. The person who saved it counts only if nothing says that it was taken from another. */
function authorOf(pin: JsonObject): Author {
  const isTaken = pin.is_repin === true || isJsonObject(pin.via_pinner);
  const people = [pin.native_creator, pin.closeup_attribution, pin.origin_pinner, isTaken ? null : pin.pinner];
  const user = people.find(one => isJsonObject(one) && (wordsOf(one.username, one.full_name) ?? null) !== null);
  if (!isJsonObject(user)) return UNKNOWN_AUTHOR;
  const verified = user.domain_verified ?? user.is_verified_merchant;
  return {
    id: readId(user.id),
    username: wordsOf(user.username),
    name: wordsOf(user.full_name, user.first_name),
    verified: typeof verified === 'boolean' ? verified : null,
    avatarUrl: firstOf(
      [user.image_xlarge_url, user.image_large_url, user.image_medium_url, user.image_small_url],
      readAddress,
    ),
  };
}

function draftOf(pin: JsonObject): PostDraft {
  const figures = child(pin, 'aggregated_pin_data', 'aggregated_stats');
  return {
    ...EMPTY_DRAFT,
    author: authorOf(pin),
    title: wordsOf(pin.title, pin.grid_title),
    caption: wordsOf(pin.description, pin.closeup_unified_description, pin.closeup_description),
    publishedAt: readDate(pin.created_at),
    stats: {
      ...NO_STATS,
      saves: readCount(child(figures, 'saves')) ?? readCount(pin.repin_count),
      comments: readCount(pin.comment_count) ?? readCount(child(pin.aggregated_pin_data, 'comment_count')),
      shares: readCount(pin.share_count),
    },
    items: itemsOf(pin),
  };
}

const MEDIA = ['images', 'videos', 'story_pin_data', 'carousel_data', 'embed'] as const;

/** An answer contains the requested pin, less complete copies of it, and related pins. */
function findPins(body: Body, { id }: ReadContext['ref']): readonly JsonObject[] {
  const texts = body.startsWith('{') ? [body.text] : body.scripts.flatMap(one => (one.isJson ? [one.text] : []));
  const pins: JsonObject[] = [];
  for (const text of texts) {
    visitObjects(parseJson(text), object => {
      const own = readText(object.entityId) ?? readId(object.id);
      if (own === id && MEDIA.some(key => key in object)) pins.push(object);
    });
  }
  return pins;
}

/** The metadata about the pin in the page's head. */
function draftOfHead(body: Body, id: string): PostDraft | null {
  const { og, canonical } = readMeta(body.head);
  const named = [og.get('og:url'), canonical].map(address => postIdOf(address, matchPinterestLink));
  const cover = readAddress(og.get('og:image'));
  if (!named.includes(id) || cover === null) return null;
  const video = og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video');
  const [width, height] = ['width', 'height'].map(side => og.get(`og:video:${side}`) ?? null);
  const film = videoOf({ V_720P: { url: video, width, height } }, cover);
  const photo = listedItem('image', imageFile({ url: cover }), { thumbnailUrl: cover });
  const isFilm = video !== undefined || og.get('og:type')?.includes('video') === true;
  const title = wordsOf(og.get('og:title'));
  return { ...EMPTY_DRAFT, title, caption: wordsOf(og.get('og:description')), items: [isFilm ? film : photo] };
}

function failureWithoutPin(body: Body, now: number): AppError | null {
  if (body.includes('"PinNotFound"') || body.includes('"PinNotFoundError"')) {
    return new AppError('not_found', 'the page says that there is no such pin');
  }
  const response = child(parseJson(body.startsWith('{') ? body.text : ''), 'resource_response');
  const status = readCount(child(response, 'http_status')) ?? readCount(child(response, 'error', 'http_status')) ?? 0;
  if (status === 404 || status === 410) return new AppError('not_found', 'the site says that there is no such pin');
  return failureOfStatus({ status, headers: {}, url: '' }, now);
}

/** @throws AppError the meaning of the answer when the requested pin is not in it. */
export function readPinterestAnswer({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const place = failureOfPlace(head, context.now, WALL);
  if (place !== null) throw (place.code === 'not_found' ? failureWithoutPin(body, context.now) : null) ?? place;
  const drafts = findPins(body, context.ref).map(draftOf);
  const [best] = drafts.sort((a, b) => readableItems(b) - readableItems(a));
  const draft = best === undefined ? draftOfHead(body, context.ref.id) : best;
  if (draft === null)
    throw failureWithoutPin(body, context.now) ?? new AppError('upstream_changed', 'no such pin in it');
  if (readableItems(draft) === 0) throw new AppError('upstream_changed', 'the pin came without a file that we know');
  return toPost(draft, context);
}

// Reads the photos and videos of a pin into items. Pure.

type Item = UnplacedItem | null;

function readAddress(value: unknown): string | null {
  return mediaAddress(value, PINTEREST_MEDIA_HOSTS);
}

function imageFile(file: unknown): readonly Variant[] {
  const url = readAddress(child(file, 'url'));
  if (url === null) return [];
  const type = /\.(png|webp|gif)(?:\?|$)/i.exec(url)?.[1]?.toLowerCase() ?? 'jpeg';
  const size = { width: readSize(child(file, 'width')), height: readSize(child(file, 'height')) };
  return [listedFile(url, { mime: `image/${type}`, hasVideo: false, ...size })];
}

/** The original comes before the sizes made from it, which may have more pixels. */
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

/** Whole files, first that of 720 pixels, which plays everywhere; if there is none, the address of the best stream's master playlist. */
function videoOf(list: unknown, cover: string | null = null): Item {
  if (!isJsonObject(list)) return null;
  const entries = Object.entries(list).slice(0, 40);
  const files = entries.flatMap(([name, file]): readonly Variant[] => {
    const url = readAddress(child(file, 'url'));
    const type = /\.(mp4|m3u8)$/.exec(new URL(url ?? 'https://pin.invalid/').pathname)?.[1];
    if (url === null || type === undefined) return [];
    const size = { width: readSize(child(file, 'width')), height: readSize(child(file, 'height')) };
    // Only the first kind of stream has nothing but H.264.
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

/** If a part has a photo and a video, the photo is the video's cover. Undefined for a part with neither. */
function partOf(part: unknown, alt: string | null): Item | undefined {
  if (!isJsonObject(part)) return undefined;
  const { image, images = child(image, 'images'), video, videos = video } = part;
  const photo = photoOf(images, alt);
  if (isJsonObject(videos)) return videoOf(videos.video_list, photo?.variants[0]?.url ?? null);
  return isJsonObject(images) || isJsonObject(image) ? photo : undefined;
}

/** The items of an idea pin, whose pages have one or more blocks; text is a block too. */
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

/** Every item of a pin in order; null for one that exists but cannot be read. */
function itemsOf(pin: JsonObject): readonly Item[] {
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
