/** Turns an answer of Pinterest, of a query or a page, into the pin or an AppError (seen in 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import { isPlaylist } from '../../files/cdn.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import {
  addressReader,
  child,
  firstOf,
  isJsonObject,
  type JsonObject,
  parseJson,
  visitObjects,
} from '../../parse/json.ts';
import { compareTracks, readMeta } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import { type Author, PLAYLIST_MIME, type Post, type Variant } from '../../post.ts';
import {
  type DraftItem,
  EMPTY_DRAFT,
  type PostDraft,
  type ReadContext,
  readableItems,
  toReadablePost,
} from '../kit/draft.ts';
import { failureOfPlace, failureOfStatus } from '../kit/failures.ts';
import { imageMime, listedFile, listedItem, orderedItem } from '../kit/media-files.ts';
import { pinterestIdOf } from './link.ts';

export const PINTEREST_MEDIA_HOSTS: readonly string[] = ['pinimg.com'];
const readAddress = addressReader(PINTEREST_MEDIA_HOSTS);

export const PINTEREST_LOGIN_PATH = /^\/(?:login|logout|signup|challenge)(?:\/|$)/;

/** The first text that is more than white space: the site writes a blank for an empty description. */
function wordsOf(...values: readonly unknown[]): string | null {
  return firstOf(values, value => read.text(read.text(value)?.trim()));
}

/** The author: who made the pin, else who saved it, unless that person saved it from another person's pin. */
function authorOf(pin: JsonObject): Author {
  const isTaken = pin.is_repin === true || isJsonObject(pin.via_pinner);
  const people = [pin.native_creator, pin.closeup_attribution, pin.origin_pinner, isTaken ? null : pin.pinner];
  const user: JsonObject = people.filter(isJsonObject).find(one => wordsOf(one.username, one.full_name) !== null) ?? {};
  const verified = user.domain_verified ?? user.is_verified_merchant;
  return {
    id: read.numericId(user.entity_id) ?? read.numericId(user.id),
    username: wordsOf(user.username),
    name: wordsOf(user.full_name, user.first_name),
    verified: typeof verified === 'boolean' ? verified : null,
    avatarUrl: firstOf(['xlarge', 'large', 'medium', 'small'], size => readAddress(user[`image_${size}_url`])),
  };
}

function draftOf(pin: JsonObject): PostDraft {
  return {
    ...EMPTY_DRAFT,
    author: authorOf(pin),
    title: wordsOf(pin.title, pin.grid_title),
    caption: wordsOf(pin.description, pin.closeup_unified_description, pin.closeup_description),
    publishedAt: read.writtenDate(pin.created_at),
    // The aggregated counts of an image come first: a pin that was saved from another pin has 0 as its own counts.
    stats: read.stats([pin], {
      saves: ['aggregated_pin_data.aggregated_stats.saves', 'repin_count'],
      comments: ['aggregated_pin_data.comment_count', 'comment_count'],
      shares: 'share_count',
    }),
    items: itemsOf(pin),
  };
}

const MEDIA = ['images', 'videos', 'story_pin_data', 'carousel_data', 'embed'] as const;

/** The JSON of an answer. A page also has scripts with the answers to its own queries (2026-10). */
function jsonOf(body: Body): readonly string[] {
  if (body.startsWith('{')) return [body.text];
  const scripts = body.scripts.filter(one => one.isJson || one.tag.includes('data-relay-completed-request'));
  return scripts.map(({ text }) => text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

/**
 * Renames properties of a page's data as the query `PinResource` names them: `videoList` becomes `video_list`, `v720P`
 * becomes `V_720P`.
 */
function renamed(value: unknown, depth = 12): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(one => renamed(one, depth - 1));
  const nameOf = (name: string) =>
    name.replace(/^v(?=[\dA-Z])/, 'V_').replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [nameOf(name), renamed(one, depth - 1)]));
}

/**
 * Joins the answers to a page's own queries into one pin. Each query asks for other fields, so only all of them
 * together describe the pin. In these answers, each size of the photo is a property of its own.
 */
