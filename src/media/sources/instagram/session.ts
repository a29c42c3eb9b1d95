/** The logged-out visit to the home page that some callers lean on: its cookies and tokens, kept and reused. */
import { randomBytes } from 'node:crypto';
import { CookieJar } from 'tough-cookie';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { workContext } from '../../../infra/concurrency/work-context.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import { profileRequest, type RequestProfile } from '../../extract/request-profile.ts';
import { Body } from '../../parse/body.ts';
import { isJsonObject, parseJson } from '../../parse/json-search.ts';
import { navigationHeaders } from '../kit/browser-headers.ts';
import { SITE_HOSTS } from './constants.ts';

export interface InstagramSession {
  readonly jar: CookieJar;
  /** Sent in the form and as a header; the site compares the two. */
  readonly lsd: string;
}

/** One session for each kind of caller: the site ties cookies to the TLS and the address that they were given to. */
export interface InstagramSessions {
  /** The session there is, or a new one. Never rejects but by `signal`: without the home page there is one with made-up tokens. */
  current(caller: RequestProfile, signal: AbortSignal): Promise<InstagramSession>;
  /** The site would not take it: the next caller gets a new one, though not every minute. */
  refuse(session: InstagramSession): void;
}

export interface SessionOptions {
  readonly http: HttpClient;
  readonly log: Logger;
  readonly now: () => number;
}

const HOME = 'https://www.instagram.com/';
const MAX_AGE_MS = 30 * 60_000;
/** Between a renewal and the next. */
const PAUSE_MS = 5 * 60_000;
/** After a visit that brought nothing: with made-up tokens some callers get no answer. */
const RETRY_MS = 60_000;
/** What waits for it has about six seconds. */
const TIMEOUT_MS = 3_000;
const TOKEN = /^[\w-]{1,100}$/;

function checkedToken(value: unknown): string | null {
  return typeof value === 'string' && TOKEN.test(value) ? value : null;
}

/** The LSD token of a page: field `l` of the `__eqmc` script, else the `LSD` module's definition. Null when it has none. */
function lsdOf(page: Body): string | null {
  for (const script of page.scripts) {
    if (!/\sid\s*=\s*["']?__eqmc\b/.test(script.tag)) continue;
    const value = parseJson(script.text);
    const token = isJsonObject(value) ? checkedToken(value.l) : null;
    if (token !== null) return token;
  }
  return /\["LSD",\[\],\{"token":"([\w-]{1,100})"/.exec(page.text)?.[1] ?? null;
}

/** The csrf token that a jar holds for the site; null when there is none. */
export function csrfOf(jar: CookieJar): string | null {
  return checkedToken(jar.getCookiesSync(HOME).find(cookie => cookie.key === 'csrftoken')?.value);
}

function madeUpToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** A token of the form of the site's, for callers that have none: it only has to be the same in form and header. */
export function madeUpLsd(): string {
  return madeUpToken(9).slice(0, 11);
}

interface Visitor {
  kept: InstagramSession | null;
  keptUntil: number;
  visitedAt: number;
  visit: Promise<InstagramSession> | null;
}

export function createInstagramSessions({ http, log, now }: SessionOptions): InstagramSessions {
  /** By what the site can distinguish callers by: as many as there are profiles and outgoing addresses, at most. */
  const visitors = new Map<string, Visitor>();

  function visitorOf({ transport, userAgent }: RequestProfile): Visitor {
    const key = `${transport} ${workContext().outgoing ?? ''} ${userAgent ?? ''}`;
    const known = visitors.get(key) ?? {
      kept: null,
      keptUntil: 0,
      visitedAt: Number.NEGATIVE_INFINITY,
      visit: null,
    };
    visitors.set(key, known);
    return known;
  }

  async function askHome(caller: RequestProfile, jar: CookieJar): Promise<HttpResponse | null> {
    try {
      return await http.request({
        ...profileRequest({ ...caller, headers: {}, timeoutMs: TIMEOUT_MS }, navigationHeaders(caller)),
        url: HOME,
        hosts: SITE_HOSTS,
        cookies: jar,
        maxRedirects: 1,
        retries: 0,
      });
    } catch (error) {
      log.info({ source: 'instagram', err: error }, 'the home page did not answer; going on without its tokens');
      return null;
    }
  }

  async function visitHome(caller: RequestProfile, visitor: Visitor): Promise<InstagramSession> {
    const jar = new CookieJar();
    const response = await askHome(caller, jar);
    const lsd = response !== null && response.status === 200 ? lsdOf(new Body(response.bytes)) : null;
    if (response !== null && lsd === null) {
      log.info({ source: 'instagram', status: response.status }, 'the home page came without its token');
    }
    if (csrfOf(jar) === null) {
      jar.setCookieSync(`csrftoken=${madeUpToken(24)}; Domain=instagram.com; Path=/; Secure`, HOME);
    }
    const session = { jar, lsd: lsd ?? madeUpLsd() };
    visitor.kept = session;
    visitor.visitedAt = now();
    visitor.keptUntil = visitor.visitedAt + (lsd === null ? RETRY_MS : MAX_AGE_MS);
    return session;
  }

  return {
    async current(caller, signal) {
      const visitor = visitorOf(caller);
      if (visitor.kept !== null && now() < visitor.keptUntil) return visitor.kept;
      visitor.visit ??= visitHome(caller, visitor).finally(() => {
        visitor.visit = null;
      });
      return abortable(visitor.visit, signal);
    },
    refuse(session) {
      for (const visitor of visitors.values()) {
        if (session === visitor.kept && now() - visitor.visitedAt >= PAUSE_MS) visitor.keptUntil = 0;
      }
    },
  };
}
