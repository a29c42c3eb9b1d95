/** The requests to Instagram. A request for a post resolves with the site's answer, even if that is a refusal. */
import { randomBytes } from 'node:crypto';
import { CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import { createMemoryCache } from '../../../infra/cache/cache.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { workContext } from '../../../infra/concurrency/running-work.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { refusal } from '../../extract/refusal.ts';
import { type PostRef, profileRequest, type RequestProfile } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { Body } from '../../parse/body.ts';
import { child, firstOf, parseJson } from '../../parse/json.ts';
import { readMeta } from '../../parse/markup.ts';
import { type Headers, navigationHeaders } from '../kit/constants.ts';
import { failureOfStatus, redirectOf } from '../kit/failures.ts';
import { followRedirects, followShortLink, type ShortLinkStep } from '../kit/page-site.ts';
import { isUsable } from '../kit/source.ts';
import type { InstagramConstants, ProfileName } from './constants.ts';
import { failureOfPage, failureOfRuling, isWall, loginWall, namesPrivatePost, redirectWithinSite } from './failures.ts';
import { INSTAGRAM_HOSTS, matchInstagramLink, SHARE_LINK_HOSTS } from './link.ts';
import { userIdOf } from './media.ts';

/** The cookies and tokens that the site has given to visitors with one profile. */
interface Session {
  /** The cookies; null for a profile without cookies. */
  readonly jar: CookieJar | null;
  /** A token that a request sends in its form and in a header; the site checks that both are equal. */
  readonly lsd: string;
  /** To be called when the site refused the session. The next request replaces it if `PAUSE_MS` is over. */
  refuse?(): void;
}

const ORIGIN = 'https://www.instagram.com';
const HOME = `${ORIGIN}/`;
const VARIABLES = {
  shortcode: ({ id }: PostRef) => ({
    shortcode: id,
    __relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider: false,
  }),
  mediaId: ({ parts }: PostRef) => ({ media_id: parts.mediaId }),
};
const MAX_HOPS = 3;
/** The largest answer that is read. Pages of nine megabytes have been seen. */
const MAX_BYTES = 16 * 1024 * 1024;

function visitorHeaders({ jar }: Session, referer: string): Headers {
  const csrf = csrfOf(jar);
  return { referer, ...(csrf !== null && { 'x-csrftoken': csrf }) };
}

/**
 * The address to request next; null when the response itself is the answer: it is no redirect, or a redirect to another
 * site or to the login page.
 */
function nextPage(response: HttpResponse): URL | null {
  const next = redirectWithinSite(response);
  return next === null || isWall(next.pathname) ? null : next;
}

function postAt(address: string): ShortLinkStep | null {
  const match = URL.canParse(address) ? matchInstagramLink(new URL(address)) : undefined;
  return match?.kind === 'post' ? { target: match.ref.url } : null;
}

/** The next step after a redirect to `target`. @throws AppError when it leaves the site */
function stepTo(target: URL): ShortLinkStep {
  const match = matchInstagramLink(target);
  if (match === undefined) {
    throw new AppError('unsupported_link', 'a share link off the site', { params: { what: 'page' } });
  }
  if (match.kind === 'short') return { next: match.url };
  if (match.kind === 'unsupported' && isWall(target.pathname)) throw loginWall();
  const step = match.kind === 'wrapper' ? postAt(match.target) : { target: target.href };
  if (step === null) throw loginWall();
  return step;
}

/** Reads a share link's page, for an answer without a redirect. The page may state the post's address. */
function stepOfPage(answer: HttpResponse, now: number): ShortLinkStep {
  const { canonical, og } = readMeta(new Body(answer.bytes).head);
  const named = answer.status === 200 ? postAt(canonical ?? og.get('og:url') ?? '') : null;
  if (named !== null) return named;
  if ([404, 410].includes(answer.status)) throw new AppError('not_found', 'the share link leads nowhere');
  throw failureOfStatus(answer, now) ?? failureOfPage(answer.text);
}

interface ClientOptions extends Pick<SourceOptions, 'http' | 'log'> {
  readonly constants: InstagramConstants;
  readonly now: () => number;
}

/** Returns a function that makes callers. A caller's requests have the named profile's headers, cookies and tokens. */
function createCallers(options: ClientOptions) {
  const { http, constants } = options;
  const currentSession = createHomeSessions(options);

  return async (name: ProfileName, signal: AbortSignal, account?: CookieJar) => {
    const own: RequestProfile = constants.profiles[name];
    // Without the browser transport, the requests that ask why a post is hidden use plain TLS. At worst they find no
    // reason.
    const plain = { ...own, transport: 'plain', userAgent: own.userAgent ?? constants.browserUserAgent } as const;
    const profile = isUsable(own, http) ? own : plain;
    const jar = profile.session === 'account' ? account : null;
    if (jar === undefined) throw refusal('login', 'no account is configured');
    const isVisitor = profile.session === 'home';
    const session: Session = isVisitor ? await currentSession(profile, signal) : { jar, lsd: madeUpLsd() };
    const cookies = session.jar === null ? {} : { cookies: session.jar };
    const request = { hosts: INSTAGRAM_HOSTS, maxBytes: MAX_BYTES, maxRedirects: 0, retries: 0, signal, ...cookies };
    return {
      ...session,
      profile,
      ask(url: string | URL, headers: Headers = {}, form?: Headers) {
        const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
        const post = form && ({ method: 'POST', body: new URLSearchParams(form).toString() } as const);
        return http.request({ ...request, ...profileRequest(profile, { ...type, ...headers }), url, ...post });
      },
    };
  };
}

export type InstagramClient = ReturnType<typeof createInstagramClient>;

export function createInstagramClient(options: ClientOptions) {
  const { constants } = options;
  const callerOf = createCallers(options);

  async function script(path: string, referer: string, name: ProfileName, signal: AbortSignal, account?: CookieJar) {
    const caller = await callerOf(name, signal, account);
    return caller.ask(ORIGIN + path, visitorHeaders(caller, referer));
  }

  function mediaInfo({ parts }: PostRef, signal: AbortSignal, account: CookieJar): Promise<HttpResponse> {
    return script(`/api/v1/media/${parts.mediaId ?? ''}/info/`, HOME, 'media-info', signal, account);
  }

  return {
    async query(by: keyof typeof VARIABLES, ref: PostRef, name: ProfileName, signal: AbortSignal) {
      const caller = await callerOf(name, signal);
      const { jar, lsd } = caller;
      const friendlyName = constants[`${by}FriendlyName`];
      const form = {
        lsd,
        // Only the site's own pages send these fields, so a caller that has visited no page leaves them out.
        ...(jar !== null && { fb_api_caller_class: 'RelayModern', fb_api_req_friendly_name: friendlyName }),
        server_timestamps: 'true',
        variables: JSON.stringify(VARIABLES[by](ref)),
        doc_id: constants[`${by}DocId`],
      };
      const ofPage = jar === null ? {} : { origin: ORIGIN, ...visitorHeaders(caller, ref.url) };
      const headers = { 'x-fb-friendly-name': friendlyName, 'x-fb-lsd': lsd, ...ofPage };
      const response = await caller.ask(constants[`${by}Url`], headers, form);
      if (isRefusal(response)) caller.refuse?.();
      return response;
    },

    /** Requests a page. Redirects between the forms of a post's address are followed. */
    async page(path: string, name: ProfileName, signal: AbortSignal): Promise<HttpResponse> {
      const { jar, profile, ask } = await callerOf(name, signal);
      const headers = jar === null ? {} : navigationHeaders(profile, HOME);
      return followRedirects(ORIGIN + path, url => ask(url, headers), nextPage, MAX_HOPS);
    },

    async oembed(ref: PostRef, name: ProfileName, signal: AbortSignal): Promise<HttpResponse> {
      const { ask } = await callerOf(name, signal);
      return ask(`${constants.oembedUrl}?${new URLSearchParams({ url: ref.url })}`);
    },

    mediaInfo,

    /**
     * Requests a story or highlight with an account. A link with only a user's name needs the user's id first: if the
     * answer about that user lacks the id, that answer is returned.
     */
    async stories(ref: PostRef, signal: AbortSignal, account: CookieJar): Promise<HttpResponse> {
      const { highlightId, mediaId, username = '' } = ref.parts;
      const askStories = (path: string, query: Readonly<Record<string, string>>, referer: string) =>
        script(`/api/v1/${path}/?${new URLSearchParams(query)}`, referer, 'stories', signal, account);
      const reels = (id: string) => askStories('feed/reels_media', { reel_ids: id }, `${HOME}stories/`);
      if (highlightId !== undefined) return reels(`highlight:${highlightId}`);
      if (mediaId !== undefined) return mediaInfo(ref, signal, account);
      const profile = await askStories('users/web_profile_info', { username }, `${HOME}${username}/`);
      const userId = userIdOf(profile.text);
      return userId === null ? profile : reels(userId);
    },

    /** @throws AppError the reason that the site's ruling about the post states; returns if it states none. */
    async askRuling(ref: PostRef, signal: AbortSignal): Promise<void> {
      const target = new URLSearchParams({ content_type: 'MEDIA', target_id: ref.parts.mediaId ?? '' });
      const response = await script(`/api/v1/web/get_ruling_for_content/?${target}`, ref.url, 'ruling', signal);
      const ruled = response.status < 500 ? failureOfRuling(parseJson(response.text)) : null;
      if (ruled !== null) throw ruled;
    },

    /** Asks which page the site shows at the post's address. @throws AppError when that page is for private posts */
    async askRoutes(ref: PostRef, signal: AbortSignal): Promise<void> {
      const caller = await callerOf('routes', signal);
      const { lsd } = caller;
      const form = { 'route_urls[0]': `/p/${ref.id}/`, routing_namespace: 'igx_www', __d: 'www', __a: '1', lsd };
      const headers = { 'x-fb-lsd': lsd, 'x-ig-d': 'www', origin: ORIGIN, ...visitorHeaders(caller, ref.url) };
      const response = await caller.ask(`${ORIGIN}/ajax/bulk-route-definitions/`, headers, form);
      if (namesPrivatePost(response.text)) throw new AppError('private', 'routed as a private post');
    },
  };
}

/** Says whether the site refuses the caller: by a redirect, by the status, or by a page instead of JSON. */
function isRefusal({ status, bytes }: HttpResponse): boolean {
  const isRefused = (status >= 300 && status < 400) || status === 401 || status === 403;
  return isRefused || new Body(bytes).startsWith('<');
}

/** @throws AppError `not_found`, `login_required`, `unsupported_link` (another site), or any upstream code. */
export function resolveShareLink(options: Omit<ClientOptions, 'log'>, link: string, signal: AbortSignal) {
  const { http, constants, now } = options;
  const profile = profileRequest(constants.profiles['share-link'], {});
  const request = { ...profile, hosts: SHARE_LINK_HOSTS, maxRedirects: 0, signal };
  return followShortLink(link, async url => {
    let answer = await http.request({ ...request, url, method: 'HEAD' });
    const isLimit = answer.status === 429;
    if (redirectOf(answer) === null && !isLimit) answer = await http.request({ ...request, url, method: 'GET' });
    const redirect = redirectOf(answer);
    return redirect === null ? stepOfPage(answer, now()) : stepTo(redirect);
  });
}

// Visits to the home page without an account. Profiles with the same transport and user agent share the cookies and
// tokens of one visit.

const MAX_AGE_MS = 30 * 60_000;
/** The shortest time between two renewals of a session. */
const PAUSE_MS = 5 * 60_000;
/** The life of a session with a made-up token. It is short, because some clients only get answers with a real one. */
const RETRY_MS = 60_000;
/** The limit of a visit to the home page. It is short: the request that waits for the visit has about six seconds. */
const TIMEOUT_MS = 3_000;

function checkedToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\w-]{1,100}$/.test(value) ? value : null;
}