function joinedPin(parts: readonly JsonObject[]): unknown {
  const stated = parts.flatMap(part => Object.entries(part).filter(([, value]) => value !== null));
  const sizes = stated.flatMap(([name, file]) => {
    const size = /^(?:imageSpec|images)_(orig|\d+x)$/.exec(name)?.[1];
    return size === undefined ? [] : [[size, file] as const];
  });
  const images = sizes.length > 0 && { images: Object.fromEntries(sizes) };
  return renamed({ ...images, ...Object.fromEntries(stated) });
}

/** The objects about the requested pin, complete or not. An answer contains related pins too. */
function findPins(body: Body, { id }: ReadContext['ref']): readonly JsonObject[] {
  const pins: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const text of jsonOf(body)) {
    visitObjects(parseJson(text), object => {
      if (object.entityId === id) parts.push(object);
      else if (read.numericId(object.id) === id) pins.push(object);
    });
  }
  return [...pins, joinedPin(parts)].filter(isJsonObject).filter(pin => MEDIA.some(key => key in pin));
}

/** A draft from the metadata in the page's head. */
function draftOfHead(body: Body, id: string): PostDraft | null {
  const { og, canonical } = readMeta(body.head);
  const named = [og.get('og:url'), canonical].map(pinterestIdOf);
  const cover = readAddress(og.get('og:image'));
  if (!named.includes(id) || cover === null) return null;
  const video = og.get('og:video:secure_url') ?? og.get('og:video:url') ?? og.get('og:video');
  const [width, height] = ['width', 'height'].map(side => og.get(`og:video:${side}`) ?? null);
  const moving = videoOf({ V_720P: { url: video, width, height } }, cover);
  const photo = listedItem('image', imageFile(cover), { thumbnailUrl: cover });
  // The head of a video's page may have only the cover, but data for search engines show that it is a video (2026-09).
  const isVideo =
    video !== undefined || og.get('og:type')?.includes('video') === true || body.includes('"VideoObject"');
  const title = wordsOf(og.get('og:title'));
  return { ...EMPTY_DRAFT, title, caption: wordsOf(og.get('og:description')), items: [isVideo ? moving : photo] };
}

function failureWithoutPin(body: Body, now: number): AppError | null {
  const isSaid = body.includes('"PinNotFound"') || body.includes('"PinNotFoundError"');
  const response = child(parseJson(body.startsWith('{') ? body.text : ''), 'resource_response');
  const status = read.count(child(response, 'http_status')) ?? read.count(child(response, 'error', 'http_status')) ?? 0;
  if (isSaid || status === 404 || status === 410) return new AppError('not_found', 'the site knows no such pin');
  return failureOfStatus({ status, headers: {}, url: '' }, now);
}

