/** The requests that Instagram is asked with; the parsers say what the answers mean. */
import type { Cookie, CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import type { HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import { isUsable, profileRequest, type RequestProfile } from '../../extract/request-profile.ts';
import type { PostRef } from '../../extract/source.ts';
import { Body } from '../../parse/body.ts';
import { createAccountJar } from '../kit/account-jar.ts';
import { type Headers, navigationHeaders } from '../kit/browser-headers.ts';
import { followRedirects } from '../kit/redirects.ts';
import type { InstagramConstants, ProfileName } from './constants.ts';
import { failureOfWall, redirectWithinSite } from './parse/failures.ts';
import { INSTAGRAM_HOSTS } from './parse/link.ts';
import {
  createInstagramSessions,
  csrfOf,
  type InstagramSession,
  type InstagramSessions,
  madeUpLsd,
  type SessionOptions,
} from './session.ts';

export interface InstagramClientOptions extends SessionOptions {
  readonly constants: InstagramConstants;
  /** An account's; those of other sites are left out. */
  readonly cookies?: readonly Cookie[];
}

/** One who asks, with the tokens that the site gave them. */
interface Caller {
  readonly profile: RequestProfile;
  /** Null for one without cookies. */
  readonly jar: CookieJar | null;
  readonly lsd: string;
  /** The home page's, where it was visited. */
  readonly session: InstagramSession | null;
}

const ORIGIN = 'https://www.instagram.com';
const VARIABLES = {
  shortcode: ({ id }: PostRef) => ({
    shortcode: id,
    __relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider: false,
  }),
  mediaId: ({ parts }: PostRef) => ({ media_id: parts.mediaId }),
};
const MAX_HOPS = 3;
/** Pages of nine megabytes have been seen. */
const MAX_BYTES = 16 * 1024 * 1024;

/** An answer that says that the session itself was not taken. */
function refusesSession({ status, bytes }: HttpResponse): boolean {
  const isRedirect = status >= 300 && status < 400;
  return isRedirect || status === 401 || status === 403 || new Body(bytes).startsWith('<');
}

/** The headers in which a script of a page names the page and the visitor. */
function visitorHeaders({ jar }: Caller, referer: string): Headers {
  const csrf = jar === null ? null : csrfOf(jar);
  return { referer, ...(csrf !== null && { 'x-csrftoken': csrf }) };
}

/** The redirect within the site that is to be followed; the one to its login page is an answer. */
function nextPage(response: HttpResponse): URL | null {
  const next = redirectWithinSite(response);
  return next === null || failureOfWall(next.pathname) !== null ? null : next;
}

/**
 * Every method resolves to whatever the site answered, refusals too; `name` is the profile that asks.
 * @throws AppError `timeout`, `upstream_unavailable`, `too_large`.
 */
export class InstagramClient {
  readonly #options: InstagramClientOptions;
  readonly #sessions: InstagramSessions;
  readonly #account: CookieJar | null;

  constructor(options: InstagramClientOptions) {
    this.#options = options;
    this.#sessions = createInstagramSessions(options);
    this.#account = options.cookies === undefined ? null : createAccountJar(options.cookies, 'instagram.com');
  }

  /** Says whether requests of this profile can be made here. */
  canAsk(name: ProfileName): boolean {
    return isUsable(this.#options.constants.profiles[name], this.#options.http);
  }

  async query(
    which: 'shortcode' | 'mediaId',
    ref: PostRef,
    name: ProfileName,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const { constants } = this.#options;
    const caller = await this.#callerOf(name, signal);
    const { jar, lsd, session } = caller;
    const friendlyName = constants[`${which}FriendlyName`];
    const form = {
      lsd,
      // Only requests of a page name these.
      ...(jar !== null && { fb_api_caller_class: 'RelayModern', fb_api_req_friendly_name: friendlyName }),
      server_timestamps: 'true',
      variables: JSON.stringify(VARIABLES[which](ref)),
      doc_id: constants[`${which}DocId`],
    };
    const ofPage = jar === null ? {} : { origin: ORIGIN, ...visitorHeaders(caller, ref.url) };
    const headers = { 'x-fb-friendly-name': friendlyName, 'x-fb-lsd': lsd, ...ofPage };
    const response = await this.#postForm(caller, constants[`${which}Url`], form, headers, signal);
    if (session !== null && refusesSession(response)) this.#sessions.refuse(session);
    return response;
  }

  /** A page of the site; its redirects between the forms of a post are followed. */
  async page(path: string, name: ProfileName, signal: AbortSignal): Promise<HttpResponse> {
    const caller = await this.#callerOf(name, signal);
    const headers = caller.jar === null ? {} : navigationHeaders(caller.profile, `${ORIGIN}/`);
    const get = (url: string | URL) => this.#ask(caller, { url, headers }, signal);
    return followRedirects(ORIGIN + path, get, nextPage, MAX_HOPS);
  }

  /** The answer that a script of the page at `referer` gets. */
  async script(path: string, referer: string, name: ProfileName, signal: AbortSignal): Promise<HttpResponse> {
    const caller = await this.#callerOf(name, signal);
    return this.#ask(caller, { url: ORIGIN + path, headers: visitorHeaders(caller, referer) }, signal);
  }

  /** The answer names author and cover of a post, or why it is not shown. */
  async oembed(ref: PostRef, signal: AbortSignal): Promise<HttpResponse> {
    const url = `${this.#options.constants.oembedUrl}?${new URLSearchParams({ url: ref.url })}`;
    return this.#ask(await this.#callerOf('oembed', signal), { url, headers: {} }, signal);
  }

  /** The page to which the site would route the post's address; private posts are marked there. */
  async routes(ref: PostRef, signal: AbortSignal): Promise<HttpResponse> {
    const caller = await this.#callerOf('routes', signal);
    const { lsd } = caller;
    const form = { 'route_urls[0]': `/p/${ref.id}/`, routing_namespace: 'igx_www', __d: 'www', __a: '1', lsd };
    const headers = { 'x-fb-lsd': lsd, 'x-ig-d': 'www', origin: ORIGIN, ...visitorHeaders(caller, ref.url) };
    return this.#postForm(caller, `${ORIGIN}/ajax/bulk-route-definitions/`, form, headers, signal);
  }

  /** A lesser caller asks questions where no browser can be played: at worst they are not answered. */
  #profileOf(name: ProfileName): RequestProfile {
    const { profiles, browserUserAgent } = this.#options.constants;
    const profile = profiles[name];
    if (this.canAsk(name)) return profile;
    return { ...profile, transport: 'plain', userAgent: profile.userAgent ?? browserUserAgent };
  }

  async #callerOf(name: ProfileName, signal: AbortSignal): Promise<Caller> {
    const profile = this.#profileOf(name);
    if (profile.session === 'home') {
      const session = await this.#sessions.current(profile, signal);
      return { profile, ...session, session };
    }
    const jar = profile.session === 'account' ? this.#account : null;
    if (profile.session === 'account' && jar === null) throw new AppError('login_required', 'no account is configured');
    return { profile, jar, lsd: madeUpLsd(), session: null };
  }

  async #ask(
    { profile, jar }: Caller,
    { headers, ...request }: Pick<HttpRequest, 'method' | 'body' | 'url'> & { readonly headers: Headers },
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    try {
      return await this.#options.http.request({
        ...profileRequest(profile, headers),
        ...request,
        hosts: INSTAGRAM_HOSTS,
        maxBytes: MAX_BYTES,
        maxRedirects: 0,
        retries: 0,
        signal,
        ...(jar !== null && { cookies: jar }),
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'forbidden') throw error;
      throw new AppError('upstream_unavailable', 'the site may not be asked at its address', { cause: error });
    }
  }

  #postForm(caller: Caller, url: string, form: Headers, own: Headers, signal: AbortSignal): Promise<HttpResponse> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...own };
    return this.#ask(caller, { url, method: 'POST', headers, body: new URLSearchParams(form).toString() }, signal);
  }
}
