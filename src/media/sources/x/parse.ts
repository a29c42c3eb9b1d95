/** Reads an answer of X into the post, or into the AppError that it means (as of 2026-11). Pure. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';
import { refusal, weakNotFound } from '../../extract/refusal.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, firstOf, isJsonObject, parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import { type ReadContext, readableItems, toReadablePost } from '../kit/draft.ts';
import { failureBySign, failureOfStatus, plainWords, type Sign } from '../kit/failures.ts';
import { findTweet, readTweet } from './post.ts';

/** Reads the post. `isCut`: the answer has only the beginning of its text. @throws AppError why there is no post */
export function readXAnswer(answer: SiteAnswer, context: ReadContext) {
  const json = parseJson(answer.body.text.trim());
  const failure = failureOfHead(answer, context.now);
  if (failure !== null) throw (failure.code === 'upstream_rate_limited' ? null : failureOfErrors(json)) ?? failure;
  const stated = failureOfResult(context.kind === 'query' ? child(json, 'data', 'tweetResult', 'result') : json);
  if (stated !== null) throw stated;
  const tweet = findTweet(json, context.ref.id);
  if (tweet === undefined || tweet === null) throw failureWithoutPost(json, context, tweet === undefined);
  const { draft, isCut, reason } = readTweet(tweet);
  const withheld = draft.items.length > 0 && readableItems(draft) === 0 ? failureOfWords(reason ?? '') : null;
  if (withheld !== null) throw withheld;
  const isBlurred = isJsonObject(child(json, 'data', 'tweetResult', 'result', 'mediaVisibilityResults'));
  return { post: toReadablePost({ ...draft, sensitive: draft.sensitive === true || isBlurred }, context), isCut };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (isJsonObject(value) && Object.values(value).every(isEmpty));
}

/**
 * The failure of an answer without the post. An empty answer to the query means that the post was removed; an empty
 * answer of the syndication endpoint means that the post is hidden from visitors.
 */
function failureWithoutPost(json: unknown, { kind }: ReadContext, hasOthers: boolean): AppError {
  if (!isJsonObject(json)) return new AppError('upstream_changed', 'the answer is no JSON');
  if (hasOthers) return new AppError('upstream_changed', 'the answer is about another post');
  if (kind !== 'query' && isEmpty(json)) return refusal('login', 'kept from visitors without a word');
  const isGone = 'data' in json && isEmpty(json.data);
  return failureOfErrors(json) ?? new AppError(isGone ? 'not_found' : 'upstream_changed', 'an answer without a post');
}

/** Patterns for the texts that X shows in place of a post, and for the reasons in its answers. */
const SIGNS: readonly Sign[] = [
  [/age-restricted|under 18|need to log in|nsfw|underage|statedage|ageverif|loggedout/, 'login_required'],
  [/limits who can view|protected|private|not authorized/, 'private'],
  [/deleted|removed|no longer exists|no status found|bounce/, 'not_found'],
  [/suspended|deactivated|violated|copyright|dmca/, 'not_found'],
  [/withheld|legal demand|local law|country|geoblocked/, 'region_blocked'],
];

const failureOfWords = (words: string) => failureBySign(plainWords(words), SIGNS, /suspended|account|deactivated/);

/** The failure that an object in place of the post states, else null. If it has no text, a login is required. */
function failureOfResult(result: unknown): AppError | null {
  if (!isJsonObject(result) || !/Tombstone|Unavailable|Preview/.test(String(result.__typename))) return null;
  const { tombstone, reason } = result;
  const words = firstOf([child(tombstone, 'text', 'text'), child(tombstone, 'text'), tombstone, reason], read.text);
  if (words) return failureOfWords(words) ?? weakNotFound(`unavailable: ${words.slice(0, 80)}`);
  return refusal('login', 'withheld from visitors without a word');
}

const CODES: Readonly<Record<number, ErrorCode>> = { 88: 'upstream_rate_limited', 144: 'not_found', 179: 'private' };

/** The error that a query's answer states, else null. A complaint about the query itself is `upstream_changed`. */
function failureOfErrors(json: unknown): AppError | null {
  const [error] = read.list(child(json, 'errors')).filter(isJsonObject);
  if (error === undefined) return null;
  const words = read.text(error.message)?.slice(0, 120) ?? '';
  const code = CODES[read.count(error.code) ?? 0];
  if (code !== undefined) return new AppError(code, words);
  const isOurs = /cannot be null|must be defined|not found|invalid|unknown/i.test(words);
  return failureOfWords(words) ?? new AppError(isOurs ? 'upstream_changed' : 'upstream_unavailable', words);
}

/** The failure that the status means; null when the body has to be read. 401 and 403 make the endpoint cool down. */
export function failureOfHead(answer: SiteAnswer, now: number): AppError | null {
  const { status, headers, body } = answer;
  if (status === 401 || status === 403) return refusal('challenge', `refused by status ${status}`);
  // For a post that does not exist, the endpoint for widgets answers with a page.
  if (status === 404 && body.startsWith('<')) return new AppError('not_found', 'no such post');
  const resetAt = read.count(headers['x-rate-limit-reset']);
  if (status !== 429 || resetAt === null) return failureOfStatus(answer, now);
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now) ?? Math.max(0, resetAt * 1000 - now);
  return new AppError('upstream_rate_limited', 'status 429', { retryAfterMs });
}
