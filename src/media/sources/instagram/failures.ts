/** What Instagram's refusals look like (2026-08 to 2026-10), and the code each means. Pure. */
import { z } from 'zod';
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import type { PostRef } from '../../extract/source.ts';
import { flag, listOf, objectOf, text } from '../../parse/fields.ts';
import { isJsonObject } from '../../parse/json-search.ts';
import { SITE_HOSTS } from './constants.ts';

/**
 * A `not_found` that may only mean that the endpoint died: the chain goes on, and says it when nothing else is known.
 */
export function weakNotFound(message: string): AppError {
  return new AppError('not_found', message, { params: { weak: 1 } });
}

/** No media where one was asked for: a link with a private suffix is then a private post, any other perhaps a removed one. */
export function emptyAnswer(ref: PostRef, message: string): AppError {
  return ref.parts.private === '1' ? new AppError('private', message) : weakNotFound(message);
}

/** Media that is there but kept from visitors: age, sensitivity, region, or an account is wanted. */
export function gatedAnswer(ref: PostRef, message: string): AppError {
  return new AppError(ref.parts.private === '1' ? 'private' : 'login_required', message);
}

/** Where a redirect away from the post leads, by its path; null when it still may be the post. */
export function failureOfPath(path: string): AppError | null {
  if (path.startsWith('/accounts/login')) return new AppError('login_required', 'redirected to the login page');
  if (path.startsWith('/challenge') || path.startsWith('/accounts/') || path.startsWith('/consent')) {
    return new AppError('login_required', 'redirected to a challenge');
  }
  return path === '/' || path === '' ? new AppError('login_required', 'redirected to the home page') : null;
}

const ORIGIN = 'https://www.instagram.com/';

/** Where a redirect leads when that is a page of the site, else null. */
export function redirectWithinSite(head: HttpHead): URL | null {
  const location = head.headers.location;
  if (location === undefined || !URL.canParse(location, head.url)) return null;
  const target = new URL(location, head.url);
  return target.protocol === 'https:' && SITE_HOSTS.includes(target.host) ? target : null;
}

function failureOfRedirect(head: HttpHead): AppError {
  const target = redirectWithinSite(head);
  if (target === null) return new AppError('upstream_changed', `redirected off the site (${head.status})`);
  const elsewhere = failureOfPath(target.pathname);
  return elsewhere ?? new AppError('upstream_changed', `redirected to another page (${head.status})`);
}

function retryAfterMs(head: HttpHead, now: number): number | undefined {
  const value = head.headers['retry-after'];
  if (value === undefined) return undefined;
  const wait = /^\d{1,6}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, 3_600_000) : undefined;
}

const ODD_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'upstream_changed',
  401: 'login_required',
  403: 'login_required',
  404: 'not_found',
  410: 'not_found',
  429: 'upstream_rate_limited',
  451: 'region_blocked',
};

/** What status and redirect say before the body is read; null for an answer that may hold the post. */
export function failureOfHead(head: HttpHead, now: number): AppError | null {
  if (head.status >= 300 && head.status < 400) return failureOfRedirect(head);
  const elsewhere = failureOfPath(new URL(head.url, ORIGIN).pathname);
  if (elsewhere !== null) return elsewhere;
  if (head.status < 400) return null;
  const code = ODD_STATUS[head.status] ?? (head.status >= 500 ? 'upstream_unavailable' : 'upstream_changed');
  if (code === 'not_found') return weakNotFound(`status ${head.status}`);
  return new AppError(code, `status ${head.status}`, { retryAfterMs: retryAfterMs(head, now) });
}

const errorBody = z.object({
  message: text,
  error_type: text,
  require_login: flag,
  error: z.unknown().optional(),
  errors: listOf(z.object({ message: text, code: z.unknown().optional(), extensions: objectOf({ code: text }) })),
});

const RATE_LIMIT_CODE = 1_675_004;
const MEDIA_NOT_FOUND_CODE = 4_630_001;

/** Their sentences, in lower case, most telling first. */
const SENTENCES: readonly (readonly [RegExp, ErrorCode])[] = [
  [/media not found or unavailable/, 'not_found'],
  [/not authorized to view|private account/, 'private'],
  [/rate limit exceeded|please wait a few minutes|too many requests/, 'upstream_rate_limited'],
  [/(?:feedback|checkpoint|challenge|login|consent)_required|not logged in/, 'login_required'],
  [/execution error|transient|temporarily|try again later/, 'upstream_unavailable'],
];