/** @throws AppError why the requested pin is not in the answer. */
export function readPinterestAnswer({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const { ref, now } = context;
  const place = failureOfPlace(head, now, PINTEREST_LOGIN_PATH);
  if (place !== null) throw (place.code === 'not_found' ? failureWithoutPin(body, now) : null) ?? place;
  const drafts = findPins(body, ref).map(draftOf);
  const [best = draftOfHead(body, ref.id)] = drafts.sort((a, b) => readableItems(b) - readableItems(a));
  if (best === null) throw failureWithoutPin(body, now) ?? new AppError('upstream_changed', 'no such pin in it');
  return toReadablePost(best, context);
}

function imageFile(address: unknown, stated?: unknown): readonly Variant[] {
  const url = readAddress(address);
  return url === null ? [] : [listedFile(url, { mime: imageMime(url), hasVideo: false, ...read.dimensions(stated) })];
}

/**
 * A photo. The original comes first, even if sizes made from it have more pixels: they cannot show more than it does.
 */
function photoOf(images: unknown, alt: string | null): DraftItem {
  if (!isJsonObject(images)) return null;
  const { orig, originals, ...sizes } = images;
  const filesOf = (file: unknown) => imageFile(child(file, 'url'), file);
  const made = Object.values(sizes).slice(0, 20).flatMap(filesOf).toSorted(compareTracks);
  const files = [...[orig, originals].flatMap(filesOf).slice(0, 1), ...made];
  return orderedItem('image', files, { thumbnailUrl: (made[0] ?? files[0])?.url ?? null, alt });
}

function videoFile(name: string, file: unknown): readonly Variant[] {
  const url = readAddress(child(file, 'url'));
  const type = /\.(mp4|m3u8)$/.exec(new URL(url ?? 'https://pin.invalid/').pathname)?.[1];
  if (url === null || type === undefined) return [];
  const size = read.dimensions(file);
  if (type === 'mp4') return [listedFile(url, { mime: 'video/mp4', hasVideo: true, ...size })];
  // `V_HLSV4` is the only stream of which all renditions are H.264, so it is preferred to others without a stated bit
  // rate: a made-up bit rate of 1 sorts it before them.
  const bitrate = read.positive(child(file, 'bitrate')) ?? (name === 'V_HLSV4' ? 1 : null);
  return [listedFile(url, { mime: PLAYLIST_MIME, hasVideo: true, ...size, bitrate })];
}

/** A video from its whole files, else from its best stream. The file of 720 pixels is first: it plays everywhere. */
function videoOf(list: unknown, cover: string | null = null): DraftItem {
  if (!isJsonObject(list)) return null;
  const entries = Object.entries(list).slice(0, 40);
  const files = entries.flatMap(([name, file]) => videoFile(name, file));
  const whole = files.filter(file => !isPlaylist(file));
  const preferred = readAddress(child(list.V_720P, 'url'));
  const isFirst = ({ url }: Variant) => Number(url === preferred);
  const sorted = (whole.length > 0 ? whole : files).toSorted((a, b) => isFirst(b) - isFirst(a) || compareTracks(a, b));
  const stream = sorted.slice(0, 1).map(file => ({ ...file, bitrate: null }));
  return orderedItem('video', whole.length > 0 ? sorted : stream, {
    durationMs: firstOf(entries, ([, file]) => read.positive(child(file, 'duration'))),
    thumbnailUrl: firstOf(entries, ([, file]) => readAddress(child(file, 'thumbnail'))) ?? cover,
  });
}

/** Joins the several lists of files that a video has in the answer to a page's own query. */
function joinedVideo(lists: unknown): unknown {
  return isJsonObject(lists) ? { video_list: Object.assign({}, ...Object.values(lists).filter(isJsonObject)) } : null;
}

/** The item of one part of a pin. If the part has photo and video, the photo is the cover. Text alone gives no item. */
function itemsOfPart(part: unknown, alt: string | null): readonly DraftItem[] {
  if (!isJsonObject(part)) return [];
  const {
    image,
    images = child(image, 'images'),
    video_data_v2: lists,
    video,
    videos = video ?? joinedVideo(lists),
  } = part;
  const photo = photoOf(images, alt);
  if (isJsonObject(videos)) return [videoOf(videos.video_list, photo?.variants[0]?.url ?? null)];
  return isJsonObject(images) || isJsonObject(image) ? [photo] : [];
}

function gifOf({ embed, images }: JsonObject, alt: string | null): DraftItem {
  const [file] = child(embed, 'type') === 'gif' ? imageFile(child(embed, 'src'), embed) : [];
  if (file === undefined) return null;
  const cover = photoOf(images, alt);
  const size = { width: file.width ?? cover?.width ?? null, height: file.height ?? cover?.height ?? null };
  return listedItem('image', [{ ...file, ...size }], { thumbnailUrl: file.url, alt });
}

/** All items of a pin in order. Null stands for an item that exists but cannot be read. */
function itemsOf(pin: JsonObject): readonly DraftItem[] {
  const alt = read.text(pin.alt_text) ?? read.text(pin.auto_alt_text);
  // The pages of an idea pin consist of blocks. Some blocks are text, which give no item.
  const pages = read.list(child(pin.story_pin_data, 'pages')).flatMap(page => {
    const media = read.list(child(page, 'blocks')).flatMap(block => itemsOfPart(block, null));
    return media.length > 0 ? media : itemsOfPart(page, null);
  });
  if (pages.length > 0) return pages;
  const slots = read.list(child(pin.carousel_data, 'carousel_slots'));
  if (slots.length > 0) return slots.map(slot => itemsOfPart(slot, alt)[0] ?? null);
  const cover = photoOf(pin.images, alt);
  const coverUrl = cover?.variants[0]?.url ?? null;
  if (isJsonObject(pin.videos) || pin.is_video === true) return [videoOf(child(pin.videos, 'video_list'), coverUrl)];
  return [gifOf(pin, alt) ?? cover];
}
