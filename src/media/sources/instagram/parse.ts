/** Turns any answer of Instagram about one post into the Post, or into an AppError. Pure. */
import { AppError, toAppError } from '../../../errors.ts';
import { weakNotFound, withEvidence } from '../../extract/refusal.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import { child, firstOf, isJsonObject, parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { Post } from '../../post.ts';
import { type PostDraft, type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { publishTimeOf } from '../kit/link-match.ts';
import {
  embedContext,
  isCopyrightBlocked,
  isSwitchedOff,
  parseEmbedMarkup,
  readCard,
  readOpenGraph,
  withheldVideo,
} from './embed.ts';
import { evidenceIn, failureOfHead, failureOfJson, failureOfPage, failureOfReason } from './failures.ts';
import { MediaFinder, parseStories } from './media.ts';

/** The site begins its JSON with this endless loop, so that no other page can load it as a script. */
const GUARD = 'for (;;);';

function jsonDocuments(answer: string): readonly unknown[] {
  const text = answer.startsWith(GUARD) ? answer.slice(GUARD.length) : answer;
  const whole = parseJson(text);
  return whole === undefined ? text.split('\n', 100).map(parseJson) : [whole];
}

/** Turns a draft into a post. If the time of publication is not stated, it is calculated from the post's id. */
function postOfDraft(draft: PostDraft, context: Omit<ReadContext, 'kind'>): Post {
  const publishedAt = draft.publishedAt ?? publishTimeOf(context.ref.parts.mediaId ?? '');
  return toPost({ ...draft, publishedAt }, context);
}

/** The failure of JSON with neither a post nor a known failure. It quotes the site's message, if there is one. */
function unknownAnswer(answer: unknown): AppError {
  const words = read.text(child(answer, 'message'))?.slice(0, 100);
  return new AppError('upstream_changed', words === undefined ? 'an answer of an unknown kind' : `it says: ${words}`);
}

function parseJsonAnswer(text: string, context: ReadContext): Post {
  const documents = jsonDocuments(text);
  const finder = new MediaFinder(context.ref);
  for (const document of documents) finder.read(document);
  finder.finish();
  const { draft, hasOthers, emptiness } = finder;
  if (draft !== null && readableItems(draft) > 0) return postOfDraft(draft, context);
  const stated = finder.failure ?? firstOf(documents, failureOfJson) ?? emptiness;
  if (stated !== null) throw stated;
  throw hasOthers ? new AppError('upstream_changed', 'the answer is about another post') : unknownAnswer(documents[0]);
}

/** The beginning of scripts with data in pages until 2022, such as `window._sharedData = {…};`. */
const OLD_DATA = /^\s*window\.(?:_sharedData\s*=|__additionalDataLoaded\()/;

function oldData(page: Body): readonly unknown[] {
  if (!page.includes('window._')) return [];
  const texts = page.scripts.filter(script => !script.isJson).map(({ text }) => text);
  const old = texts.filter(text => OLD_DATA.test(text));
  return old.map(text => parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
}

/** Parses the few scripts that contain the post's id, and all others only if these give no complete post. */
function readScripts(page: Body, { ref }: ReadContext): MediaFinder {
  const finder = new MediaFinder(ref);
  const naming = new Set(page.jsonScriptsWith([ref.id, ref.parts.mediaId ?? ref.id]));
  for (const script of naming) finder.read(parseJson(script.text));
  if (!finder.isDone) for (const document of [embedContext(page), ...oldData(page)]) finder.read(document);
  const others = finder.isDone ? [] : page.scripts.filter(script => script.isJson && !naming.has(script));
  for (const script of others) finder.read(parseJson(script.text));
  finder.finish();
  return finder;
}

/** A null in place of the post does not prove that the post is gone. Only the name of the page's route proves it. */
function failureWithoutPost(page: Body, { emptiness }: MediaFinder, { kind }: ReadContext): AppError {
  const failure = failureOfPage(page.text);
  if (failure.code !== 'not_found') return emptiness?.code === 'private' ? emptiness : failure;
  return kind === 'page' ? failure : weakNotFound('an error page in place of an answer');
}

function parsePage(page: Body, context: ReadContext): Post {
  const { ref } = context;
  const finder = readScripts(page, context);
  const { draft } = finder;
  const isCover = draft?.items.length === 1 && draft.items[0]?.kind !== 'video' && isSwitchedOff(page);
  if (draft !== null && readableItems(draft) > 0 && !isCover) return postOfDraft(draft, context);
  if (draft !== null && readableItems(draft) === 0 && isCopyrightBlocked(page)) throw finder.gate ?? withheldVideo();
  // A page's head or embed shows only one file, so these are used only for a post with a single item.
  const isSingle = draft === null || draft.items.length === 1;
  const shown = isSingle ? (readOpenGraph(page, ref) ?? shownByEmbed(page, context, finder, isCover)) : null;
  if (shown !== null) return postOfDraft(shown, context);
  throw finder.failure ?? failureWithoutPost(page, finder, context);
}

/** Reads what an embed shows. Its refusal is thrown only if the page's data state no failure themselves. */
function shownByEmbed(page: Body, { ref }: ReadContext, finder: MediaFinder, isCover: boolean): PostDraft | null {
  try {
    return parseEmbedMarkup(page, ref);
  } catch (error) {
    throw (isCover ? finder.gate : finder.failure) ?? error;
  }
}

/** @throws AppError the failure that the body states or shows, when the requested post is not in it. */
export function parseAnswer(body: Body, context: ReadContext): Post {
  if (context.kind === 'story') {
    const draft = parseStories(body.text, context.ref);
    if (draft !== null) return postOfDraft(draft, context);
    const answer = parseJson(body.text);
    const isFailed = child(answer, 'status') === 'fail';
    throw failureOfJson(answer) ?? (isFailed ? unknownAnswer(answer) : weakNotFound('the story shows nothing'));
  }
  const isJson = ['{', '[', GUARD].some(start => body.startsWith(start));
  return isJson ? parseJsonAnswer(body.text.trimStart(), context) : parsePage(body, context);
}

/** Reads status and redirect first. Even the body of a refusal is read: it may state the reason or contain the post. */
export function readResponse({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const ofHead = failureOfHead(head, context.now);
  if (ofHead === null) return parseAnswer(body, context);
  if (head.status < 400 || head.status >= 500 || head.status === 429) throw ofHead;
  try {
    return parseAnswer(body, context);
  } catch (error) {
    const ofBody = toAppError(error);
    const isVague = ofBody.code === 'upstream_changed' || ofBody.code === 'upstream_unavailable';
    throw isVague && ofBody.code !== ofHead.code ? ofHead : ofBody;
  }
}

/** @throws AppError the site's stated reason, or the failure that status and body mean. */
export function parseOembed(response: SiteAnswer, context: Omit<ReadContext, 'kind'>): Post {
  const json = parseJson(response.body.text);
  const answer = isJsonObject(json) ? json : {};
  const reason = failureOfReason(answer);
  if (reason !== null && response.status >= 400) throw reason;
  const ofHead = failureOfHead(response, context.now);
  const card = ofHead === null ? readCard(answer, context.ref) : null;
  if (card !== null) return postOfDraft(card, context);
  const stated = reason ?? failureOfJson(answer) ?? ofHead;
  const failure = stated ?? new AppError('upstream_changed', 'oEmbed: an answer of an unknown kind');
  // oEmbed knows only public posts and calls a private one missing, so another strategy has to confirm `not_found`.
  throw failure.code === 'not_found' ? weakNotFound(`oEmbed: ${failure.message}`) : failure;
}

/** @throws AppError with the evidence of a refusal that the answer shows. */
export function readInstagramAnswer(answer: SiteAnswer, context: ReadContext): Post {
  if (context.kind === 'card') return parseOembed(answer, context);
  const { status, body } = answer;
  // A 404 without JSON means that the site has removed this query; the post may exist.
  if (context.kind === 'query' && (status === 404 || status === 410) && !body.startsWith('{')) {
    throw new AppError('upstream_changed', `the query is gone (status ${status})`);
  }
  try {
    return readResponse(answer, context);
  } catch (error) {
    const failure = toAppError(error);
    // A private account's post has a link with a suffix after its shortcode. To visitors the site calls it missing.
    const isPrivate = failure.code === 'not_found' && context.ref.parts.private === '1';
    throw withEvidence(failure, evidenceIn(answer, context.kind), isPrivate ? 'private' : failure.code);
  }
}
