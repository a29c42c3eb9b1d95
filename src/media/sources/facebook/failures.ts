/** Why a page or an answer of the Graph API shows no post, as an AppError. Refusals as seen in 2026-08. Pure. */
import type { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { asWeak, refusal, weakNotFound } from '../../extract/refusal.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, parseJson } from '../../parse/json.ts';
import { readMeta, visibleMarkup } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import { failureBySign, failureOfStatus, plainWords, type Sign } from '../kit/failures.ts';

/**
 * Says whether the Graph API calls the post public. Without a token, `oembed_video` and `oembed_post` return `html` for
 * a public post, else status 400 and `error` (seen in 2026-07), even where pages show a login wall.
 * @throws AppError `private`, `age_restricted` or `region_blocked`, when the text of the error says so.
 */
export function isCalledPublic(answer: HttpResponse): boolean {
  const json = parseJson(answer.text);
  if (answer.status === 200 && read.text(child(json, 'html')) !== null) return true;
  const error = child(json, 'error');
  if (!isJsonObject(error)) return false;
  const words = [error.error_user_title, error.error_user_msg, error.message].map(read.text).join('\n');
  // The API says "no such post" also of posts that it may not show, so this proves nothing.
  const restriction = restrictionIn(words);
  if (restriction !== null) throw restriction;
  return false;
}

function pathOf(url: string | null): string {
  const base = 'https://www.facebook.com/';
  return url !== null && URL.canParse(url, base) ? new URL(url, base).pathname : '';
}

/** The failure that the final address of an answer shows; null if a post may be at that address. */
export function failureOfAddress(url: string | null): AppError | null {
  const path = pathOf(url);
  if (/^\/(?:login|login\.php|two_step_verification)(?:\/|$)/.test(path))
    return refusal('login', 'a page of the login');
  return /^\/checkpoint(?:\/|$)/.test(path) ? refusal('challenge', 'the site demands proof of a person') : null;
}

/** The root of a page that the site shows to blocked visitors, and to everyone in place of a deleted post. */
const BLOCK = '{"__dr":"CometErrorRoot.react"}';

/** Matches the titles of login pages, in lower case. */
const LOGIN_TITLE =
  /<title>(?:log in(?:to)? (?:to )?facebook|facebook [^<]{1,10} log in or sign up|log in or sign up to view)/;

/** The site's sentences and codes for each failure. If several match, the first one counts. */
const WORDS = {
  region_blocked:
    /(?:isn't|is not|not) available in your (?:country|region|location)|restricted in your (?:country|region)/,
  age_restricted:
    /age[- ]restricted|you must be (?:at least )?(?:18|21)(?: years)?|confirm (?:your age|that you're over)|cometageinappropriate/,
  upstream_rate_limited: /you(?:'re| are) temporarily blocked|temporarily blocked from/,
  private: /this (?:video|post|profile|account) is private|only members can see who's in the group/,
  not_found:
    /uiinterstitialcontent|this (?:content|page) isn't available|content isn't available (?:right now|at the moment)|>page not found<\/title>|the link you followed may (?:be broken|have expired)/,
  login_required: new RegExp(`>you must log in to continue|id="login_form"|id="loginbutton"|${LOGIN_TITLE.source}`),
} as const;
const signsOf = (...codes: readonly (keyof typeof WORDS)[]): readonly Sign[] => codes.map(code => [WORDS[code], code]);
const BLOCK_SIGN: Sign = [/\{"__dr":"cometerrorroot\.react"\}/, 'upstream_rate_limited'];
const SIGNS = [
  ...signsOf('region_blocked', 'age_restricted', 'upstream_rate_limited', 'private', 'not_found'),
  BLOCK_SIGN,
  ...signsOf('login_required'),
];
const BLOCKED = [...signsOf('upstream_rate_limited'), BLOCK_SIGN];
const RESTRICTIONS = signsOf('region_blocked', 'age_restricted', 'private');
/** The text for a post that is deleted, hidden or restricted. A page at another address may tell which it is. */
const GONE =
  /(?:post|video|reel) is no longer available|this (?:post|video|reel) isn't available|this video may no longer exist/;

/** The most characters of a page that are searched. Pages of refusals are smaller. */
const MAX_WORDS_CHARS = 512 * 1024;

/** The text that visitors see. The head is left out where it quotes the post, whose words are not the site's. */
function visibleWords(html: string): string {
  const visible = plainWords(visibleMarkup(html, MAX_WORDS_CHARS)).replace(/<meta\s[^<>]{0,8000}>/g, '');
  return visible.replace(/<title>[^<]{0,2000}/, title =>
    /^<title>page not found$/.test(title) || LOGIN_TITLE.test(title) ? title : '<title>',
  );
}

function dataWords(page: Body): string {
  // The sign of a block may be in any script; all other words count only in JSON.
  let words = page.includes(BLOCK) ? BLOCK : '';
  for (const script of page.scripts) {
    if (words.length >= MAX_WORDS_CHARS) break;
    if (script.isJson) words += script.text;
  }
  return plainWords(words.slice(0, MAX_WORDS_CHARS));
}

/** The failure in the page's visible text, else in its data. In data with posts, only a rate limit is looked for. */
function failureOfWords(page: Body, hasPosts: boolean): AppError | null {
  const visible = visibleWords(page.text);
  const seen = failureBySign(visible, SIGNS);
  // Every page for visitors contains a login form, so the form alone proves nothing.
  const isLogin = seen === null || seen.code === 'login_required';
  const stated = isLogin ? failureBySign(dataWords(page), hasPosts ? BLOCKED : SIGNS) : null;
  // A blocked visitor may be shown the same text as for a deleted post, so another page has to confirm it.
  if (stated?.code === 'not_found' && page.includes(BLOCK)) return asWeak(stated);
  return stated ?? seen ?? (GONE.test(visible) ? weakNotFound('the page says that the post is gone') : null);
}

const MAX_REASON_CHARS = 20_000;

/** The restriction (region, age or privacy) that a text of the site states; null when it states none. */
export function restrictionIn(text: string): AppError | null {
  return failureBySign(plainWords(text.slice(0, MAX_REASON_CHARS)), RESTRICTIONS);
}

function failureOfHead(answer: SiteAnswer, now: number): AppError | null {
  const { status, headers, body } = answer;
  if (status === 403 && body.includes('/__rd_verify')) {
    const { retryAfterMs } = failureOfStatus(answer, now) ?? {};
    return refusal('limit', 'answered with a client challenge', { retryAfterMs });
  }
  // Status 400 means that the site refuses this caller, whichever post is requested (seen in 2026-07).
  if (status === 400) return refusal('caller', 'status 400');
  // The header with the time to wait only counts when the status says that the site is busy.
  return failureOfStatus({ ...answer, headers: status === 429 || status >= 500 ? headers : {} }, now);
}

/** The failure that an answer states, else null. @param hasPosts the page has posts, whose words are not the site's */
export function failureOfAnswer(answer: SiteAnswer, now: number, hasPosts = false): AppError | null {
  const { status, body } = answer;
  const moved = status >= 300 && status < 400 ? (answer.headers.location ?? null) : answer.url;
  const ofPlace = failureOfAddress(moved);
  if (ofPlace !== null) return ofPlace;
  const ofHead = failureOfHead(answer, now);
  // A rate limit or a broken server is certain from the status, whatever the page says.
  if (status === 429 || status >= 500) return ofHead;
  const { canonical } = readMeta(body.head);
  const ofCanonical = failureOfAddress(canonical);
  if (ofCanonical !== null) return ofCanonical;
  const ofWords = failureOfWords(body, hasPosts);
  // With status 404 the post is missing, even if the page asks for a login.
  const isMissing = ofHead?.code === 'not_found' && ofWords?.code === 'login_required';
  if (ofWords !== null && !isMissing) return ofWords;
  if (ofHead !== null) return ofHead;
  const isFeed = /^\/watch\/?$/.test(pathOf(canonical)) && !/[?&]v=\d/.test(canonical ?? '');
  return isFeed ? weakNotFound('the site shows its feed of videos instead') : null;
}
