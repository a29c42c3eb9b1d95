/** Sites refuse to show a post in words, by status and by redirect. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';

/** A `not_found` that may only mean that the endpoint died or does not know the post: the chain goes on, and says it when nothing else is known. */
export function weakNotFound(message: string): AppError {
  return new AppError('not_found', message, { params: { weak: 1 } });
}

/**
 * The site blocks the caller or asks for proof of a person, which is never given: the endpoint rests, as long as the site says or 1 to 30
 * minutes, and the next way is asked. Where none is left, people are told when the site is asked again.
 */
export function blocked(message: string, retryAfterMs?: number): AppError {
  return new AppError('upstream_rate_limited', message, { retryAfterMs });
}

/** Whoever asked was refused, whatever the post. */
export function refusedCaller(message: string): AppError {
  return new AppError('login_required', message, { params: { refused: 1 } });
}

/** Words of a site in lower case with plain apostrophes, and the code that they mean. */
export type Sign = readonly [RegExp, ErrorCode];

/** Text as signs are written: in lower case, with plain apostrophes. */
export function plainWords(text: string): string {
  return text.toLowerCase().replace(/&#0?39;|&#x27;|&apos;|\u2019|\\u2019/g, "'");
}

/** The first of the signs that stands in the words, as an error; null when none does. */
export function failureBySign(words: string, signs: readonly Sign[]): AppError | null {
  const sign = signs.find(([pattern]) => pattern.test(words));
  return sign === undefined ? null : new AppError(sign[1], `the site says so: ${sign[0].source.slice(0, 60)}`);
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'login_required',
  403: 'login_required',
  404: 'not_found',
  410: 'not_found',
  429: 'upstream_rate_limited',
  451: 'region_blocked',
};

/** The failure that a status alone means; null below 400. */
export function failureOfStatus({ status, headers }: HttpHead, now: number): AppError | null {
  if (status < 400) return null;
  const code = CODES[status] ?? (status >= 500 ? 'upstream_unavailable' : 'upstream_changed');
  if (code === 'not_found') return weakNotFound(`status ${status}`);
  return new AppError(code, `status ${status}`, { retryAfterMs: parseRetryAfter(headers['retry-after'], now) });
}

/** By the place as well where a page's answer ends or leads to; null for one that may hold the post. @param wall paths of logins and the like */
export function failureOfPlace(head: HttpHead, now: number, wall: RegExp): AppError | null {
  const { status, headers, url } = head;
  const { pathname } = redirectOf(head) ?? new URL(url, 'https://site.invalid/post');
  if (wall.test(pathname)) return refusedCaller('redirected to a wall');
  if (pathname === '/') return weakNotFound('redirected to the home page');
  if (status === 401 || status === 403)
    return blocked(`status ${status}`, parseRetryAfter(headers['retry-after'], now));
  if (status >= 400) return failureOfStatus(head, now);
  return status >= 300 ? new AppError('upstream_changed', 'redirected elsewhere') : null;
}

/** The target of a redirect; null for any other answer, or one that leads nowhere. */
export function redirectOf({ status, headers, url }: HttpHead): URL | null {
  const { location } = headers;
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, url)) return null;
  return new URL(location, url);
}
