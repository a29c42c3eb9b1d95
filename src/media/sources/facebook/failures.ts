/** What Facebook's refusals look like (as of 2026-08), and the code each means. Pure. */
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HttpHead, HttpResponse } from '../../../infra/http/http-client.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';
import { readMeta } from './page.ts';

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

/** Their sentences and marks, most telling first; matched in lower case with plain apostrophes. */
const SIGNS: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /(?:isn't|is not|not) available in your (?:country|region|location)|restricted in your (?:country|region)/,
    'region_blocked',
  ],
  [
    /age[- ]restricted|you must be (?:at least )?(?:18|21)(?: years)?|confirm (?:your age|that you're over)/,
    'age_restricted',
  ],
  [
    /you(?:'re| are) temporarily blocked|temporarily blocked from|\{"__dr":"cometerrorroot\.react"\}/,
    'upstream_rate_limited',
  ],
  [/this (?:video|post|profile|account) is private|only members can see who's in the group/, 'private'],
  [
    /uiinterstitialcontent|this (?:content|page) isn't available|content isn't available (?:right now|at the moment)|>page not found<\/title>|the link you followed may (?:be broken|have expired)/,
    'not_found',
  ],
  [
    />you must log in to continue|id="login_form"|id="loginbutton"|<title>log in(?:to)? (?:to )?facebook/,
    'login_required',
  ],
];

function plainText(html: string): string {
  return html
    .toLowerCase()
    .replaceAll('&#039;', "'")
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&apos;', "'")
    .replaceAll('\u2019', "'")
    .replaceAll('\\u2019', "'");
}

function failureOfStatus(head: HttpHead, body: string, now: number): AppError | null {
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

/** Why an answer that holds no post holds none. Null when it gives no reason that we know. */
export function failureOfAnswer(answer: HttpResponse, now: number): AppError | null {
  const moved = answer.status >= 300 && answer.status < 400 ? (answer.headers.location ?? null) : answer.url;
  const elsewhere = failureOfPath(moved);
  if (elsewhere !== null) return elsewhere;
  // A limit is a limit, whatever the page says beside it.
  if (answer.status === 429 || answer.status >= 500) return failureOfStatus(answer, answer.text, now);
  const { canonical } = readMeta(answer.text);
  if (isLoginPath(canonical)) return new AppError('login_required', 'the page is the login page');
  const words = plainText(answer.text);
  const sign = SIGNS.find(([pattern]) => pattern.test(words));
  const status = failureOfStatus(answer, answer.text, now);
  // A 404 with a login form around it is still a 404.
  if (sign !== undefined && !(status?.code === 'not_found' && sign[1] === 'login_required')) {
    return new AppError(sign[1], `the page says so: ${sign[0].source.slice(0, 60)}`);
  }
  if (status !== null) return status;
  if (/^\/watch\/?$/.test(pathOf(canonical)) && !/[?&]v=\d/.test(canonical ?? '')) {
    return weakNotFound('the site shows its feed of videos instead');
  }
  return null;
}