/** The LSD token of a page: in the `__eqmc` script or in the definition of the `LSD` module; null when it has none. */
function lsdOf(page: Body): string | null {
  const scripts = page.scripts.filter(({ tag }) => /\sid\s*=\s*["']?__eqmc\b/.test(tag));
  const token = firstOf(scripts, ({ text }) => checkedToken(child(parseJson(text), 'l')));
  return token ?? /\["LSD",\[\],\{"token":"([\w-]{1,100})"/.exec(page.text)?.[1] ?? null;
}

function csrfOf(jar: CookieJar | null): string | null {
  return checkedToken(jar?.getCookiesSync(HOME).find(cookie => cookie.key === 'csrftoken')?.value);
}

/** A made-up token. For some clients the site only checks that the form and the header have the same one. */
function madeUpLsd(): string {
  return randomBytes(9).toString('base64url').slice(0, 11);
}

/** Makes a session for each kind of profile: the site ties cookies to the visitor's TLS and address. */
function createHomeSessions({ http, log, now }: ClientOptions) {
  /** The sessions by profile and outgoing address. */
  const sessions = createMemoryCache<Session & { readonly lifeMs: number }>({ maxEntries: 100, now });

  /** Never rejects. If the home page fails or gives no token, the session gets a made-up token and a shorter life. */
  async function visitHome(caller: RequestProfile, key: string) {
    const jar = new CookieJar();
    let lsd: string | null = null;
    const visit = profileRequest({ ...caller, headers: {}, timeoutMs: TIMEOUT_MS }, navigationHeaders(caller));
    const bounds = { hosts: INSTAGRAM_HOSTS, maxRedirects: 1, retries: 0 };
    try {
      const { status, bytes } = await http.request({ ...visit, ...bounds, url: HOME, cookies: jar });
      if (status === 200) lsd = lsdOf(new Body(bytes));
      if (lsd === null) log.info({ source: 'instagram', status }, 'the home page came without its token');
    } catch (error) {
      log.info({ source: 'instagram', err: error }, 'the home page did not answer; going on without its tokens');
    }
    if (csrfOf(jar) === null) {
      const token = randomBytes(24).toString('base64url');
      jar.setCookieSync(`csrftoken=${token}; Domain=instagram.com; Path=/; Secure`, HOME);
    }
    const madeAt = now();
    const session = {
      ...{ jar, lsd: lsd ?? madeUpLsd(), lifeMs: lsd === null ? RETRY_MS : MAX_AGE_MS },
      refuse() {
        if (now() - madeAt >= PAUSE_MS && sessions.peek(key) === session) void sessions.delete(key);
      },
    };
    return session;
  }

  /** The current session, or a new one. Rejects only when `signal` aborts. */
  return async function currentSession(caller: RequestProfile, signal: AbortSignal): Promise<Session> {
    // The site distinguishes visitors by their transport, user agent and address.
    const key = `${caller.transport} ${workContext().outgoing ?? ''} ${caller.userAgent ?? ''}`;
    const made = sessions.wrap(key, () => visitHome(caller, key), { ttlMs: ({ lifeMs }) => lifeMs });
    return (await abortable(made, signal)).value;
  };
}
