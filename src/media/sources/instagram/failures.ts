/** What Instagram's refusals look like (2026-08 to 2026-10), and the code each means. Pure. */
import { AppError } from '../../../errors.ts';
import type { HttpHead, HttpResponse } from '../../../infra/http/http-client.ts';
import type { PostRef } from '../../extract/source.ts';
import { readFlag, readList, readText } from '../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../parse/json-search.ts';
import { failureBySign, failureOfStatus, plainWords, redirectOf, type Sign, weakNotFound } from '../kit/refusal.ts';
import { SITE_HOSTS } from './constants.ts';

/** No media where one was asked for: perhaps the post was removed. */
export function emptyAnswer(ref: PostRef, message: string): AppError {
  if (ref.parts.private === '1') return new AppError('private', message);
  return new AppError('not_found', message, { params: { weak: 1, empty: 1 } });
}

/** The failure as it is for this link: what visitors do not find behind a link with a private suffix is a private account's post. */
export function failureForLink(ref: PostRef, failure: AppError): AppError {
  if (ref.parts.private !== '1' || failure.code !== 'not_found') return failure;
  return new AppError('private', failure.message, { params: failure.params, cause: failure });
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
  const target = redirectOf(head);
  return target?.protocol === 'https:' && SITE_HOSTS.includes(target.host) ? target : null;
}

/** What status and redirect say before the body is read; null for an answer that may hold the post. */
export function failureOfHead(head: HttpHead, now: number): AppError | null {
  const isRedirect = head.status >= 300 && head.status < 400;
  const page = isRedirect ? redirectWithinSite(head) : new URL(head.url, ORIGIN);
  const elsewhere = page === null ? null : failureOfPath(page.pathname);
  if (elsewhere !== null || !isRedirect) return elsewhere ?? failureOfStatus(head, now);
  return new AppError(
    'upstream_changed',
    `redirected ${page === null ? 'off the site' : 'to another page'} (${head.status})`,
  );
}

const RATE_LIMIT_CODE = 1_675_004;
const MEDIA_NOT_FOUND_CODE = 4_630_001;

/** Their sentences, most telling first. */
const SENTENCES: readonly Sign[] = [
  [/media not found or unavailable/, 'not_found'],
  [/not authorized to view|private account/, 'private'],
  [/rate limit exceeded|please wait a few minutes|too many requests/, 'upstream_rate_limited'],
  [/(?:feedback|checkpoint|challenge|login|consent)_required|not logged in/, 'login_required'],
  [/execution error|transient|temporarily|try again later/, 'upstream_unavailable'],
];

/** The refusal that a JSON answer spells out; null when it spells out none. */
export function failureOfJson(answer: unknown): AppError | null {
  if (!isJsonObject(answer)) return null;
  const errors = readList(answer.errors).filter(isJsonObject);
  const codes = [...errors.flatMap(one => [one.code, child(one.extensions, 'code')]), answer.error].map(Number);
  if (codes.includes(MEDIA_NOT_FOUND_CODE)) return new AppError('not_found', 'media not found or unavailable');
  if (codes.includes(RATE_LIMIT_CODE)) return new AppError('upstream_rate_limited', 'rate limit exceeded');
  const message = readText(answer.message);
  const sentences = [message, readText(answer.error_type), ...errors.map(one => readText(one.message))];
  // Of a post that is gone and of one that is gated alike: another query tells them apart.
  if (sentences.some(one => one?.includes('field_exception'))) {
    return new AppError('not_found', 'gone or gated: field_exception', { params: { weak: 1, exception: 1 } });
  }
  const failure = sentences
    .flatMap(one => (one === null ? [] : (failureBySign(plainWords(one.slice(0, 500)), SENTENCES) ?? [])))
    .at(0);
  // The limit of visitors names a login as well, as the way around it.
  if (failure?.code !== 'upstream_rate_limited' && readFlag(answer.require_login) === true) {
    return new AppError('login_required', 'answered that a login is required');
  }
  if (message === 'geoblock_required') {
    // Region, age and limited audiences all look so; only the words distinguish them.
    return failureOfWords(answer) ?? new AppError('login_required', 'kept from a part of the visitors');
  }
  if (failure !== undefined) return failure;
  return errors.length > 0 ? new AppError('upstream_unavailable', 'answered with an unknown error') : null;
}

const PRIVATE_ROUTE = /"tracePolicy"\s*:\s*"polaris\.privatePostPage"/;