function failureOfSentence(sentence: string): AppError | null {
  const known = SENTENCES.find(([pattern]) => pattern.test(sentence.slice(0, 500).toLowerCase()));
  return known === undefined ? null : new AppError(known[1], `answered with an error: ${known[0].source}`);
}

/** The refusal that a JSON answer spells out; null when it spells out none. */
export function failureOfJson(answer: unknown): AppError | null {
  const result = errorBody.safeParse(answer);
  if (!result.success) return null;
  const { message, error_type, require_login, error, errors } = result.data;
  const codes = [...errors.flatMap(one => [one.code, one.extensions?.code]), error].map(Number);
  if (codes.includes(MEDIA_NOT_FOUND_CODE)) return new AppError('not_found', 'media not found or unavailable');
  if (codes.includes(RATE_LIMIT_CODE)) return new AppError('upstream_rate_limited', 'rate limit exceeded');
  if (require_login === true) return new AppError('login_required', 'answered that a login is required');
  for (const sentence of [message, error_type, ...errors.map(one => one.message)]) {
    const failure = sentence === null ? null : failureOfSentence(sentence);
    if (failure !== null) return failure;
  }
  return errors.length > 0 ? new AppError('upstream_unavailable', 'answered with an unknown error') : null;
}

const PRIVATE_ROUTE = /"tracePolicy"\s*:\s*"polaris\.privatePostPage"/;

/** Whether an answer about routes, or a page, names the post private. */
export function namesPrivatePost(body: string): boolean {
  return PRIVATE_ROUTE.test(body);
}

/** Address of a post's file, slashes escaped or not; `t51.2885-19` are profile pictures, which the shell of a page shows too. */
const MEDIA_FILE = /(?:cdninstagram\.com|fbcdn\.net)\\?\/(?:o1\\?\/)?v\\?\/t(?!51\.2885-19)\d/;

function failureOfRoute(route: string, html: string): AppError | null {
  if (/ErrorRoute|ErrorPage/.test(route)) return new AppError('not_found', 'the site shows its error page');
  if (/Login|Signup/.test(route)) return new AppError('login_required', 'the site shows its login page');
  if (/Challenge|Checkpoint/.test(route)) return new AppError('login_required', 'the site shows a challenge');
  if (/Post|Reel|Clips/.test(route)) {
    if (MEDIA_FILE.test(html)) return new AppError('upstream_changed', 'a page with files that could not be read');
    return new AppError('upstream_rate_limited', 'the site shows the page of the post without the post');
  }
  return null;
}

/**
 * Why a page without the post is without it, by its route name: the site answers 200 even for posts that do not exist.
 * `not_found` is definitive here only for pages of the post itself.
 */
export function failureOfPage(html: string): AppError {
  if (namesPrivatePost(html)) return new AppError('private', 'the page is marked as a private post');
  const routes = [...html.matchAll(/"canonicalRouteName"\s*:\s*"([\w.]{1,120})"/g)].map(match => match[1] ?? '');
  for (const route of routes) {
    const failure = failureOfRoute(route, html);
    if (failure !== null) return failure;
  }
  if (/"HttpErrorPage"|<title>\s*Page not found/i.test(html)) return weakNotFound('the site shows its old error page');
  if (/<title>\s*Log ?in|"LoginAndSignupPage"|id="loginForm"|name="password"/i.test(html)) {
    return new AppError('login_required', 'the site shows its login page');
  }
  return new AppError('upstream_changed', 'a page of an unknown kind');
}

const ruling = z.object({ status: text, title: text, description: text });

/** The restriction that Instagram's own ruling names, or null. Region and age share the title "Restricted Video". */
export function failureOfRuling(answer: unknown): AppError | null {
  const result = ruling.safeParse(isJsonObject(answer) ? answer : {});
  if (!result.success || result.data.status === 'ok') return null;
  const title = (result.data.title ?? '').slice(0, 500).toLowerCase();
  const words = `${title} ${(result.data.description ?? '').slice(0, 1_000).toLowerCase()}`;
  if (/private/.test(title)) return new AppError('private', 'ruled private');
  if (!/restricted|sensitive|\bage\b|years old/.test(words)) return null;
  if (/country|region|location|where you/.test(words))
    return new AppError('region_blocked', 'ruled out in this region');
  return new AppError('age_restricted', 'ruled restricted');
}
