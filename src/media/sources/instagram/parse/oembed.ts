/**
 * The oEmbed answer: author, words and cover of a post that is public, never its files; the site's own reason for one that is
 * not shown (2026-07 to 2026-09). Pure.
 */
import { AppError } from '../../../../errors.ts';
import type { HttpResponse } from '../../../../infra/http/http-client.ts';
import { readId, readText } from '../../../parse/fields.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../parse/json-search.ts';
import { readMarkup } from '../../../parse/markup.ts';
import type { Post } from '../../../post.ts';
import { readAddress } from '../../kit/cdn-address.ts';
import { EMPTY_DRAFT, type PostContext, type PostDraft, UNKNOWN_AUTHOR } from '../../kit/draft.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { postOfDraft } from './answer.ts';
import { failureOfHead, failureOfJson, failureOfReason } from './failures.ts';
import { USER_NAME } from './link.ts';

/** `A post shared by NAME (@username)`, in the markup that other sites are to show; null when it is not there. */
function nameIn(html: string): string | null {
  let words = '';
  const ontext = (text: string) => {
    words += text;
  };
  readMarkup(html.slice(0, 50_000), { ontext }, { xml: false });
  return /A post shared by (.{1,100}?) \(@/.exec(words)?.[1]?.trim() || null;
}

/** The author and cover of a post without items; null when the answer names neither. */
function readCard(answer: JsonObject, { ref }: PostContext): PostDraft | null {
  const mediaId = readId(answer.media_id);
  if (mediaId !== null && mediaId !== ref.parts.mediaId) {
    throw new AppError('upstream_changed', 'oEmbed: an answer about another post');
  }
  const name = readText(answer.author_name);
  const username = name !== null && USER_NAME.test(name) ? name : null;
  const coverUrl = readAddress(answer.thumbnail_url);
  if (username === null && coverUrl === null) return null;
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, id: readId(answer.author_id), username, name: nameIn(readText(answer.html) ?? '') },
    caption: readText(answer.title),
    // A cover is no item: there is at least one, and it was not given.
    items: [null],
    coverUrl,
  };
}

/**
 * The post without its items.
 * @throws AppError the site's reason, where it names one; else what status and body mean.
 */
export function parseOembed(response: HttpResponse, context: PostContext): Post {
  const json = parseJson(response.text);
  const answer = isJsonObject(json) ? json : {};
  const reason = failureOfReason(answer);
  if (reason !== null && response.status >= 400) throw reason;
  const ofHead = failureOfHead(response, context.now);
  const card = ofHead === null ? readCard(answer, context) : null;
  if (card !== null) return postOfDraft(card, context);
  const stated = reason ?? failureOfJson(answer) ?? ofHead;
  const failure = stated ?? new AppError('upstream_changed', 'oEmbed: an answer of an unknown kind');
  // It knows public posts alone: a private one may look the same.
  throw failure.code === 'not_found' ? weakNotFound(`oEmbed: ${failure.message}`) : failure;
}
