/** Turns Instagram's refusals (as seen from 2026-08 to 2026-10) into errors. Pure. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import { refusal, weakNotFound } from '../../extract/refusal.ts';
import type { PostRef } from '../../extract/source.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, firstOf, isJsonObject, type JsonObject } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { AnswerKind } from '../kit/draft.ts';
import { failureBySign, failureOfStatus, plainWords, redirectOf, type Sign } from '../kit/failures.ts';
import { INSTAGRAM_HOSTS } from './link.ts';

/** True for the path of a page that the site shows to a refused visitor: login, challenge, home page. */
export function isWall(path: string): boolean {
  return /^\/(?:accounts\/|challenge|consent)|^\/?$/.test(path);
}

export function loginWall(): AppError {
  return refusal('login', 'the site shows a page for those who are to log in');
}

export function redirectWithinSite(head: HttpHead): URL | null {
  const target = redirectOf(head);
  return target?.protocol === 'https:' && INSTAGRAM_HOSTS.includes(target.host) ? target : null;
}

/** The failure that status and redirect show; null when the answer may contain the post. */
export function failureOfHead(head: HttpHead, now: number): AppError | null {
  const isRedirect = head.status >= 300 && head.status < 400;
  const page = isRedirect ? redirectWithinSite(head) : new URL(head.url, 'https://www.instagram.com/');
  if (page !== null && isWall(page.pathname)) return loginWall();
  return isRedirect ? new AppError('upstream_changed', `redirected (${head.status})`) : failureOfStatus(head, now);
}

/** Signs, in an answer without the post, that the site refuses the caller or wants proof that a person asks. */
export function evidenceIn(answer: SiteAnswer, kind: AnswerKind): readonly ('challenge' | 'caller')[] {
  const next = redirectWithinSite(answer);
  const text = next === null && answer.status >= 400 ? answer.body.text.slice(0, 20_000) : '';
  const isStated = /"(?:(?:checkpoint|challenge|feedback)_required|sentry_block)"/.test(text);
  const isChallenge = isStated || /^\/(?:challenge\b|accounts\/suspended)/.test(next?.pathname ?? '');
  const isPage = kind === 'query' && answer.body.startsWith('<');
  const isRefused = isPage || answer.status === 401 || (next !== null && isWall(next.pathname));
  return [...(isChallenge ? (['challenge'] as const) : []), ...(isRefused ? (['caller'] as const) : [])];
}

const PRIVATE = /not authorized to view|private account|account is private/;
const RATE_LIMIT_CODE = 1_675_004;
const MEDIA_NOT_FOUND_CODE = 4_630_001;
const NOT_LOGGED_IN_CODE = 1_357_001;

/** Sentences in the site's JSON. If several match, the first one counts. */
const SENTENCES: readonly Sign[] = [
  [/media not found or unavailable|(?:media|photo|video|post) has been deleted|media is unavailable/, 'not_found'],
  // The site renames its queries and their variables now and then.
  [/document with id \d{1,25} was not found|missing_required_variable/, 'upstream_changed'],
  [PRIVATE, 'private'],
  [/rate limit exceeded|please wait a few minutes|too many requests/, 'upstream_rate_limited'],
  [/(?:feedback|checkpoint|challenge|login|consent)_required|sentry_block|not logged in/, 'login_required'],
  [/execution error|transient|temporarily|try again later/, 'upstream_unavailable'],
];

