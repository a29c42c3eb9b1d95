/** Any answer of Instagram to a question about one post -> the Post, or the AppError that it means. Pure. */
import { AppError, toAppError } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import { isJsonObject, parseJson } from '../../../parse/json-search.ts';
import type { SiteAnswer } from '../../../parse/site-answer.ts';
import type { Post } from '../../../post.ts';
import { type AnswerContext, type PostDraft, type ReadContext, readableItems, toPost } from '../../kit/draft.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { failureForLink, failureOfHead, failureOfJson, failureOfPage } from '../failures.ts';
import { publishTimeOf } from '../shortcode.ts';
import { embedContext, isSwitchedOff, parseEmbedMarkup } from './embed.ts';
import { createMediaFinder, type Finding, type MediaFinder } from './find-media.ts';
import { parseOpenGraph } from './open-graph.ts';

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

/** The post of a draft; where the answer does not say when it was published, its id does. */
export function postOf(draft: PostDraft, context: AnswerContext): Post {
  const publishedAt = draft.publishedAt ?? publishTimeOf(context.ref.parts.mediaId ?? '');
  return toPost({ ...draft, publishedAt }, context);
}

const UNREADABLE = 'the post came without a media address that we know';

/** What an answer that holds the asked media without a file of it means; null when the media is not in it. */
function failureOfFinding({ draft, isHeld, restriction, gate }: Finding): AppError | null {
  if (restriction !== null) return restriction;
  if (gate !== null) return gate;
  return draft !== null || isHeld ? new AppError('upstream_changed', UNREADABLE) : null;
}

function parseJsonAnswer(text: string, context: ReadContext): Post {
  const documents = jsonDocuments(text);
  const finder = createMediaFinder(context.ref);
  for (const document of documents) finder.read(document);
  const finding = finder.finding();
  const { draft, hasOthers, emptiness } = finding;
  if (draft !== null && readableItems(draft) > 0) return postOf(draft, context);
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
function pageFailure(page: Body, { emptiness }: Finding, { kind }: ReadContext): AppError {
  const failure = failureOfPage(page.text);
  if (failure.code !== 'not_found') return emptiness?.code === 'private' ? emptiness : failure;
  return kind === 'page' ? failure : weakNotFound('an error page in place of an answer');
}

function parsePage(page: Body, context: ReadContext): Post {
  const { ref } = context;
  const finder = createMediaFinder(ref);
  readScripts(page, ref, finder);
  const finding = finder.finding();
  const { draft } = finding;
  const isCover = draft?.items.length === 1 && draft.items[0]?.kind !== 'video' && isSwitchedOff(page);
  if (draft !== null && readableItems(draft) > 0 && !isCover) return postOf(draft, context);
  // One file is the whole of a post with one item, and no part of a carousel is.
  const isSingle = draft === null || draft.items.length === 1;
  const single = isSingle ? (parseOpenGraph(page, ref) ?? shownByEmbed(page, ref, finding, isCover)) : null;
  if (single !== null) return postOf(single, context);
  throw failureOfFinding(finding) ?? pageFailure(page, finding, context);
}

/** The visible part of an embed. What it refuses counts only where the page's data say nothing of the post but its cover. */
function shownByEmbed(page: Body, ref: PostRef, finding: Finding, isCover: boolean): PostDraft | null {
  const held = isCover ? (finding.restriction ?? finding.gate) : failureOfFinding(finding);
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
export function parseAnswer(body: Body, context: ReadContext): Post {
  const isJson = ['{', '[', 'for (;;);'].some(start => body.startsWith(start));
  return isJson ? parseJsonAnswer(body.text.trimStart(), context) : parsePage(body, context);
}

/** A refusal whose body says more than its status: why, or even the post. */
function parseRefusal(body: Body, context: ReadContext, ofHead: AppError): Post {
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
export function readResponse(answer: SiteAnswer, context: ReadContext): Post {
  try {
    return readStated(answer, context);
  } catch (error) {
    throw failureForLink(context.ref, toAppError(error));
  }
}

function readStated(answer: SiteAnswer, context: ReadContext): Post {
  const ofHead = failureOfHead(answer, context.now);
  if (ofHead === null) return parseAnswer(answer.body, context);
  const isRefusal = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  if (isRefusal) return parseRefusal(answer.body, context, ofHead);
  throw ofHead;
}
