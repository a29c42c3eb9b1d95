import { AppError } from '../../../errors.ts';
import type { HostList, HttpResponse } from '../../../infra/http/http-client.ts';
import { weakNotFound } from '../../extract/refusal.ts';
import { siteAnswer } from '../../parse/body.ts';
import { readMeta } from '../../parse/markup.ts';
import { redirectOf } from '../kit/failures.ts';
import { type Ask, followRedirects, followShortLink, type ShortLinkStep } from '../kit/page-site.ts';
import { failureOfAddress, failureOfAnswer } from './answer.ts';
import { matchFacebookLink } from './link.ts';

export const SITE_HOSTS: HostList = ['facebook.com', '*.facebook.com'];
const SHORT_HOSTS: HostList = [...SITE_HOSTS, 'fb.com', '*.fb.com', 'fb.watch', '*.fb.watch', 'fb.me', '*.fb.me'];
const MAX_HOPS = 5;

/** Says whether the caller, not the post, may be the cause of the failure. */
function isOfCaller(error: unknown): boolean {
  const codes = ['login_required', 'upstream_changed', 'upstream_rate_limited'];
  return error instanceof AppError && codes.includes(error.code);
}

function nextPage(answer: HttpResponse): URL | null {
  const next = redirectOf(answer);
  if (next === null || failureOfAddress(next.href) !== null) return null;
  next.protocol = 'https:';
  return next;
}

/** The site tests whether the client is a browser (403, seen 2026): posting to this address sets a cookie with which it answers. */
function challengeAddress({ status, text }: HttpResponse): string | null {
  if (status !== 403) return null;
  const path = /fetch\(\s*["'](\/__rd_verify[\w/?=&.%+-]{0,1000})["']/.exec(text.slice(0, 200_000))?.[1];
  return path === undefined ? null : `https://www.facebook.com${path}`;
}

/** The address, if it is one of the site and not a short link. */
function targetOf(text: string | null | undefined, base: string): string | null {
  if (!text || !URL.canParse(text, base)) return null;
  const address = new URL(text, base);
  const match = matchFacebookLink(address);
  if (match === undefined || match.kind === 'short') return null;
  if (match.kind === 'unsupported') return match.what === 'page' ? null : address.href;
  if (match.kind === 'wrapper')
    return failureOfAddress(address.href) !== null ? targetOf(match.target, base) : address.href;
  return match.ref.url;
}

function namedTarget(answer: HttpResponse, url: string): string | null {
  const meta = readMeta(siteAnswer(answer).body.head);
  // The form of the header is `Link: <https://…>; rel="canonical"`.
  const header = /<(https:\/\/[^<>\s]{1,2000})>\s*;\s*rel="?canonical/.exec(answer.headers.link ?? '')?.[1];
  const named = [header, meta.canonical, meta.og.get('og:url')];
  return named.map(one => targetOf(one, url)).find(target => target !== null) ?? null;
}

/** Reads one of the redirects from a short link to its post. Redirects that leave Facebook are not followed. */
function readStep(answer: HttpResponse, url: string, now: number): ShortLinkStep {
  const next = redirectOf(answer);
  const target = next === null ? namedTarget(answer, url) : targetOf(next.href, url);
  if (target !== null) return { target };
  const failure = failureOfAnswer(siteAnswer(answer), now);
  if (failure !== null) throw failure;
  if (next === null) throw new AppError('upstream_changed', 'the page of a share link does not name its post');
  if (matchFacebookLink(next) === undefined) {
    throw new AppError('unsupported_link', 'a share link that leads off the site', { params: { what: 'site' } });
  }
  if (next.pathname === '/') throw weakNotFound('the share link leads to the home page');
  next.protocol = 'https:';
  return { next: next.href };
}

/** Follows redirects within the site, except to its login page: that page is the answer, whatever its status. */
export async function askPage(url: string, ask: Ask): Promise<HttpResponse> {
  const follow = async () => {
    const answer = await followRedirects(url, ask, nextPage, MAX_HOPS);
    if (nextPage(answer) === null) return answer;
    throw new AppError('upstream_unavailable', `redirected more than ${MAX_HOPS} times`);
  };
  const answer = await follow();
  const challenge = challengeAddress(answer);
  if (challenge === null) return answer;
  const { status } = await ask(challenge, { method: 'POST', body: '', headers: { referer: answer.url } });
  return status < 400 ? follow() : answer;
}

/**
 * Asks where a short link leads: as a crawler, then as a browser.
 * @throws AppError `not_found`, `login_required` or any upstream code
 */
export async function resolveShort(
  link: string,
  askAs: (name: 'share/crawler' | 'share/plain') => Ask,
  signal: AbortSignal,
  now: () => number,
): Promise<string> {
  // Each request has a jar of its own: no cookie of a hop goes along to the next.
  const resolveAs = (name: 'share/crawler' | 'share/plain') =>
    followShortLink(link, async url => readStep(await askAs(name)(url, { hosts: SHORT_HOSTS }), url, now()));
  try {
    return await resolveAs('share/crawler');
  } catch (error) {
    if (signal.aborted || !isOfCaller(error)) throw error;
    return resolveAs('share/plain').catch(second => {
      throw isOfCaller(second) ? error : second;
    });
  }
}
