/** The looks of Instagram's refusals (2026-08 to 2026-10), and the code each means. Pure. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, type JsonObject, readFlag, readList, readText } from '../../parse/json-fields.ts';
import type { AnswerKind } from '../kit/draft.ts';
import {
  blocked,
  failureBySign,
  failureOfStatus,
  plainWords,
  redirectOf,
  type Sign,
  weakNotFound,
} from '../kit/refusal.ts';
import { INSTAGRAM_HOSTS } from './link.ts';

/** Pages that the site sends a refused visitor to: its login page, challenges, its home page. */
export function isWall(path: string): boolean {
  return /^\/(?:accounts\/|challenge|consent)|^\/?$/.test(path);
}

export function loginWall(): AppError {
  return new AppError('login_required', 'the site shows a page for those who are to log in');
}

/** Null for a redirect off the site, and for none. */
export function redirectWithinSite(head: HttpHead): URL | null {
  const target = redirectOf(head);
  return target?.protocol === 'https:' && INSTAGRAM_HOSTS.includes(target.host) ? target : null;
}

/** Null for an answer that may hold the post. */
export function failureOfHead(head: HttpHead, now: number): AppError | null {
  const isRedirect = head.status >= 300 && head.status < 400;
  const page = isRedirect ? redirectWithinSite(head) : new URL(head.url, 'https://www.instagram.com/');
  if (page !== null && isWall(page.pathname)) return loginWall();
  if (!isRedirect) return failureOfStatus(head, now);
  return new AppError(
    'upstream_changed',
    `redirected ${page === null ? 'off the site' : 'to another page'} (${head.status})`,
  );
}

export function isChallenge(answer: SiteAnswer): boolean {
  const next = redirectWithinSite(answer);
  if (next !== null) return /^\/challenge\b/.test(next.pathname);
  return answer.status >= 400 && /"(?:checkpoint|challenge|feedback)_required"/.test(answer.body.text.slice(0, 20_000));
}

/** `challenge`: a person is wanted, and another request only makes it worse; `refused`: the caller is, whatever the post. */
export function marksOf(answer: SiteAnswer, kind: AnswerKind): { challenge?: 1; refused?: 1 } {
  const next = redirectWithinSite(answer);
  const isPage = kind === 'query' && answer.body.startsWith('<');
  const isRefused = isPage || answer.status === 401 || (next !== null && isWall(next.pathname));
  return { ...(isChallenge(answer) && { challenge: 1 }), ...(isRefused && { refused: 1 }) };
}

const PRIVATE = /not authorized to view|private account|account is private/;
const RATE_LIMIT_CODE = 1_675_004;
const MEDIA_NOT_FOUND_CODE = 4_630_001;

/** The sentences of its JSON, most telling first. */
const SENTENCES: readonly Sign[] = [
  [/media not found or unavailable/, 'not_found'],
  [PRIVATE, 'private'],
  [/rate limit exceeded|please wait a few minutes|too many requests/, 'upstream_rate_limited'],
  [/(?:feedback|checkpoint|challenge|login|consent)_required|not logged in/, 'login_required'],
  [/execution error|transient|temporarily|try again later/, 'upstream_unavailable'],
];

export function failureOfJson(answer: unknown): AppError | null {
  if (!isJsonObject(answer)) return null;
  const errors = readList(answer.errors).filter(isJsonObject);
  const codes = [...errors.flatMap(one => [one.code, child(one.extensions, 'code')]), answer.error].map(Number);
  if (codes.includes(MEDIA_NOT_FOUND_CODE)) return new AppError('not_found', 'media not found or unavailable');
  if (codes.includes(RATE_LIMIT_CODE)) return blocked('rate limit exceeded');
  const sentences = [answer, { message: answer.error_type }, ...errors].map(one => wordsOf(one, 'message'));
  // A post that is gone and one that is gated look alike here: another query tells them apart.
  if (sentences.some(one => one.includes('field_exception'))) {
    return new AppError('not_found', 'gone or gated: field_exception', { params: { weak: 1, exception: 1 } });
  }
  const failure = sentences.flatMap(one => failureBySign(one, SENTENCES) ?? []).at(0);
  // The limit of visitors names a login as well, as the way around it.
  if (failure?.code !== 'upstream_rate_limited' && readFlag(answer.require_login) === true) {
    return new AppError('login_required', 'answered that a login is required');
  }
  const unknown = errors.length > 0 ? new AppError('upstream_unavailable', 'answered with an unknown error') : null;
  return failureOfGeoblock(answer, false) ?? failure ?? unknown;
}

/** An answer about routes, or a page, may name the post private. */
export function namesPrivatePost(body: string): boolean {
  return /"tracePolicy"\s*:\s*"polaris\.privatePostPage"/.test(body);
}

/** Address of a post's file, slashes escaped or not; `t51.2885-19` are profile images, which the shell of a page shows too. */
const MEDIA_FILE = /(?:cdninstagram\.com|fbcdn\.net)\\?\/(?:o1\\?\/)?v\\?\/t(?!51\.2885-19)\d/;

