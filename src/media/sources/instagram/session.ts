/** The logged-out visit to the home page that queries lean on: its cookies and tokens, kept and reused. */
import { randomBytes } from 'node:crypto';
import { CookieJar } from 'tough-cookie';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import { isJsonObject, parseJson } from '../../parse/json-search.ts';
import { pageScripts } from '../../parse/page-scripts.ts';
import { type InstagramConstants, SITE_HOSTS } from './constants.ts';
import { navigationHeaders } from './headers.ts';

export interface InstagramSession {
  readonly jar: CookieJar;
  /** Sent in the form and as a header; the site compares the two. */
  readonly lsd: string;
}

export interface InstagramSessions {
  /** The session there is, or a new one. Never rejects but by `signal`: without the home page there is one with made-up tokens. */
  current(signal: AbortSignal): Promise<InstagramSession>;
  /** The site would not take it: the next caller gets a new one, though not every minute. */
  refuse(session: InstagramSession): void;
}

export interface SessionOptions {
  readonly http: HttpClient;
  readonly constants: InstagramConstants;
  readonly log: Logger;
  readonly now: () => number;
}

const HOME = 'https://www.instagram.com/';
const MAX_AGE_MS = 30 * 60_000;
/** After a visit that brought nothing, and between a renewal and the next. */
const PAUSE_MS = 5 * 60_000;
/** The queries that wait for it have about five seconds of the chain's twenty. */
const TIMEOUT_MS = 3_000;
const TOKEN = /^[\w-]{1,100}$/;

function checkedToken(value: unknown): string | null {
  return typeof value === 'string' && TOKEN.test(value) ? value : null;
}

/** The LSD token of a page: field `l` of the `__eqmc` script, else the `LSD` module's definition. Null when it has none. */
function lsdOf(html: string): string | null {
  for (const script of pageScripts(html)) {
    if (!/\sid\s*=\s*["']?__eqmc\b/.test(script.tag)) continue;
    const value = parseJson(script.text);
    const token = isJsonObject(value) ? checkedToken(value.l) : null;
    if (token !== null) return token;
  }
  return /\["LSD",\[\],\{"token":"([\w-]{1,100})"/.exec(html)?.[1] ?? null;
}

/** The csrf token that a jar holds for the site; null when there is none. */
export function csrfOf(jar: CookieJar): string | null {
  return checkedToken(jar.getCookiesSync(HOME).find(cookie => cookie.key === 'csrftoken')?.value);
}

function madeUpToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

export function createInstagramSessions({ http, constants, log, now }: SessionOptions): InstagramSessions {
  let kept: InstagramSession | null = null;
  let keptUntil = 0;
  let visitedAt = Number.NEGATIVE_INFINITY;
  let visit: Promise<InstagramSession> | null = null;

  async function askHome(jar: CookieJar): Promise<HttpResponse | null> {
    try {
      return await http.request({
        url: HOME,
        headers: navigationHeaders(constants),
        hosts: SITE_HOSTS,
        cookies: jar,
        timeoutMs: TIMEOUT_MS,
        maxRedirects: 1,
        retries: 0,
      });
    } catch (error) {
      log.info({ source: 'instagram', err: error }, 'the home page did not answer; going on without its tokens');
      return null;
    }
  }

  async function visitHome(): Promise<InstagramSession> {
    const jar = new CookieJar();
    const response = await askHome(jar);
    const lsd = response !== null && response.status === 200 ? lsdOf(response.text) : null;
    if (response !== null && lsd === null) {
      log.info({ source: 'instagram', status: response.status }, 'the home page came without its token');
    }
    if (csrfOf(jar) === null) {
      jar.setCookieSync(`csrftoken=${madeUpToken(24)}; Domain=instagram.com; Path=/; Secure`, HOME);
    }
    kept = { jar, lsd: lsd ?? madeUpToken(9).slice(0, 11) };
    visitedAt = now();
    keptUntil = visitedAt + (lsd === null ? PAUSE_MS : MAX_AGE_MS);
    return kept;
  }

  function endOf(signal: AbortSignal): { readonly aborted: Promise<never>; readonly dispose: () => void } {
    let dispose = () => {};
    const aborted = new Promise<never>((_, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      dispose = () => signal.removeEventListener('abort', onAbort);
    });
    return { aborted, dispose };
  }

  return {
    async current(signal) {
      if (kept !== null && now() < keptUntil) return kept;
      visit ??= visitHome().finally(() => {
        visit = null;
      });
      const { aborted, dispose } = endOf(signal);
      try {
        return await Promise.race([visit, aborted]);
      } finally {
        dispose();
      }
    },
    refuse(session) {
      if (session === kept && now() - visitedAt >= PAUSE_MS) keptUntil = 0;
    },
  };
}
