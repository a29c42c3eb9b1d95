/** An answer of Pinterest, a query's or a page, -> the pin, or the AppError that it means (2026-08 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import { firstOf, readCount, readId, readText } from '../../parse/fields.ts';
import { child, isJsonObject, type JsonObject, parseJson, visitObjects } from '../../parse/json-search.ts';
import { readMeta } from '../../parse/markup.ts';
import { type Author, NO_STATS, type Post } from '../../post.ts';
import { EMPTY_DRAFT, type PostDraft, type ReadContext, readableItems, toPost, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { postIdOf } from '../kit/link-match.ts';
import { listedItem } from '../kit/listed-files.ts';
import { failureOfPlace, failureOfStatus } from '../kit/refusal.ts';
import { imageFile, itemsOf, readAddress, videoOf } from './items.ts';
import { matchPinterestLink } from './link.ts';

export const WALL = /^\/(?:login|logout|signup|challenge)(?:\/|$)/;

/** An empty description is a blank. */
function wordsOf(...values: readonly unknown[]): string | null {
  return firstOf(values, value => readText(readText(value)?.trim()));
}

/** Who made it. Whoever saved it is its author only where nothing says that they took it from another. */
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
  const published = Date.parse(readText(pin.created_at) ?? '');
  const figures = child(pin, 'aggregated_pin_data', 'aggregated_stats');
  return {
    ...EMPTY_DRAFT,
    author: authorOf(pin),
    title: wordsOf(pin.title, pin.grid_title),
    caption: wordsOf(pin.description, pin.closeup_unified_description, pin.closeup_description),
    publishedAt: Number.isNaN(published) ? null : published,
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

/** Related pins lie beside the asked one, and copies with less. */
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

/** What the page tells crawlers of the pin. */
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

/** @throws AppError what the answer means when the asked pin is not in it. */
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