/** Whether an answer about routes, or a page, names the post private. */
export function namesPrivatePost(body: string): boolean {
  return PRIVATE_ROUTE.test(body);
}

/** Address of a post's file, slashes escaped or not; `t51.2885-19` are profile images, which the shell of a page shows too. */
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

const MAX_ROUTES = 20;

/**
 * Why a page without the post is without it, by its route name: the site answers 200 even for posts that do not exist. Where
 * it names several routes, its error page is only believed alone. `not_found` is definitive for pages of the post itself.
 */
export function failureOfPage(html: string): AppError {
  if (namesPrivatePost(html)) return new AppError('private', 'the page is marked as a private post');
  const named = [...html.matchAll(/"canonicalRouteName"\s{0,9}:\s{0,9}"([\w.]{1,120})"/g)].slice(0, MAX_ROUTES);
  const failures = named.flatMap(match => failureOfRoute(match[1] ?? '', html) ?? []);
  const failure = failures.find(one => one.code !== 'not_found') ?? failures[0];
  if (failure !== undefined) return failure;
  if (/"HttpErrorPage"|<title>\s{0,99}Page not found/i.test(html)) {
    return weakNotFound('the site shows its old error page');
  }
  if (/<title>\s{0,99}Log ?in|"LoginAndSignupPage"|id="loginForm"|name="password"/i.test(html)) {
    return new AppError('login_required', 'the site shows its login page');
  }
  return new AppError('upstream_changed', 'a page of an unknown kind');
}

const REGION = /\bcountry\b|\bcountries\b|\bregion\b|location|where you (?:are|live)/;
const AGE = /\bage\b|min_age|years? old|\b(?:under|over) (?:1\d|2\d)\b|\b(?:1\d|2\d) (?:and|or) (?:over|older)\b/;
/** Words that both kinds of restriction share; alone they mean age and sensitivity. */
const RESTRICTED = /restricted|sensitive/;
const WITHHELD = /(?:isn't|is not|not|un)\s?available|restricted|blocked|can't (?:see|view)/;

/** The restriction that the site's own words name, or null: of a ruling, a gate, a refusal. Region and age share titles. */
function failureOfWords(said: JsonObject): AppError | null {
  const word = (key: string, max: number) =>
    (readText(said[key]) ?? '').slice(0, max).toLowerCase().replaceAll('\u2019', "'");
  const title = word('title', 500);
  if (/private/.test(title)) return new AppError('private', 'ruled private');
  const words = [title, word('description', 1_000), word('subtitle', 500), word('blocks_logging_data', 200)].join(' ');
  if (AGE.test(words)) return new AppError('age_restricted', 'ruled restricted by age');
  if (WITHHELD.test(words) && REGION.test(words)) return new AppError('region_blocked', 'ruled out in this region');
  return RESTRICTED.test(words) ? new AppError('age_restricted', 'ruled restricted') : null;
}

/** The restriction that Instagram's own ruling names, or null. */
export function failureOfRuling(answer: unknown): AppError | null {
  return isJsonObject(answer) && answer.status !== 'ok' ? failureOfWords(answer) : null;
}

/** Properties of a media in which the site says why it keeps it from a visitor (`gating_ruling`: 2026-09). */
const RESTRICTION_KEY = /gating|ruling|geo_?block|country_block|region_block|age_(?:gate|restrict)/;

/** The restriction that a media itself states, or null. */
export function restrictionOf(media: JsonObject): AppError | null {
  for (const key in media) {
    const value = media[key];
    // Few values can say it at all, which costs less to see than what a key is called.
    if ((value !== true && !isJsonObject(value)) || !RESTRICTION_KEY.test(key)) continue;
    if (value === true && /geo|country|region/.test(key))
      return new AppError('region_blocked', `the media says ${key}`);
    if (value === true && /age/.test(key)) return new AppError('age_restricted', `the media says ${key}`);
    const stated = isJsonObject(value) ? failureOfWords(value) : null;
    if (stated !== null) return stated;
  }
  return null;
}

/** Whether an account is asked to prove that a person uses it, which another request would only make worse. */
export function isChallenge(response: HttpResponse): boolean {
  const target = response.status >= 300 && response.status < 400 ? redirectWithinSite(response) : null;
  if (target !== null) return /^\/(?:challenge|accounts\/suspended)\b/.test(target.pathname);
  if (response.status < 400) return false;
  return /"(?:checkpoint|challenge|feedback)_required"/.test(response.text.slice(0, 20_000));
}
