/** The logged-out visit to the home page that some callers lean on: its cookies and tokens, kept and reused. */
import { randomBytes } from 'node:crypto';
import { CookieJar } from 'tough-cookie';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { workContext } from '../../../infra/concurrency/work-context.ts';
import { profileRequest, type RequestProfile } from '../../extract/request-profile.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { Body } from '../../parse/body.ts';
import { child, parseJson } from '../../parse/json-search.ts';
import { navigationHeaders } from '../kit/browser-headers.ts';
import { INSTAGRAM_HOSTS } from './link.ts';

export interface InstagramSession {
  readonly jar: CookieJar;
  /** Sent in the form and as a header; the site compares the two. */
  readonly lsd: string;
  /** The site would not take it: the next caller gets a new one, though not every minute. */
  refuse(): void;
}

export interface SessionOptions extends Pick<SourceOptions, 'http' | 'log'> {
  readonly now: () => number;
}

const HOME = 'https://www.instagram.com/';
const MAX_AGE_MS = 30 * 60_000;
/** Between a renewal and the next. */
const PAUSE_MS = 5 * 60_000;
/** After a visit that brought nothing: with made-up tokens some callers get no answer. */
const RETRY_MS = 60_000;
/** A request that waits for the visit has about six seconds. */
const TIMEOUT_MS = 3_000;

function checkedToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{1,100}$/.test(value) ? value : null;
}

/** The LSD token of a page: field `l` of the `__eqmc` script, else the `LSD` module's definition. Null when it has none. */
function lsdOf(page: Body): string | null {
  const scripts = page.scripts.filter(({ tag }) => /\sid\s*=\s*["']?__eqmc\b/.test(tag));
  const tokens = scripts.map(({ text }) => checkedToken(child(parseJson(text), 'l')));
  const token = tokens.find(one => one !== null);
  return token ?? /\["LSD",\[\],\{"token":"([\w-]{1,100})"/.exec(page.text)?.[1] ?? null;
}

export function csrfOf(jar: CookieJar): string | null {
  return checkedToken(jar.getCookiesSync(HOME).find(cookie => cookie.key === 'csrftoken')?.value);
}

/** A token of the form of the site's, for callers that have none: it only has to be the same in form and header. */
export function madeUpLsd(): string {
  return randomBytes(9).toString('base64url').slice(0, 11);
}

interface Visit {
  readonly session: Promise<InstagramSession>;
  keptUntil: number;
}

/** One session for each kind of caller: the site ties cookies to the TLS and the address that they were given to. */
export function createInstagramSessions({ http, log, now }: SessionOptions) {
  /** There are as many as profiles and outgoing addresses, at most. */
  const visits = new Map<string, Visit>();

  async function visitHome(caller: RequestProfile): Promise<{ jar: CookieJar; lsd: string | null }> {
    const jar = new CookieJar();
    const visit = profileRequest({ ...caller, headers: {}, timeoutMs: TIMEOUT_MS }, navigationHeaders(caller));
    const bounds = { hosts: INSTAGRAM_HOSTS, maxRedirects: 1, retries: 0 };
    const response = await http.request({ ...visit, ...bounds, url: HOME, cookies: jar }).catch((error: unknown) => {
      log.info({ source: 'instagram', err: error }, 'the home page did not answer; going on without its tokens');
      return null;
    });
    const lsd = response?.status === 200 ? lsdOf(new Body(response.bytes)) : null;
    if (response !== null && lsd === null) {
      log.info({ source: 'instagram', status: response.status }, 'the home page came without its token');
    }
    if (csrfOf(jar) === null) {
      const token = randomBytes(24).toString('base64url');
      jar.setCookieSync(`csrftoken=${token}; Domain=instagram.com; Path=/; Secure`, HOME);
    }
    return { jar, lsd };
  }

  function startVisit(caller: RequestProfile): Visit {
    const session = visitHome(caller).then(({ jar, lsd }) => {
      const madeAt = now();
      visit.keptUntil = madeAt + (lsd === null ? RETRY_MS : MAX_AGE_MS);
      const refuse = () => {
        if (now() - madeAt >= PAUSE_MS) visit.keptUntil = 0;
      };
      return { jar, lsd: lsd ?? madeUpLsd(), refuse };
    });
    const visit: Visit = { session, keptUntil: now() + RETRY_MS };
    return visit;
  }

  /** The session there is, or a new one. Never rejects but by `signal`: without the home page there is one with made-up tokens. */
  return function currentSession(caller: RequestProfile, signal: AbortSignal): Promise<InstagramSession> {
    // The site tells visitors apart by their transport, user agent and address.
    const key = `${caller.transport} ${workContext().outgoing ?? ''} ${caller.userAgent ?? ''}`;
    const known = visits.get(key);
    const visit = known !== undefined && now() < known.keptUntil ? known : startVisit(caller);
    visits.set(key, visit);
    return abortable(visit.session, signal);
  };
}
