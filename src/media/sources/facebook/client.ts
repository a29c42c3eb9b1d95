import { CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import type { HostList, HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import { readMeta } from '../../parse/page-meta.ts';
import type { FacebookConstants } from './constants.ts';
import { failureOfAnswer, isLoginPath, weakNotFound } from './failures.ts';
import { matchFacebookLink } from './link.ts';

export interface FacebookClient {
  /** The page at one of the site's addresses, after redirects within the site. Any status is a value. */
  page(url: string, signal: AbortSignal): Promise<HttpResponse>;
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
const PAGE_TIMEOUT_MS = 10_000;
const SHORT_TIMEOUT_MS = 6_000;
const MAX_PAGE_BYTES = 12 * 1024 * 1024;
const MAX_HOPS = 5;

function isRedirect(answer: HttpResponse): boolean {
  return answer.status >= 300 && answer.status < 400 && answer.headers.location !== undefined;
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
  const meta = readMeta(answer.text);
  const named = [linkHeader(answer), meta.canonical, meta.og.get('og:url')];
  return named.map(one => targetOf(one, url)).find(target => target !== null) ?? null;
}

export function createFacebookClient({ http, constants, now }: FacebookClientOptions): FacebookClient {
  /** Those of a browser that opens a pasted address. */
  const navigation = {
    'user-agent': constants.userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'accept-language': constants.acceptLanguage,
    'cache-control': 'no-cache',
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'none',
    'sec-fetch-user': '?1',
    'upgrade-insecure-requests': '1',
  };

  async function get(url: string, cookies: CookieJar, signal: AbortSignal): Promise<HttpResponse> {
    return http.request({
      url,
      headers: navigation,
      hosts: SITE_HOSTS,
      timeoutMs: PAGE_TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
      cookies,
      signal,
    });
  }

  /** The site's test whether a browser asks (403, seen 2026): posting to the path it names sets the cookie that lets us in. */
  async function passChallenge(answer: HttpResponse, cookies: CookieJar, signal: AbortSignal): Promise<boolean> {
    if (answer.status !== 403) return false;
    const path = /fetch\(\s*["'](\/__rd_verify[\w/?=&.%+-]{0,1000})["']/.exec(answer.text.slice(0, 200_000))?.[1];
    if (path === undefined) return false;
    const url = `https://www.facebook.com${path}`;
    const { status } = await http.request({
      url,
      method: 'POST',
      body: '',
      headers: { 'user-agent': constants.userAgent, referer: answer.url },
      hosts: SITE_HOSTS,
      timeoutMs: SHORT_TIMEOUT_MS,
      cookies,
      signal,
    });
    return status < 400;
  }

  async function step(url: string, signal: AbortSignal): Promise<{ target: string } | { next: string }> {
    const answer = await http.request({
      url,
      headers: navigation,
      hosts: SHORT_HOSTS,
      maxRedirects: 0,
      timeoutMs: SHORT_TIMEOUT_MS,
      maxBytes: MAX_PAGE_BYTES,
      signal,
    });
    const location = isRedirect(answer) ? answer.headers.location : undefined;
    const target = location === undefined ? namedTarget(answer, url) : targetOf(location, url);
    if (target !== null) return { target };
    const failure = failureOfAnswer(answer, now());
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

  return {
    async page(url, signal) {
      const cookies = new CookieJar();
      const answer = await get(url, cookies, signal);
      return (await passChallenge(answer, cookies, signal)) ? get(url, cookies, signal) : answer;
    },

    async resolveShort(url, signal) {
      let current = url;
      for (let hop = 0; hop < MAX_HOPS; hop += 1) {
        const found = await step(current, signal);
        if ('target' in found) return found.target;
        current = found.next;
      }
      throw new AppError('upstream_changed', 'a share link that leads in circles');
    },
  };
}