export function failureOfJson(answer: unknown): AppError | null {
  if (!isJsonObject(answer)) return null;
  const errors = read.list(answer.errors).filter(isJsonObject);
  const codes = [...errors.flatMap(one => [one.code, child(one.extensions, 'code')]), answer.error].map(Number);
  if (codes.includes(MEDIA_NOT_FOUND_CODE)) return new AppError('not_found', 'media not found or unavailable');
  if (codes.includes(RATE_LIMIT_CODE)) return refusal('limit', 'rate limit exceeded');
  if (codes.includes(NOT_LOGGED_IN_CODE)) return refusal('login', 'answered that the caller is not logged in');
  const sentences = [answer, { message: answer.error_type }, ...errors].map(one => wordsOf(one, 'message'));
  // The query by shortcode gives this error for removed and restricted posts. The query by media id tells which.
  if (sentences.some(one => one.includes('field_exception'))) {
    return new AppError('not_found', 'gone or gated: field_exception', { params: { weak: 1, exception: 1 } });
  }
  const failure = firstOf(sentences, one => failureBySign(one, SENTENCES));
  // The text of a rate limit mentions a login, as a way around the limit. That does not mean that a login is required.
  if (failure?.code !== 'upstream_rate_limited' && read.boolean(answer.require_login) === true) {
    return refusal('login', 'answered that a login is required');
  }
  const isError = errors.length > 0 || typeof answer.error === 'number';
  const unknown = isError ? new AppError('upstream_unavailable', 'answered with an unknown error') : null;
  return failureOfGeoblock(answer, false) ?? failure ?? unknown;
}

export function namesPrivatePost(body: string): boolean {
  return /"tracePolicy"\s*:\s*"polaris\.privatePostPage"/.test(body);
}

/** The address of a file of a post. A 19, as in `t51.2885-19`, means a profile image instead. */
const MEDIA_FILE = /(?:cdninstagram\.com|fbcdn\.net)\\?\/(?:o1\\?\/)?v\\?\/t(?!51\.\d{1,6}-19\b)\d/;
/** Tags for crawlers. They contain a post's cover even if the page lacks the post (seen in 2026-10). */
const HEAD_TAG = /<(?:meta|link)\s[^<>]{0,8000}>/gi;

/** Patterns for the name of a page's route, which tells the kind of page, and the failure that each name means. */
const ROUTES: readonly Sign[] = [
  [/Private/, 'private'],
  [/ErrorRoute|ErrorPage/, 'not_found'],
  [/Login|Signup|Challenge|Checkpoint/, 'login_required'],
  // The route is that of a post, but this page lacks the post: the site limits this caller.
  [/Post|Reel|Clips/, 'upstream_rate_limited'],
];
const MAX_ROUTES = 20;

/**
 * The failure that a page without the post shows. Its status is 200 even if the post is missing, so the names of its
 * routes decide. An error route counts only if the page has no other route.
 */
export function failureOfPage(html: string): AppError {
  if (namesPrivatePost(html)) return new AppError('private', 'the page is marked as a private post');
  // The site shows its error page for a post whose author set a least age; the page states that age (seen in 2026-07).
  if (/"restricted_age"\s{0,9}:\s{0,9}[1-9]/.test(html))
    return new AppError('age_restricted', 'the page states an age');
  const names = [...html.matchAll(/"canonicalRouteName"\s{0,9}:\s{0,9}"([\w.]{1,120})"/g)].slice(0, MAX_ROUTES);
  const failures = names.flatMap(([, name = '']) => failureBySign(name, ROUTES) ?? []);
  const failure = failures.find(({ code }) => code !== 'not_found') ?? failures[0];
  if (failure?.code === 'upstream_rate_limited' && MEDIA_FILE.test(html.replace(HEAD_TAG, ''))) {
    return new AppError('upstream_changed', 'a page with files that could not be read');
  }
  if (failure !== undefined) return failure;
  if (/"HttpErrorPage"|<title>\s{0,99}Page not found/i.test(html)) return weakNotFound('the old error page');
  const isLogin = /<title>\s{0,99}Log ?in|"LoginAndSignupPage"|id="loginForm"|name="password"/i.test(html);
  return isLogin ? loginWall() : new AppError('upstream_changed', 'a page of an unknown kind');
}

