/** What Facebook's refusals look like (as of 2026-08), and the code each means. Pure. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead } from '../../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';
import type { Body } from '../../parse/body.ts';
import { findValues, isJsonObject, type JsonObject, type SearchBudget } from '../../parse/json-search.ts';
import { readMeta } from '../../parse/page-meta.ts';
import type { SiteAnswer } from '../../parse/site-answer.ts';
import { visibleMarkup } from '../../parse/visible-markup.ts';
import { redirectOf } from '../kit/refusal.ts';

/** A `not_found` that may only mean that this form of the address does not know the post: the chain goes on. */
export function weakNotFound(message: string): AppError {
  return new AppError('not_found', message, { params: { weak: 1 } });
}

function pathOf(url: string | null): string {
  const base = 'https://www.facebook.com/';
  return url !== null && URL.canParse(url, base) ? new URL(url, base).pathname : '';
}

export function isLoginPath(url: string | null): boolean {
  return /^\/login(?:\.php)?(?:\/|$)/.test(pathOf(url));
}

/** Where the site sent us instead of the post; null when it may still be the post. */
function failureOfPath(url: string | null): AppError | null {
  if (isLoginPath(url)) return new AppError('login_required', 'redirected to the login page');
  if (/^\/checkpoint(?:\/|$)/.test(pathOf(url)))
    return new AppError('upstream_rate_limited', 'redirected to a checkpoint');
  return null;
}

type Sign = readonly [RegExp, ErrorCode];

