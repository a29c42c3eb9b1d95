import { CookieJar } from 'tough-cookie';
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { HostList, HttpClient, HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import { profileRequest, type RequestProfile } from '../../extract/request-profile.ts';
import { readMeta } from '../../parse/page-meta.ts';
import { siteAnswer } from '../../parse/site-answer.ts';
import type { FacebookConstants } from './constants.ts';
import { failureOfAnswer, isLoginPath, weakNotFound } from './failures.ts';
import { matchFacebookLink } from './link.ts';

export interface FacebookClient {
  /**
   * The page at one of the site's addresses, after redirects within the site but not to its login page: that is an answer. Any
   * status is a value.
   */
  page(url: string, profile: RequestProfile, signal: AbortSignal, cookies?: CookieJar): Promise<HttpResponse>;
  /** What the Graph API says of an address, by one of its `oembed_` endpoints. */
  oembed(endpoint: string, url: string, signal: AbortSignal): Promise<HttpResponse>;
  /**
   * The address behind a share or short link, still unparsed. Redirects are read and, off Facebook, never followed.
   * @throws AppError `not_found`, `login_required` or any upstream code.
   */
  resolveShort(url: string, signal: AbortSignal): Promise<string>;
}

export interface FacebookClientOptions {
  readonly http: HttpClient;
  readonly constants: FacebookConstants;
  readonly now: () => number;
}

const SITE_HOSTS: HostList = ['facebook.com', '*.facebook.com'];
const SHORT_HOSTS: HostList = [...SITE_HOSTS, 'fb.com', '*.fb.com', 'fb.watch', '*.fb.watch', 'fb.me', '*.fb.me'];
const GRAPH_HOST = 'graph.facebook.com';
/** The largest pages seen have 3 MB; a page of comments may have several times as much. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_HOPS = 5;

/** Failures that may be due to who asked. */
const OF_CALLER: ReadonlySet<ErrorCode> = new Set(['login_required', 'upstream_changed', 'upstream_rate_limited']);

function isRedirect(answer: HttpResponse): boolean {
  return answer.status >= 300 && answer.status < 400 && answer.headers.location !== undefined;
}

/** Where a page sends us on the site; null when the answer stands as it is. */
function nextPage(answer: HttpResponse): URL | null {
  const location = isRedirect(answer) ? answer.headers.location : undefined;
  if (location === undefined || !URL.canParse(location, answer.url)) return null;
  const next = new URL(location, answer.url);
  if (isLoginPath(next.href) || next.pathname.startsWith('/checkpoint')) return null;
  next.protocol = 'https:';
  return next;
}

/** `Link: <https://…>; rel="canonical"`. */
function linkHeader(answer: HttpResponse): string | null {
  return /<(https:\/\/[^<>\s]{1,2000})>\s*;\s*rel="?canonical/.exec(answer.headers.link ?? '')?.[1] ?? null;
}

/** The address when it names something of the site other than a short link. */
function targetOf(text: string | null | undefined, base: string): string | null {
  if (!text || !URL.canParse(text, base)) return null;
  const address = new URL(text, base);
  const match = matchFacebookLink(address);
  if (match === undefined || match.kind === 'short') return null;
  if (match.kind === 'unsupported') return match.what === 'page' ? null : address.href;
  if (match.kind === 'wrapper') return isLoginPath(address.href) ? targetOf(match.target, base) : address.href;
  return match.ref.url;
}

/** What an answer that is no redirect says of the address behind the link. */
function namedTarget(answer: HttpResponse, url: string): string | null {
  const meta = readMeta(siteAnswer(answer).body.head);
  const named = [linkHeader(answer), meta.canonical, meta.og.get('og:url')];
  return named.map(one => targetOf(one, url)).find(target => target !== null) ?? null;
}

export function createFacebookClient({ http, constants, now }: FacebookClientOptions): FacebookClient {
  /** Once: the chain asks elsewhere where another client would try again. */
  function ask(
    request: Pick<HttpRequest, 'url' | 'hosts' | 'signal' | 'cookies' | 'method' | 'body'> & {
      readonly maxBytes?: number;
    },
    profile: RequestProfile,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    return http.request({
      maxBytes: MAX_PAGE_BYTES,
      ...request,
      ...profileRequest(profile, headers),
      maxRedirects: 0,
      retries: 0,
    });
  }

  async function get(url: string, profile: RequestProfile, cookies: CookieJar, signal: AbortSignal) {
    let answer = await ask({ url, hosts: SITE_HOSTS, cookies, signal }, profile);
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const next = nextPage(answer);
      if (next === null) return answer;
      answer = await ask({ url: next, hosts: SITE_HOSTS, cookies, signal }, profile);
    }
    if (nextPage(answer) === null) return answer;
    throw new AppError('upstream_unavailable', `redirected more than ${MAX_HOPS} times`);
  }

  /** The site's test whether a browser asks (403, seen 2026): posting to the path it names sets the cookie that lets us in. */
  async function passChallenge(
    answer: HttpResponse,
    profile: RequestProfile,
    cookies: CookieJar,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (answer.status !== 403) return false;
    const path = /fetch\(\s*["'](\/__rd_verify[\w/?=&.%+-]{0,1000})["']/.exec(answer.text.slice(0, 200_000))?.[1];
    if (path === undefined) return false;
    const url = `https://www.facebook.com${path}`;
    const request = { url, method: 'POST', body: '', hosts: SITE_HOSTS, cookies, signal } as const;
    const { status } = await ask(request, profile, { referer: answer.url });
    return status < 400;
  }

  async function step(
    url: string,
    profile: RequestProfile,
    signal: AbortSignal,
  ): Promise<{ target: string } | { next: string }> {
    const answer = await ask({ url, hosts: SHORT_HOSTS, signal }, profile);
    const location = isRedirect(answer) ? answer.headers.location : undefined;
    const target = location === undefined ? namedTarget(answer, url) : targetOf(location, url);
    if (target !== null) return { target };
    const failure = failureOfAnswer(siteAnswer(answer), now());
    if (failure !== null) throw failure;
    if (location === undefined || !URL.canParse(location, url)) {
      throw new AppError('upstream_changed', 'the page of a share link does not name its post');
    }
    const next = new URL(location, url);
    if (matchFacebookLink(next) === undefined) {
      throw new AppError('unsupported_link', 'a share link that leads off the site', { params: { what: 'site' } });
    }
    if (next.pathname === '/') throw weakNotFound('the share link leads to the home page');
    next.protocol = 'https:';
    return { next: next.href };
  }

  async function resolveAs(profile: RequestProfile, url: string, signal: AbortSignal): Promise<string> {
    let current = url;
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const found = await step(current, profile, signal);
      if ('target' in found) return found.target;
      current = found.next;
    }
    throw new AppError('upstream_changed', 'a share link that leads in circles');
  }

  return {
    async page(url, profile, signal, cookies = new CookieJar()) {
      const answer = await get(url, profile, cookies, signal);
      return (await passChallenge(answer, profile, cookies, signal)) ? get(url, profile, cookies, signal) : answer;
    },

    oembed(endpoint, url, signal) {
      const query = new URLSearchParams({ url, omitscript: 'true' });
      const address = `https://${GRAPH_HOST}/${constants.graphVersion}/${endpoint}?${query}`;
      const request = { url: address, hosts: [GRAPH_HOST], maxBytes: MAX_ANSWER_BYTES, signal };
      return ask(request, constants.profiles.oembed);
    },

    async resolveShort(url, signal) {
      const { profiles } = constants;
      try {
        return await resolveAs(profiles['share/crawler'], url, signal);
      } catch (error) {
        if (!(error instanceof AppError) || signal.aborted || !OF_CALLER.has(error.code)) throw error;
        try {
          return await resolveAs(profiles['share/plain'], url, signal);
        } catch (second) {
          throw second instanceof AppError && OF_CALLER.has(second.code) ? error : second;
        }
      }
    },
  };
}
