/**
 * Any answer of Instagram to a question about one post -> the Post, or the AppError that it means. Upstreams swap shapes
 * and places, so media are looked for anywhere in the answer, whichever endpoint gave it, and bound to the asked id:
 * pages carry other people's posts. Pure.
 */
import { AppError, toAppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { PostRef } from '../../extract/source.ts';
import { captionTags } from '../../parse/caption.ts';
import { numericId } from '../../parse/fields.ts';
import {
  embeddedJson,
  findObjects,
  findValues,
  isJsonObject,
  type JsonObject,
  parseJson,
} from '../../parse/json-search.ts';
import { addressExpiry } from '../../parse/media-address.ts';
import { type Post, placeItems } from '../../post.ts';
import type { PostDraft } from './draft.ts';
import { emptyAnswer, failureOfHead, failureOfJson, failureOfPage, gatedAnswer, weakNotFound } from './failures.ts';
import { embedContext, parseEmbedMarkup } from './parse-embed.ts';
import { isGraphMedia, parseGraphMedia } from './parse-graph.ts';
import { isProduct, parseProduct } from './parse-product.ts';
import { mediaIdOf, publishTimeOf, splitCode } from './shortcode.ts';

/** A page of the post speaks for the post; an error page in place of a query's answer may only mean that the query died. */
export type AnswerKind = 'query' | 'page' | 'embed';

export interface ParseContext {
  readonly ref: PostRef;
  readonly kind: AnswerKind;
  readonly strategy: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Keys whose value is the media itself, when the answer has one. */
const MEDIA_PLACES = ['xdt_shortcode_media', 'shortcode_media', 'xig_polaris_media'];
const LIST_PLACES = ['xdt_api__v1__media__shortcode__web_info'];
const GATED_PLACE = 'if_not_gated_logged_out';

/** Whether a media is the asked one; null when it carries no id at all. */
function isAsked(object: JsonObject, ref: PostRef): boolean | null {
  const mediaId = ref.parts.mediaId;
  const code = object.code ?? object.shortcode;
  if (typeof code === 'string' && code !== '') return mediaIdOf(splitCode(code).code) === mediaId;
  const id = numericId.parse(object.pk) ?? numericId.parse(object.id);
  if (id !== null) return id === mediaId;
  // An id that came as a number has lost its last digits.
  return typeof object.pk === 'number' ? object.pk === Number(mediaId) : null;
}

function draftOf(object: JsonObject): PostDraft | null {
  const product = isProduct(object) ? parseProduct(object) : null;
  if (product !== null && product.items.length > 0) return product;
  return (isGraphMedia(object) ? parseGraphMedia(object) : null) ?? product;
}

/** How much a draft says; a page may carry a post twice, once as a stub. */
function fullness(draft: PostDraft): number {
  const facts = [draft.caption, draft.author.username, draft.author.id, draft.publishedAt, draft.stats.likes];
  return draft.items.length * 10 + facts.filter(fact => fact !== null).length;
}

interface Finding {
  /** The fullest draft of the asked media. */
  readonly draft: PostDraft | null;
  readonly hasOthers: boolean;
}

/** A media without any id, in the place where only the asked one stands. */
function* unnamedMedia(document: unknown): Generator<JsonObject> {
  for (const place of [GATED_PLACE, ...MEDIA_PLACES]) {
    for (const value of findValues(document, place)) {
      if (isJsonObject(value) && !('pk' in value || 'id' in value)) yield { ...value, id: null };
    }
  }
}

function findMedia(documents: readonly unknown[], ref: PostRef): Finding {
  let best: PostDraft | null = null;
  let hasOthers = false;
  const consider = (object: JsonObject) => {
    const draft = draftOf(object);
    if (draft !== null && (best === null || fullness(draft) > fullness(best))) best = draft;
  };
  for (const document of documents) {
    for (const object of findObjects(document, one => isProduct(one) || isGraphMedia(one))) {
      if (isAsked(object, ref) === true) consider(object);
      else hasOthers = true;
    }
    if (best !== null) continue;
    for (const object of unnamedMedia(document)) if (isAsked(object, ref) === null) consider(object);
  }
  return { draft: best, hasOthers };
}

function isEmptyList(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Array.isArray(value.items) && value.items.length === 0);
}

/** What an answer without the media says by the places that stand empty; null when it has no such place. */
function failureOfPlaces(document: unknown, ref: PostRef): AppError | null {
  for (const value of findValues(document, GATED_PLACE)) {
    if (value === null) return gatedAnswer(ref, 'the media is gated for visitors');
  }
  for (const place of MEDIA_PLACES) {
    for (const value of findValues(document, place)) if (value === null) return emptyAnswer(ref, `${place} is null`);
  }
  for (const place of LIST_PLACES) {
    for (const value of findValues(document, place))
      if (isEmptyList(value)) return emptyAnswer(ref, `${place} is empty`);
  }
  if (isJsonObject(document) && isEmptyList(document)) return emptyAnswer(ref, 'no items');
  return null;
}

function firstOf<T>(documents: readonly unknown[], read: (document: unknown) => T | null): T | null {
  for (const document of documents) {
    const value = read(document);
    if (value !== null) return value;
  }
  return null;
}

/** A draft as the post that was asked for: tags, publish time and expiry are worked out. */
export function toPost(draft: PostDraft, context: Omit<ParseContext, 'kind'>): Post {
  const { ref, strategy, now } = context;
  const { hashtags, mentions } = captionTags(draft.caption);
  const placed = placeItems(draft.items);
  const covers = [draft.author.avatarUrl, ...placed.items.map(item => item.thumbnailUrl)];
  const expiries = [
    ...placed.items.flatMap(item => item.variants.map(variant => variant.expiresAt)),
    ...covers.map(url => (url === null ? null : addressExpiry(url))),
  ].filter(expiry => expiry !== null);
  return {
    ...draft,
    ...placed,
    coverUrl: null,
    source: 'instagram',
    id: ref.id,
    url: ref.url,
    hashtags,
    mentions,
    publishedAt: draft.publishedAt ?? publishTimeOf(ref.parts.mediaId ?? ''),
    fetchedAt: now,
    expiresAt: expiries.length === 0 ? null : Math.min(...expiries),
    strategy,
  };
}

/** JSON behind their guard against inclusion (`for (;;);`), or several documents a line each. */
function jsonDocuments(body: string): readonly unknown[] {
  const text = body.startsWith('for (;;);') ? body.slice('for (;;);'.length) : body;
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  return text.split('\n', 100).flatMap(line => {
    const value = parseJson(line);
    return isJsonObject(value) || Array.isArray(value) ? [value] : [];
  });
}

function htmlDocuments(html: string): readonly unknown[] {
  const documents = [...embeddedJson(html)];
  const contexts = [embedContext(html), ...documents.flatMap(document => [...findValues(document, 'contextJSON')])];
  for (const context of contexts) {
    const value = typeof context === 'string' ? parseJson(context) : context;
    if (isJsonObject(value)) documents.push(value);
  }
  return documents;
}

/** What a page without the post means: its route when that says why, else the places that stand empty in it. */
function pageFailure(html: string, documents: readonly unknown[], context: ParseContext): AppError {
  const failure = failureOfPage(html);
  if (failure.code === 'private') return failure;
  if (failure.code === 'not_found') {
    return context.kind === 'page' ? failure : weakNotFound('an error page in place of an answer');
  }
  return firstOf(documents, document => failureOfPlaces(document, context.ref)) ?? failure;
}

function jsonFailure(documents: readonly unknown[], ref: PostRef, hasOthers: boolean): AppError {
  const stated = firstOf(documents, failureOfJson) ?? firstOf(documents, document => failureOfPlaces(document, ref));
  const unknown = hasOthers ? 'the answer is about another post' : 'an answer of an unknown kind';
  return stated ?? new AppError('upstream_changed', unknown);
}

/**
 * The post of any body that Instagram answered with: JSON or a page, in either shape.
 * @throws AppError what the body means when the asked post is not in it.
 */
export function parseAnswer(body: string, context: ParseContext): Post {
  const { ref } = context;
  const text = body.trimStart();
  const isJson = text.startsWith('{') || text.startsWith('[') || text.startsWith('for (;;);');
  const documents = isJson ? jsonDocuments(text) : htmlDocuments(text);
  const { draft, hasOthers } = findMedia(documents, ref);
  if (draft !== null && draft.items.length > 0) return toPost(draft, context);
  const shown = isJson || draft !== null ? null : parseEmbedMarkup(text, ref);
  if (shown !== null) return toPost(shown, context);
  if (draft !== null) throw new AppError('upstream_changed', 'the post came without a media address that we know');
  throw isJson ? jsonFailure(documents, ref, hasOthers) : pageFailure(text, documents, context);
}

/** Refusals whose body may say more than their status. */
function bodyFailure(response: HttpResponse, context: ParseContext, ofHead: AppError): AppError {
  try {
    parseAnswer(response.text, context);
    return ofHead;
  } catch (error) {
    const ofBody = toAppError(error);
    return ofBody.code === 'upstream_changed' || ofBody.code === 'upstream_unavailable' ? ofHead : ofBody;
  }
}

/**
 * The post of a whole response; status and redirects count before the body.
 * @throws AppError as `parseAnswer` does.
 */
export function parseResponse(response: HttpResponse, context: ParseContext): Post {
  const ofHead = failureOfHead(response, context.now);
  if (ofHead === null) return parseAnswer(response.text, context);
  const isRefusal = response.status >= 400 && response.status < 500 && response.status !== 429;
  throw isRefusal ? bodyFailure(response, context, ofHead) : ofHead;
}
