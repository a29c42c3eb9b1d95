/** Any answer of Instagram to a question about one post -> the Post, or the AppError that it means. Pure. */
import { AppError, toAppError } from '../../../../errors.ts';
import type { Body } from '../../../parse/body.ts';
import { isJsonObject, parseJson } from '../../../parse/json-search.ts';
import type { SiteAnswer } from '../../../parse/site-answer.ts';
import type { Post } from '../../../post.ts';
import { type PostContext, type PostDraft, type ReadContext, readableItems, toPost } from '../../kit/draft.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { embedContext, isSwitchedOff, parseEmbedMarkup } from './embed.ts';
import { failureForLink, failureOfHead, failureOfJson, failureOfPage } from './failures.ts';
import { MediaFinder } from './find-media.ts';
import { parseOpenGraph } from './open-graph.ts';
import { publishTimeOf } from './shortcode.ts';

/** The site's guard against the inclusion of its JSON by other pages. */
const GUARD = 'for (;;);';

/** One document, or several, a line each. */
function jsonDocuments(answer: string): readonly unknown[] {
  const text = answer.startsWith(GUARD) ? answer.slice(GUARD.length) : answer;
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  const lines = text.split('\n', 100).map(parseJson);
  return lines.filter(value => isJsonObject(value) || Array.isArray(value));
}

/** The post of a draft; where the answer does not say when it was published, its id does. */
export function postOfDraft(draft: PostDraft, context: PostContext): Post {
  const publishedAt = draft.publishedAt ?? publishTimeOf(context.ref.parts.mediaId ?? '');
  return toPost({ ...draft, publishedAt }, context);
}

/** The failure of an answer that has the asked media without a file of it; null when the media is not in it. */
function failureOfMedia({ draft, isHeld, restriction, gate }: MediaFinder): AppError | null {
  if (restriction !== null || gate !== null) return restriction ?? gate;
  if (draft === null && !isHeld) return null;
  return new AppError('upstream_changed', 'the post came without a media address that we know');
}

function parseJsonAnswer(text: string, context: ReadContext): Post {
  const documents = jsonDocuments(text);
  const finder = new MediaFinder(context.ref);
  for (const document of documents) finder.read(document);
  finder.finish();
  const { draft, hasOthers, emptiness } = finder;
  if (draft !== null && readableItems(draft) > 0) return postOfDraft(draft, context);
  const stated = failureOfMedia(finder) ?? documents.map(failureOfJson).find(failure => failure !== null) ?? emptiness;
  if (stated !== null) throw stated;
  const message = hasOthers ? 'the answer is about another post' : 'an answer of an unknown kind';
  throw new AppError('upstream_changed', message);
}

/** Reads the scripts that name the post, which are few of a page's hundred, and the others only where those do not suffice. */
function readScripts(page: Body, { ref }: ReadContext): MediaFinder {
  const finder = new MediaFinder(ref);
  const naming = new Set(page.jsonScriptsWith([ref.id, ref.parts.mediaId ?? ref.id]));
  for (const script of naming) finder.read(parseJson(script.text));
  if (!finder.isDone) finder.read(embedContext(page));
  const others = finder.isDone ? [] : page.scripts.filter(script => script.isJson && !naming.has(script));
  for (const script of others) finder.read(parseJson(script.text));
  finder.finish();
  return finder;
}

/**
 * The failure of a page without the post, by its route. A null in the place of the media is no word of the site's on a page, unlike
 * in the answer of a query: for a post that is gone it shows its error page.
 */
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
  // One file is the whole of a post with one item, and no part of a carousel is.
  const isSingle = draft === null || draft.items.length === 1;
  const shown = isSingle ? (parseOpenGraph(page, ref) ?? shownByEmbed(page, context, finder, isCover)) : null;
  if (shown !== null) return postOfDraft(shown, context);
  throw failureOfMedia(finder) ?? failureWithoutPost(page, finder, context);
}

/** The visible part of an embed. Its refusal counts only where the page's data say nothing of the post but its cover. */
function shownByEmbed(page: Body, { ref }: ReadContext, finder: MediaFinder, isCover: boolean): PostDraft | null {
  try {
    return parseEmbedMarkup(page, ref);
  } catch (error) {
    throw (isCover ? (finder.restriction ?? finder.gate) : failureOfMedia(finder)) ?? error;
  }
}

/**
 * The post of any body that Instagram answered with: JSON or a page, in either shape.
 * @throws AppError what the body means when the asked post is not in it.
 */
export function parseAnswer(body: Body, context: ReadContext): Post {
  const isJson = ['{', '[', GUARD].some(start => body.startsWith(start));
  return isJson ? parseJsonAnswer(body.text.trimStart(), context) : parsePage(body, context);
}

/** Status and redirect count before the body, but the body of a refusal may say more: why, or even the post. */
function readStated({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const ofHead = failureOfHead(head, context.now);
  if (ofHead === null) return parseAnswer(body, context);
  if (head.status < 400 || head.status >= 500 || head.status === 429) throw ofHead;
  try {
    return parseAnswer(body, context);
  } catch (error) {
    const ofBody = toAppError(error);
    throw ofBody.code === 'upstream_changed' || ofBody.code === 'upstream_unavailable' ? ofHead : ofBody;
  }
}

/**
 * The post of a whole response.
 * @throws AppError as `parseAnswer` does.
 */
export function readResponse(answer: SiteAnswer, context: ReadContext): Post {
  try {
    return readStated(answer, context);
  } catch (error) {
    throw failureForLink(context.ref, toAppError(error));
  }
}
