/** Recognises by text, status or redirect why a site does not show a post, for all sites. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';
import { refusal, weakNotFound } from '../../extract/refusal.ts';

/** A pattern and the error code that it means. It is matched to text in lower case with plain apostrophes. */
export type Sign = readonly [RegExp, ErrorCode];

export function plainWords(text: string): string {
  return text.toLowerCase().replace(/&#0?39;|&#x27;|&apos;|\u2019|\\u2019/g, "'");
}

/**
 * The error for the first sign that occurs in the text; null when none does.
 * @param account in a text that matches this pattern, "not found" is about the account, not the post
 */
export function failureBySign(words: string, signs: readonly Sign[], account?: RegExp): AppError | null {
  const [pattern, code] = signs.find(([one]) => one.test(words)) ?? [];
  if (pattern === undefined || code === undefined) return null;
  const params = code === 'not_found' && account?.test(words) ? { what: 'account' } : {};
  return new AppError(code, `the site says so: ${pattern.source.slice(0, 60)}`, { params });
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'login_required',
  403: 'login_required',
  404: 'not_found',
  410: 'not_found',
  429: 'upstream_rate_limited',
  451: 'region_blocked',
};

/** The failure that the status alone means; null for a status below 400. */
export function failureOfStatus({ status, headers }: HttpHead, now: number): AppError | null {
  if (status < 400) return null;
  const code = CODES[status] ?? (status >= 500 ? 'upstream_unavailable' : 'upstream_changed');
  if (code === 'not_found') return weakNotFound(`status ${status}`);
  return new AppError(code, `status ${status}`, { retryAfterMs: parseRetryAfter(headers['retry-after'], now) });
}

/**
 * The failure that the status, the final address or a redirect means; null when the answer may contain the post.
 * @param wall matches paths that refused visitors get, such as the login page
 */
export function failureOfPlace(head: HttpHead, now: number, wall: RegExp): AppError | null {
  const { status, headers, url } = head;
  const { pathname } = redirectOf(head) ?? new URL(url, 'https://site.invalid/post');
  if (wall.test(pathname)) return refusal('caller', 'redirected to a wall');
  if (pathname === '/') return weakNotFound('redirected to the home page');
  if (status === 401 || status === 403)
    return refusal('limit', `status ${status}`, { retryAfterMs: parseRetryAfter(headers['retry-after'], now) });
  if (status >= 400) return failureOfStatus(head, now);
  return status >= 300 ? new AppError('upstream_changed', 'redirected elsewhere') : null;
}

/** The target of a redirect; null when the answer is no redirect or has no valid target. */
export function redirectOf({ status, headers, url }: HttpHead): URL | null {
  const { location } = headers;
  if (status < 300 || status >= 400 || location === undefined || !URL.canParse(location, url)) return null;
  return new URL(location, url);
}
