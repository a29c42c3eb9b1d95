/** The reasons that X gives in place of a post, as of 2026-11, and the error code that each means. Pure. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, readCount, readList, readText } from '../../parse/json-fields.ts';
import { failureBySign, failureOfStatus, plainWords, type Sign, weakNotFound } from '../kit/refusal.ts';

/** Patterns for the text of tombstones and for reasons. */
const SIGNS: readonly Sign[] = [
  [/age-restricted|under 18|need to log in|nsfw|underage|statedage|ageverif|loggedout/, 'login_required'],
  [/limits who can view|protected|private|not authorized/, 'private'],
  [
    /deleted|no longer exists|suspended|deactivated|violated|copyright|dmca|removed|no status found|bounce/,
    'not_found',
  ],
  [/withheld|legal demand|local law|country|geoblocked/, 'region_blocked'],
];

export function failureOfWords(words: string): AppError | null {
  return failureBySign(plainWords(words), SIGNS, /suspended|account|deactivated/);
}

/**
 * @param result the object in the place of the post
 * @returns null when it gives no reason; without any text the reason is age, or the region of the caller
 */
export function failureOfResult(result: unknown): AppError | null {
  if (!isJsonObject(result) || !/Tombstone|Unavailable/.test(String(result.__typename))) return null;
  const { tombstone, reason } = result;
  const sentences = [child(tombstone, 'text', 'text'), child(tombstone, 'text'), tombstone, reason].map(readText);
  const words = sentences.find(sentence => sentence !== null);
  if (words) return failureOfWords(words) ?? weakNotFound(`unavailable: ${words.slice(0, 80)}`);
  return new AppError('login_required', 'withheld from visitors without a word');
}

const CODES: Readonly<Record<number, ErrorCode>> = { 88: 'upstream_rate_limited', 144: 'not_found', 179: 'private' };

/** The error that a query reports; null when there is none. If a flag is missing or unknown, the message names it. */
export function failureOfErrors(json: unknown): AppError | null {
  const [error] = readList(child(json, 'errors')).filter(isJsonObject);
  if (error === undefined) return null;
  const words = readText(error.message)?.slice(0, 120) ?? '';
  const code = CODES[readCount(error.code) ?? 0];
  if (code !== undefined) return new AppError(code, words);
  const isOurs = /cannot be null|must be defined|not found|invalid|unknown/i.test(words);
  return failureOfWords(words) ?? new AppError(isOurs ? 'upstream_changed' : 'upstream_unavailable', words);
}

/**
 * The failure that the status alone means; null when the body should be read. When the caller is refused, the endpoint is left alone for
 * a while.
 */
export function failureOfHead(answer: SiteAnswer, now: number): AppError | null {
  const { status, headers, body } = answer;
  if (status === 401 || status === 403) {
    return new AppError('upstream_rate_limited', `refused by status ${status}`, { params: { challenge: 1 } });
  }
  // For a post that does not exist, the widget endpoint sends a page.
  if (status === 404 && body.startsWith('<')) return new AppError('not_found', 'no such post');
  const resetAt = readCount(headers['x-rate-limit-reset']);
  if (status !== 429 || resetAt === null) return failureOfStatus(answer, now);
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now) ?? Math.max(0, resetAt * 1000 - now);
  return new AppError('upstream_rate_limited', 'status 429', { retryAfterMs });
}
