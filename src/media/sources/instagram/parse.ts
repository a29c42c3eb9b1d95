/** Any answer of Instagram to a question about one post -> the Post, or the AppError that it means. Pure but for `parseResponse`. */
import { AppError, toAppError } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { captionTags } from '../../parse/caption.ts';
import { isJsonObject, parseJson } from '../../parse/json-search.ts';
import { createParseThread, isLarge } from '../../parse/parse-thread.ts';
import { type PackedAnswer, type SiteAnswer, siteAnswer } from '../../parse/site-answer.ts';
import { type Post, placeItems } from '../../post.ts';
import { addressExpiry } from '../meta/cdn-address.ts';
import { type PostDraft, readableItems } from './draft.ts';
import { failureForLink, failureOfHead, failureOfJson, failureOfPage, weakNotFound } from './failures.ts';
import { createMediaFinder, type Finding, type MediaFinder } from './find-media.ts';
import { embedContext, parseEmbedMarkup } from './parse-embed.ts';
import { parseOpenGraph } from './parse-open-graph.ts';
import { publishTimeOf } from './shortcode.ts';

/** A page of the post speaks for the post; an error page in place of a query's answer may only mean that the query died. */
export type AnswerKind = 'query' | 'page' | 'embed';

export interface ParseContext {
  readonly ref: PostRef;
  readonly kind: AnswerKind;
  readonly strategy: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** A draft as the post that was asked for: tags, publish time and expiry are worked out. */
export function toPost(draft: PostDraft, context: Omit<ParseContext, 'kind'>): Post {
  const { ref, strategy, now } = context;
  const { coverUrl, ...said } = draft;
  const { hashtags, mentions } = captionTags(draft.caption);
  const placed = placeItems(draft.items);
  // The cover is the first item's: where that one is missing, no item shows it.
  const unshownCover = placed.items[0]?.position === 0 ? null : coverUrl;
  const images = [draft.author.avatarUrl, unshownCover, ...placed.items.map(item => item.thumbnailUrl)];
  const expiries = [
    ...placed.items.flatMap(item => item.variants.map(variant => variant.expiresAt)),
    ...images.map(url => (url === null ? null : addressExpiry(url))),
  ].filter(expiry => expiry !== null);
  return {
    ...said,
    ...placed,
    coverUrl: unshownCover,
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
function jsonDocuments(answer: string): readonly unknown[] {
  const text = answer.startsWith('for (;;);') ? answer.slice('for (;;);'.length) : answer;
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  return text.split('\n', 100).flatMap(line => {
    const value = parseJson(line);
    return isJsonObject(value) || Array.isArray(value) ? [value] : [];
  });
}

const UNREADABLE = 'the post came without a media address that we know';

/** What an answer that holds the asked media without a file of it means; null when the media is not in it. */
function failureOfFinding({ draft, isHeld, restriction, gate }: Finding): AppError | null {
  if (restriction !== null) return restriction;
  if (gate !== null) return gate;
  return draft !== null || isHeld ? new AppError('upstream_changed', UNREADABLE) : null;
}

function parseJsonAnswer(text: string, context: ParseContext): Post {
  const documents = jsonDocuments(text);
  const finder = createMediaFinder(context.ref);
  for (const document of documents) finder.read(document);
  const finding = finder.finding();
  const { draft, hasOthers, emptiness } = finding;
  if (draft !== null && readableItems(draft) > 0) return toPost(draft, context);
  const held = failureOfFinding(finding);
  if (held !== null) throw held;
  for (const document of documents) {
    const stated = failureOfJson(document);
    if (stated !== null) throw stated;
  }
  const unknown = hasOthers ? 'the answer is about another post' : 'an answer of an unknown kind';
  throw emptiness ?? new AppError('upstream_changed', unknown);
}

/** What is in a script that has the post. */
function namesOf(ref: PostRef): readonly string[] {
  return [ref.id, ref.parts.mediaId ?? ref.id];
}

/** Reads the scripts that name the post, which are few of a page's hundred, and the others only where those do not suffice. */
function readScripts(page: Body, ref: PostRef, finder: MediaFinder): void {
  const naming = new Set(page.jsonScriptsWith(namesOf(ref)));
  for (const script of naming) finder.read(parseJson(script.text));
  if (!finder.isDone()) finder.read(embedContext(page));
  if (finder.isDone()) return;
  for (const script of page.scripts) if (script.isJson && !naming.has(script)) finder.read(parseJson(script.text));
}

/**
 * What a page without the post means, by its route. A null in the place of the media is no word of the site's on a page, unlike in
 * the answer of a query: for a post that is gone it shows its error page.
 */
function pageFailure(page: Body, { emptiness }: Finding, { kind }: ParseContext): AppError {
  const failure = failureOfPage(page.text);
  if (failure.code !== 'not_found') return emptiness?.code === 'private' ? emptiness : failure;
  return kind === 'page' ? failure : weakNotFound('an error page in place of an answer');
}

function parsePage(page: Body, context: ParseContext): Post {
  const { ref } = context;
  const finder = createMediaFinder(ref);
  readScripts(page, ref, finder);
  const finding = finder.finding();
  const { draft } = finding;
  if (draft !== null && readableItems(draft) > 0) return toPost(draft, context);
  // One file is the whole of a post with one item, and no part of a carousel is.
  const isSingle = draft === null || draft.items.length === 1;
  const single = isSingle ? (parseOpenGraph(page, ref) ?? shownByEmbed(page, ref, finding)) : null;
  if (single !== null) return toPost(single, context);
  throw failureOfFinding(finding) ?? pageFailure(page, finding, context);
}

/** The visible part of an embed. What it refuses counts only where the page's data say nothing of the post. */
function shownByEmbed(page: Body, ref: PostRef, finding: Finding): PostDraft | null {
  const held = failureOfFinding(finding);
  try {
    return parseEmbedMarkup(page, ref);
  } catch (error) {
    throw held ?? error;
  }
}

/**
 * The post of any body that Instagram answered with: JSON or a page, in either shape.
 * @throws AppError what the body means when the asked post is not in it.
 */
export function parseAnswer(body: Body, context: ParseContext): Post {
  const isJson = ['{', '[', 'for (;;);'].some(start => body.startsWith(start));
  return isJson ? parseJsonAnswer(body.text.trimStart(), context) : parsePage(body, context);
}

/** A refusal whose body says more than its status: why, or even the post. */
function parseRefusal(body: Body, context: ParseContext, ofHead: AppError): Post {
  try {
    return parseAnswer(body, context);
  } catch (error) {
    const ofBody = toAppError(error);
    throw ofBody.code === 'upstream_changed' || ofBody.code === 'upstream_unavailable' ? ofHead : ofBody;
  }
}

/**
 * The post of a whole response; status and redirects count before the body.
 * @throws AppError as `parseAnswer` does.
 */
export function readResponse(answer: SiteAnswer, context: ParseContext): Post {
  try {
    return readStated(answer, context);
  } catch (error) {
    throw failureForLink(context.ref, toAppError(error));
  }
}

function readStated(answer: SiteAnswer, context: ParseContext): Post {
  const ofHead = failureOfHead(answer, context.now);
  if (ofHead === null) return parseAnswer(answer.body, context);
  const isRefusal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  if (isRefusal) return parseRefusal(answer.body, context, ofHead);
  throw ofHead;
}

export interface ResponseTask {
  readonly response: PackedAnswer;
  readonly context: ParseContext;
}

/** Compiled code has its thread beside it; run from source, large answers are read like any other. */
const readInThread = import.meta.url.endsWith('.ts')
  ? null
  : createParseThread<ResponseTask, Post>(new URL('./instagram-page-worker.js', import.meta.url), 'readLargeResponse');

/**
 * The same, without holding the process while an answer of many megabytes is read.
 * @throws AppError as `parseAnswer` does.
 */
export async function parseResponse(response: PackedAnswer, context: ParseContext): Promise<Post> {
  const answer = siteAnswer(response);
  if (readInThread === null || !isLarge(answer.body, namesOf(context.ref))) return readResponse(answer, context);
  const { status, headers, url, bytes } = response;
  return readInThread({ response: { status, headers, url, bytes }, context });
}
