/** The requests that Instagram is asked with; what the answers mean is the parsers' work. */
import { type Cookie, CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import type { PostRef } from '../../extract/source.ts';
import { type InstagramConstants, SITE_HOSTS } from './constants.ts';
import { failureOfPath, redirectWithinSite } from './failures.ts';
import { navigationHeaders, scriptHeaders } from './headers.ts';
import { createInstagramSessions, csrfOf, type InstagramSession } from './session.ts';

/**
 * Every method resolves to whatever the site answered, refusals too.
 * @throws AppError `timeout`, `upstream_unavailable`, `too_large`.
 */
export interface InstagramClient {
  /** Logged-out GraphQL query by media id. */
  queryByMediaId(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  queryByShortcode(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  postPage(ref: PostRef, form: 'p' | 'reel', signal: AbortSignal): Promise<HttpResponse>;
  captionedEmbed(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  /** Whether and why the site restricts the media. */
  ruling(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  /** How the site would route the post's address; private posts are marked there. */
  routes(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  /** With the account's cookies: the following three. */
  mediaInfo(mediaId: string, signal: AbortSignal): Promise<HttpResponse>;
  /** `reelId`: a user's id, or `highlight:ID`. */
  reels(reelId: string, signal: AbortSignal): Promise<HttpResponse>;
  profile(username: string, signal: AbortSignal): Promise<HttpResponse>;
  /** Whether an account's cookies are configured. */
  readonly hasAccount: boolean;
}

export interface InstagramClientOptions {
  readonly http: HttpClient;
  readonly constants: InstagramConstants;
  /** Of an account; those of other sites are left out. */
  readonly cookies?: readonly Cookie[] | undefined;
  readonly log: Logger;
  readonly now: () => number;
}

const ORIGIN = 'https://www.instagram.com';
const MAX_HOPS = 3;

function accountJar(cookies: readonly Cookie[]): CookieJar | null {
  const jar = new CookieJar();
  for (const cookie of cookies) {
    const domain = cookie.domain ?? '';
    if (domain === 'instagram.com' || domain.endsWith('.instagram.com')) {
      jar.setCookieSync(cookie.toString(), `https://${domain}/`, { ignoreError: true });
    }
  }
  return jar.getCookiesSync(`${ORIGIN}/`).some(cookie => cookie.key === 'sessionid') ? jar : null;
}

/** A query's form fields. */
function queryForm(friendlyName: string, docId: string, variables: object, lsd: string): string {
  return new URLSearchParams({
    lsd,
    fb_api_caller_class: 'RelayModern',
    fb_api_req_friendly_name: friendlyName,
    server_timestamps: 'true',
    variables: JSON.stringify(variables),
    doc_id: docId,
  }).toString();
}

/** An answer that says that the session itself was not taken. */
function refusesSession(response: HttpResponse): boolean {
  const moved = response.status >= 300 && response.status < 400;
  return moved || response.status === 401 || response.status === 403 || response.text.trimStart().startsWith('<');
}

export function createInstagramClient(options: InstagramClientOptions): InstagramClient {
  const { http, constants } = options;
  const sessions = createInstagramSessions(options);
  const account = accountJar(options.cookies ?? []);

  async function ask(request: Omit<HttpRequest, 'hosts'>): Promise<HttpResponse> {
    try {
      return await http.request({ retries: 0, ...request, hosts: SITE_HOSTS });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'forbidden') throw error;
      throw new AppError('upstream_unavailable', 'the site may not be asked at its address', { cause: error });
    }
  }

  function scripted(ref: PostRef, jar: CookieJar, lsd: string, extra: Readonly<Record<string, string>>) {
    return {
      ...scriptHeaders(constants, ref.url, csrfOf(jar)),
      origin: ORIGIN,
      'content-type': 'application/x-www-form-urlencoded',
      'x-fb-lsd': lsd,
      ...extra,
    };
  }

  async function query(
    ref: PostRef,
    what: { url: string; friendlyName: string; docId: string; variables: object },
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const session: InstagramSession = await sessions.current(signal);
    const response = await ask({
      url: what.url,
      method: 'POST',
      headers: scripted(ref, session.jar, session.lsd, { 'x-fb-friendly-name': what.friendlyName }),
      body: queryForm(what.friendlyName, what.docId, what.variables, session.lsd),
      cookies: session.jar,
      maxRedirects: 0,
      signal,
    });
    if (refusesSession(response)) sessions.refuse(session);
    return response;
  }

  /** Follows the site's own redirects between the forms of a post, but not to its login page: that is an answer. */
  async function page(url: string, signal: AbortSignal): Promise<HttpResponse> {
    const { jar } = await sessions.current(signal);
    const headers = navigationHeaders(constants, `${ORIGIN}/`);
    let response = await ask({ url, headers, cookies: jar, maxRedirects: 0, signal });
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const next = redirectWithinSite(response);
      if (next === null || failureOfPath(next.pathname) !== null) break;
      response = await ask({ url: next, headers, cookies: jar, maxRedirects: 0, signal });
    }
    return response;
  }

  async function askAsAccount(path: string, referer: string, signal: AbortSignal): Promise<HttpResponse> {
    if (account === null) throw new AppError('login_required', 'no account is configured');
    return ask({
      url: `${ORIGIN}${path}`,
      headers: scriptHeaders(constants, referer, csrfOf(account)),
      cookies: account,
      maxRedirects: 0,
      signal,
    });
  }

  return {
    queryByMediaId: (ref, signal) =>
      query(
        ref,
        {
          url: constants.mediaIdUrl,
          friendlyName: constants.mediaIdFriendlyName,
          docId: constants.mediaIdDocId,
          variables: { media_id: ref.parts.mediaId },
        },
        signal,
      ),
    queryByShortcode: (ref, signal) =>
      query(
        ref,
        {
          url: constants.shortcodeUrl,
          friendlyName: constants.shortcodeFriendlyName,
          docId: constants.shortcodeDocId,
          variables: {
            shortcode: ref.id,
            __relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider: false,
          },
        },
        signal,
      ),
    postPage: (ref, form, signal) => page(`${ORIGIN}/${form}/${ref.id}/`, signal),
    captionedEmbed: (ref, signal) => page(`${ORIGIN}/p/${ref.id}/embed/captioned/`, signal),
    async ruling(ref, signal) {
      const { jar } = await sessions.current(signal);
      const target = new URLSearchParams({ content_type: 'MEDIA', target_id: ref.parts.mediaId ?? '' });
      return ask({
        url: `${ORIGIN}/api/v1/web/get_ruling_for_content/?${target}`,
        headers: scriptHeaders(constants, ref.url, csrfOf(jar)),
        cookies: jar,
        maxRedirects: 0,
        signal,
      });
    },
    async routes(ref, signal) {
      const { jar, lsd } = await sessions.current(signal);
      return ask({
        url: `${ORIGIN}/ajax/bulk-route-definitions/`,
        method: 'POST',
        headers: scripted(ref, jar, lsd, { 'x-ig-d': 'www' }),
        body: new URLSearchParams({
          'route_urls[0]': `/p/${ref.id}/`,
          routing_namespace: 'igx_www',
          __d: 'www',
          __a: '1',
          lsd,
        }).toString(),
        cookies: jar,
        maxRedirects: 0,
        signal,
      });
    },
    mediaInfo: (mediaId, signal) => askAsAccount(`/api/v1/media/${mediaId}/info/`, `${ORIGIN}/`, signal),
    reels: (reelId, signal) =>
      askAsAccount(
        `/api/v1/feed/reels_media/?${new URLSearchParams({ reel_ids: reelId })}`,
        `${ORIGIN}/stories/`,
        signal,
      ),
    profile: (username, signal) =>
      askAsAccount(
        `/api/v1/users/web_profile_info/?${new URLSearchParams({ username })}`,
        `${ORIGIN}/${username}/`,
        signal,
      ),
    hasAccount: account !== null,
  };
}