/** The failure in a `geoblock_required` answer. Its texts tell whether region, age or the audience is the reason. */
function failureOfGeoblock(answer: JsonObject, isWithheld: boolean): AppError | null {
  if (answer.message !== 'geoblock_required') return null;
  return failureOfWords(answer, isWithheld) ?? refusal('audience', 'kept from a part of the visitors');
}

export function failureOfReason(answer: JsonObject): AppError | null {
  const isPrivate = PRIVATE.test(wordsOf(answer, 'title', 'description', 'message'));
  return isPrivate ? new AppError('private', 'a private account') : failureOfGeoblock(answer, true);
}

export function failureOfRuling(answer: unknown): AppError | null {
  return isJsonObject(answer) && answer.status !== 'ok' ? failureOfWords(answer, false) : null;
}

const MAX_WORDS_CHARS = 1_000;

/** The texts of these properties, joined, in lower case; long ones are cut. */
function wordsOf(said: JsonObject, ...keys: readonly string[]): string {
  return plainWords(keys.map(key => (read.text(said[key]) ?? '').slice(0, MAX_WORDS_CHARS)).join(' '));
}

const REGION = /\bcountry\b|\bcountries\b|\bregion\b|location|where you (?:are|live)/;
const AGE = /\bage\b|min_age|years? old|\b(?:under|over) (?:1\d|2\d)\b|\b(?:1\d|2\d) (?:and|or) (?:over|older)\b/;
/**
 * These words do not tell the kind of restriction. Where no region is named, they mean that the post is hidden by age
 * or because it is sensitive.
 */
const RESTRICTED = /restricted|sensitive/;
const WITHHELD = /(?:isn't|is not|not|un)\s?available|restricted|blocked|can't (?:see|view)/;

/**
 * Finds out from an answer's texts why a post is hidden. The site uses the same titles for limits by region and by age,
 * so all its texts are searched. `isWithheld`: the answer is known to hide the post. Then a `geo` code counts more than
 * words about an age, and the word "restricted" alone does not mean an age limit.
 */
function failureOfWords(said: JsonObject, isWithheld: boolean): AppError | null {
  const words = wordsOf(said, 'title', 'description', 'subtitle', 'blocks_logging_data');
  const rules: readonly (readonly [boolean, ErrorCode])[] = [
    [/private/.test(wordsOf(said, 'title')), 'private'],
    [isWithheld && /\bgeo/.test(wordsOf(said, 'blocks_logging_data')), 'region_blocked'],
    [AGE.test(words), 'age_restricted'],
    [(isWithheld || WITHHELD.test(words)) && REGION.test(words), 'region_blocked'],
    [!isWithheld && RESTRICTED.test(words), 'age_restricted'],
    // This number means an age limit (seen in 2026-09), even if the texts are in a language other than English.
    [Number(said.gating_type) === 3, 'age_restricted'],
  ];
  const code = rules.find(([fits]) => fits)?.[1];
  return code === undefined ? null : new AppError(code, `its words mean ${code}`);
}

/** The error for media that exist but are hidden from visitors, by age, sensitivity, region or a required login. */
export function gatedAnswer(ref: PostRef, message: string): AppError {
  return new AppError(ref.parts.private === '1' ? 'private' : 'login_required', message);
}

/** Properties of media that tell why the site hides them from visitors (`gating_ruling`: seen in 2026-09). */
const RESTRICTION_KEY = /gating|ruling|geo_?block|country_block|region_block|age_(?:gate|restrict)/;

/** The failure that the media's own properties state; null when they state none. */
export function restrictionOf(media: JsonObject): AppError | null {
  const keys = Object.keys(media).filter(key => RESTRICTION_KEY.test(key));
  return firstOf(keys, key => {
    const value = media[key];
    if (isJsonObject(value)) return failureOfWords(value, false);
    const code = /geo|country|region/.test(key) ? 'region_blocked' : /age/.test(key) ? 'age_restricted' : null;
    return value === true && code !== null ? new AppError(code, `the media says ${key}`) : null;
  });
}