/** By the name of the page's route. */
const ROUTES: readonly Sign[] = [
  [/ErrorRoute|ErrorPage/, 'not_found'],
  [/Login|Signup|Challenge|Checkpoint/, 'login_required'],
  // The page of the post, without the post.
  [/Post|Reel|Clips/, 'upstream_rate_limited'],
];
const MAX_ROUTES = 20;

/** The site answers 200 even for posts that do not exist. Of several routes its error page is only believed alone. */
export function failureOfPage(html: string): AppError {
  if (namesPrivatePost(html)) return new AppError('private', 'the page is marked as a private post');
  const names = [...html.matchAll(/"canonicalRouteName"\s{0,9}:\s{0,9}"([\w.]{1,120})"/g)].slice(0, MAX_ROUTES);
  const failures = names.flatMap(([, name = '']) => failureBySign(name, ROUTES) ?? []);
  const failure = failures.find(({ code }) => code !== 'not_found') ?? failures[0];
  if (failure?.code === 'upstream_rate_limited' && MEDIA_FILE.test(html)) {
    return new AppError('upstream_changed', 'a page with files that could not be read');
  }
  if (failure !== undefined) return failure;
  if (/"HttpErrorPage"|<title>\s{0,99}Page not found/i.test(html)) return weakNotFound('the old error page');
  const isLogin = /<title>\s{0,99}Log ?in|"LoginAndSignupPage"|id="loginForm"|name="password"/i.test(html);
  return isLogin ? loginWall() : new AppError('upstream_changed', 'a page of an unknown kind');
}

const MAX_WORDS_CHARS = 1_000;

function wordsOf(said: JsonObject, ...keys: readonly string[]): string {
  return plainWords(keys.map(key => (readText(said[key]) ?? '').slice(0, MAX_WORDS_CHARS)).join(' '));
}

const REGION = /\bcountry\b|\bcountries\b|\bregion\b|location|where you (?:are|live)/;
const AGE = /\bage\b|min_age|years? old|\b(?:under|over) (?:1\d|2\d)\b|\b(?:1\d|2\d) (?:and|or) (?:over|older)\b/;
/** Words that both kinds of restriction share; alone they mean age and sensitivity. */
const RESTRICTED = /restricted|sensitive/;
const WITHHELD = /(?:isn't|is not|not|un)\s?available|restricted|blocked|can't (?:see|view)/;

/** Region and age share titles. `isWithheld`, in a refusal: its code for a region counts before all words, and "restricted" says nothing. */
function failureOfWords(said: JsonObject, isWithheld: boolean): AppError | null {
  const words = wordsOf(said, 'title', 'description', 'subtitle', 'blocks_logging_data');
  const rules: readonly (readonly [boolean, ErrorCode])[] = [
    [/private/.test(wordsOf(said, 'title')), 'private'],
    [isWithheld && /\bgeo/.test(wordsOf(said, 'blocks_logging_data')), 'region_blocked'],
    [AGE.test(words), 'age_restricted'],
    [(isWithheld || WITHHELD.test(words)) && REGION.test(words), 'region_blocked'],
    [!isWithheld && RESTRICTED.test(words), 'age_restricted'],
  ];
  const code = rules.find(([fits]) => fits)?.[1];
  return code === undefined ? null : new AppError(code, `its words mean ${code}`);
}

/** Region, age and limited audiences all look so; only the words distinguish them. */
function failureOfGeoblock(answer: JsonObject, isWithheld: boolean): AppError | null {
  if (answer.message !== 'geoblock_required') return null;
  const unknown = () => new AppError('login_required', 'kept from a part of the visitors', { params: { kept: 1 } });
  return failureOfWords(answer, isWithheld) ?? unknown();
}

export function failureOfReason(answer: JsonObject): AppError | null {
  const isPrivate = PRIVATE.test(wordsOf(answer, 'title', 'description', 'message'));
  return isPrivate ? new AppError('private', 'a private account') : failureOfGeoblock(answer, true);
}

export function failureOfRuling(answer: unknown): AppError | null {
  return isJsonObject(answer) && answer.status !== 'ok' ? failureOfWords(answer, false) : null;
}

/** Properties of a media in which the site says why it keeps it from a visitor (`gating_ruling`: 2026-09). */
const RESTRICTION_KEY = /gating|ruling|geo_?block|country_block|region_block|age_(?:gate|restrict)/;

export function restrictionOf(media: JsonObject): AppError | null {
  for (const key in media) {
    const value = media[key];
    // Few values can say it at all, which costs less to see than what a key is called.
    if ((value !== true && !isJsonObject(value)) || !RESTRICTION_KEY.test(key)) continue;
    const flagged = /geo|country|region/.test(key) ? 'region_blocked' : /age/.test(key) ? 'age_restricted' : null;
    const ofFlag = flagged === null ? null : new AppError(flagged, `the media says ${key}`);
    const stated = isJsonObject(value) ? failureOfWords(value, false) : ofFlag;
    if (stated !== null) return stated;
  }
  return null;
}
