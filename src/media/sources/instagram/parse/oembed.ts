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
import { type AnswerContext, EMPTY_DRAFT, UNKNOWN_AUTHOR } from '../../kit/draft.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { failureOfHead, failureOfJson } from '../failures.ts';
import { postOf } from './answer.ts';

const USER_NAME = /^[A-Za-z0-9._]{1,30}$/;
const MAX_WORDS_CHARS = 1_000;

/**
 * Region, age and a limited audience share message and status: the English words distinguish them.
 * @returns null for a refusal that names no reason
 */
function failureOfRefusal(answer: JsonObject): AppError | null {
  const message = readText(answer.message);
  const title = readText(answer.title);
  const description = readText(answer.description);
  const data = readText(answer.blocks_logging_data);
  const words = [title, description, message]
    .map(part => part?.slice(0, MAX_WORDS_CHARS) ?? '')
    .join(' ')
    .toLowerCase()
    .replaceAll('\u2019', "'");
  if (/account is private|private account|not authorized to view/.test(words)) {
    return new AppError('private', 'oEmbed: a private account');
  }
  if (message !== 'geoblock_required') return null;
  if (data?.includes('MIN_AGE') || /\bunder (?:1[3-9]|2[015])\b|years old|\bage\b/.test(words)) {
    return new AppError('age_restricted', 'oEmbed: kept from people under an age');
  }
  if (/country|countries|region|location|where you/.test(words)) {
    return new AppError('region_blocked', 'oEmbed: kept from this region');
  }
  return new AppError('login_required', 'oEmbed: kept from visitors');
}

/** `A post shared by NAME (@username)`, in the markup that other sites are to show; null when it is not there. */
function nameIn(html: string | null): string | null {
  if (html === null) return null;
  let words = '';
  readMarkup(
    html.slice(0, 50_000),
    {
      onopentag() {},
      ontext(part) {
        words += part;
      },
      onclosetag() {},
    },
    { xml: false },
  );
  return /A post shared by (.{1,100}?) \(@/.exec(words)?.[1]?.trim() || null;
}

function readCard(answer: JsonObject, { ref, strategy, now }: AnswerContext): Post | null {
  const name = readText(answer.author_name);
  const mediaId = readId(answer.media_id);
  const coverUrl = readAddress(answer.thumbnail_url);
  if (mediaId !== null && mediaId !== ref.parts.mediaId) {
    throw new AppError('upstream_changed', 'oEmbed: an answer about another post');
  }
  const username = name !== null && USER_NAME.test(name) ? name : null;
  if (username === null && coverUrl === null) return null;
  const draft = {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, id: readId(answer.author_id), username, name: nameIn(readText(answer.html)) },
    caption: readText(answer.title),
    // A cover is no item: there is at least one, and it was not given.
    items: [null],
    coverUrl,
  };
  return postOf(draft, { ref, strategy, now });
}

/**
 * Author and cover of the post, without items.
 * @throws AppError the site's reason, where it names one; else what status and body mean.
 */
export function parseOembed(response: HttpResponse, context: AnswerContext): Post {
  const answer = parseJson(response.text);
  const refused = isJsonObject(answer) && response.status >= 400 ? failureOfRefusal(answer) : null;
  if (refused !== null) throw refused;
  const ofHead = failureOfHead(response, context.now);
  const post = ofHead === null && isJsonObject(answer) ? readCard(answer, context) : null;
  if (post !== null) return post;
  const stated = isJsonObject(answer) ? (failureOfRefusal(answer) ?? failureOfJson(answer)) : null;
  const failure = stated ?? ofHead ?? new AppError('upstream_changed', 'oEmbed: an answer of an unknown kind');
  // It knows public posts alone: a private one may look the same.
  throw failure.code === 'not_found' ? weakNotFound(`oEmbed: ${failure.message}`) : failure;
}