const REGION: Sign = [
  /(?:isn't|is not|not) available in your (?:country|region|location)|restricted in your (?:country|region)/,
  'region_blocked',
];
const AGE: Sign = [
  /age[- ]restricted|you must be (?:at least )?(?:18|21)(?: years)?|confirm (?:your age|that you're over)/,
  'age_restricted',
];
const PRIVATE: Sign = [
  /this (?:video|post|profile|account) is private|only members can see who's in the group/,
  'private',
];

const BLOCKED: Sign = [
  /you(?:'re| are) temporarily blocked|temporarily blocked from|\{"__dr":"cometerrorroot\.react"\}/,
  'upstream_rate_limited',
];
const LOGIN: Sign = [
  />you must log in to continue|id="login_form"|id="loginbutton"|<title>log in(?:to)? (?:to )?facebook/,
  'login_required',
];

/** The site's sentences and marks, most telling first; matched in lower case with plain apostrophes. */
const SIGNS: readonly Sign[] = [
  REGION,
  AGE,
  BLOCKED,
  PRIVATE,
  [
    /uiinterstitialcontent|this (?:content|page) isn't available|content isn't available (?:right now|at the moment)|>page not found<\/title>|the link you followed may (?:be broken|have expired)/,
    'not_found',
  ],
  LOGIN,
];
/** Removed, or closed to strangers, or not to be shown elsewhere: the page of another address may say more. */
const GONE = /post is no longer available|this video may no longer exist/;

function plainText(text: string): string {
  return text.toLowerCase().replace(/&#0?39;|&#x27;|&apos;|\u2019|\\u2019/g, "'");
}

/** A refusal is a small page; what lies behind is not looked at. */
const MAX_WORDS_CHARS = 512 * 1024;

/** What visitors see, without the words of people that the head quotes. */
function visibleWords(html: string): string {
  const visible = plainText(visibleMarkup(html, MAX_WORDS_CHARS)).replace(/<meta\s[^<>]{0,8000}>/g, '');
  return visible.replace(/<title>(?!page not found<|log in(?:to)? (?:to )?facebook)[^<]{0,2000}/, '<title>');
}

/** The texts of the page's data, each string of which may be a sentence of the site. */
function dataWords(page: Body): string {
  let words = '';
  for (const script of page.scripts) {
    if (words.length >= MAX_WORDS_CHARS) break;
    if (script.isJson) words += script.text;
  }
  return plainText(words.slice(0, MAX_WORDS_CHARS));
}

function signIn(words: string, signs: readonly Sign[]): Sign | undefined {
  return signs.find(([pattern]) => pattern.test(words));
}

/** What the page says of itself: in what visitors see and, where no people's posts stand in it, in its data. */
function failureOfSigns(page: Body, hasPosts: boolean): AppError | null {
  const visible = visibleWords(page.text);
  const seen = signIn(visible, SIGNS);
  // A login form stands on every page of a visitor.
  const stated =
    seen === undefined || seen === LOGIN ? signIn(dataWords(page), hasPosts ? [BLOCKED] : SIGNS) : undefined;
  const sign = stated ?? seen;
  if (sign !== undefined) return new AppError(sign[1], `the page says so: ${sign[0].source.slice(0, 60)}`);
  return GONE.test(visible) ? weakNotFound('the page says that the post is no longer available') : null;
}

/** Properties in which an object says why it is not shown. */
const REASON_KEY = /gat(?:ed|ing)|restrict|geo_?block|unavailab|cix_screen|warning_screen|error/;
const MAX_REASON_CHARS = 20_000;

/** The restriction that the objects of a post state themselves; null when they state none. */
export function restrictionOf(objects: readonly JsonObject[], budget: SearchBudget): ErrorCode | null {
  for (const object of objects) {
    for (const reason of findValues(object, key => REASON_KEY.test(key), { budget })) {
      const isText = typeof reason === 'string' || isJsonObject(reason);
      const words = isText ? plainText(JSON.stringify(reason).slice(0, MAX_REASON_CHARS)) : '';
      const sign = signIn(words, [REGION, AGE, PRIVATE]);
      if (sign !== undefined) return sign[1];
    }
  }
  return null;
}

function failureOfStatus(head: HttpHead, body: Body, now: number): AppError | null {
  const { status } = head;
  if (status < 400) return null;
  const retryAfterMs = parseRetryAfter(head.headers['retry-after'], now);
  if (status === 429) return new AppError('upstream_rate_limited', 'status 429', { retryAfterMs });
  if (status >= 500) return new AppError('upstream_unavailable', `status ${status}`, { retryAfterMs });
  if (status === 404 || status === 410) return weakNotFound(`status ${status}`);
  if (status === 451) return new AppError('region_blocked', 'status 451');
  if (status === 403 && body.includes('/__rd_verify')) {
    return new AppError('upstream_rate_limited', 'answered with a client challenge', { retryAfterMs });
  }
  if (status === 401 || status === 403) return new AppError('login_required', `status ${status}`);
  return new AppError('upstream_changed', `status ${status}`);
}

/**
 * Why an answer that holds no post holds none; null when it gives no reason that we know. `hasPosts`: posts of other people stand in
 * it, whose words are no words of the site.
 */
export function failureOfAnswer(answer: SiteAnswer, now: number, hasPosts = false): AppError | null {
  const { body } = answer;
  const moved = answer.status >= 300 && answer.status < 400 ? (answer.headers.location ?? null) : answer.url;
  const elsewhere = failureOfPath(moved);
  if (elsewhere !== null) return elsewhere;
  // A limit is a limit, whatever the page says beside it.
  if (answer.status === 429 || answer.status >= 500) return failureOfStatus(answer, body, now);
  const { canonical } = readMeta(body.head);
  if (isLoginPath(canonical)) return new AppError('login_required', 'the page is the login page');
  const said = failureOfSigns(body, hasPosts);
  const status = failureOfStatus(answer, body, now);
  // A 404 with a login form around it is still a 404.
  if (said !== null && !(status?.code === 'not_found' && said.code === 'login_required')) return said;
  if (status !== null) return status;
  if (/^\/watch\/?$/.test(pathOf(canonical)) && !/[?&]v=\d/.test(canonical ?? '')) {
    return weakNotFound('the site shows its feed of videos instead');
  }
  return null;
}

/** Whether an account is asked to prove that a person uses it. */
export function isCheckpoint(answer: HttpHead): boolean {
  return /^\/checkpoint(?:\/|$)/.test((redirectOf(answer) ?? new URL(answer.url)).pathname);
}
