/** The requests that Instagram is asked with; what the answers mean is the parsers' work. */
import type { Cookie, CookieJar } from 'tough-cookie';
import { AppError } from '../../../errors.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import type { Logger } from '../../../infra/log.ts';
import { isUsable, profileRequest, type RequestProfile } from '../../extract/request-profile.ts';
import type { PostRef } from '../../extract/source.ts';
import { Body } from '../../parse/body.ts';
import { createAccountJar } from '../kit/account-jar.ts';
import { type Headers, navigationHeaders } from '../kit/browser-headers.ts';
import { followRedirects } from '../kit/redirects.ts';
import { type InstagramConstants, SITE_HOSTS } from './constants.ts';
import { failureOfPath, redirectWithinSite } from './failures.ts';
import type { ProfileName } from './profiles.ts';
import { createInstagramSessions, csrfOf, type InstagramSession, madeUpLsd } from './session.ts';

/**
 * Every method resolves to whatever the site answered, refusals too; `caller` names the profile that asks.
 * @throws AppError `timeout`, `upstream_unavailable`, `too_large`.
 */
export interface InstagramClient {
  /** Whether requests of this profile can be made here. */
  canAsk(caller: ProfileName): boolean;
  queryByShortcode(ref: PostRef, caller: ProfileName, signal: AbortSignal): Promise<HttpResponse>;
  /** Logged-out GraphQL query by media id. */
  queryByMediaId(ref: PostRef, caller: ProfileName, signal: AbortSignal): Promise<HttpResponse>;
  postPage(ref: PostRef, form: 'p' | 'reel', caller: ProfileName, signal: AbortSignal): Promise<HttpResponse>;
  captionedEmbed(ref: PostRef, caller: ProfileName, signal: AbortSignal): Promise<HttpResponse>;
  /** Author and cover of a post, or why it is not shown. */
  oembed(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  /** Whether and why the site restricts the media. */
  ruling(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  /** How the site would route the post's address; private posts are marked there. */
  routes(ref: PostRef, signal: AbortSignal): Promise<HttpResponse>;
  /** With the account's cookies: the following three. */
  mediaInfo(mediaId: string, signal: AbortSignal): Promise<HttpResponse>;
  /** `reelId`: a user's id, or `highlight:ID`. */
  reels(reelId: string, signal: AbortSignal): Promise<HttpResponse>;
  profile(username: string, signal: AbortSignal): Promise<HttpResponse>;
}

export interface InstagramClientOptions {
  readonly http: HttpClient;
  readonly constants: InstagramConstants;
  /** Of an account; those of other sites are left out. */
  readonly cookies?: readonly Cookie[] | undefined;
  readonly log: Logger;
  readonly now: () => number;
}

/** Who asks, with what the site gave them. */
interface Caller {
  readonly profile: RequestProfile;
  /** Null for one without cookies. */
  readonly jar: CookieJar | null;
  readonly lsd: string;
  /** Of the home page, where it was visited. */
  readonly session: InstagramSession | null;
}

interface Query {
  readonly url: string;
  readonly friendlyName: string;
  readonly docId: string;
  readonly variables: object;
}

const ORIGIN = 'https://www.instagram.com';
const MAX_HOPS = 3;
/** Pages of nine megabytes have been seen. */
const MAX_BYTES = 16 * 1024 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** An answer that says that the session itself was not taken. */
function refusesSession(response: HttpResponse): boolean {
  const moved = response.status >= 300 && response.status < 400;
  return moved || response.status === 401 || response.status === 403 || new Body(response.bytes).startsWith('<');
}

/** What a script of a page says about the page and the visitor. */
function visitorHeaders({ jar }: Caller, referer: string): Headers {
  const csrf = jar === null ? null : csrfOf(jar);
  return { referer, ...(csrf === null ? {} : { 'x-csrftoken': csrf }) };
}

export function createInstagramClient(options: InstagramClientOptions): InstagramClient {
  const { http, constants } = options;
  const { profiles } = constants;
  const sessions = createInstagramSessions(options);
  const account = options.cookies === undefined ? null : createAccountJar(options.cookies, 'instagram.com');

  async function callerOf(profile: RequestProfile, signal: AbortSignal): Promise<Caller> {
    if (profile.session === 'none') return { profile, jar: null, lsd: madeUpLsd(), session: null };
    if (profile.session === 'home') {
      const session = await sessions.current(profile, signal);
      return { profile, ...session, session };
    }
    if (account === null) throw new AppError('login_required', 'no account is configured');
    return { profile, jar: account, lsd: madeUpLsd(), session: null };
  }

  /** A question asked by a lesser caller is at worst not answered. */
  function questioner(name: ProfileName): RequestProfile {
    const profile = profiles[name];
    if (isUsable(profile, http)) return profile;
    return { ...profile, transport: 'plain', userAgent: profile.userAgent ?? constants.browserUserAgent };
  }

  async function ask(
    { profile, jar }: Caller,
    request: Pick<HttpRequest, 'method' | 'body'> & { readonly url: string | URL; readonly headers: Headers },
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const { headers, ...rest } = request;
    try {
      return await http.request({
        ...profileRequest(profile, headers),
        ...rest,
        hosts: SITE_HOSTS,
        maxBytes: MAX_BYTES,
        maxRedirects: 0,
        retries: 0,
        signal,
        ...(jar === null ? {} : { cookies: jar }),
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'forbidden') throw error;
      throw new AppError('upstream_unavailable', 'the site may not be asked at its address', { cause: error });
    }
  }

  async function query(ref: PostRef, name: ProfileName, what: Query, signal: AbortSignal): Promise<HttpResponse> {
    const caller = await callerOf(profiles[name], signal);
    const { lsd, jar, session } = caller;
    const form = {
      lsd,
      // Only what comes from a page names these.
      ...(jar === null ? {} : { fb_api_caller_class: 'RelayModern', fb_api_req_friendly_name: what.friendlyName }),
      server_timestamps: 'true',
      variables: JSON.stringify(what.variables),
      doc_id: what.docId,
    };
    const headers = {
      'content-type': FORM_TYPE,
      'x-fb-friendly-name': what.friendlyName,
      'x-fb-lsd': lsd,
      ...(jar === null ? {} : { origin: ORIGIN, ...visitorHeaders(caller, ref.url) }),
    };
    const body = new URLSearchParams(form).toString();
    const response = await ask(caller, { url: what.url, method: 'POST', headers, body }, signal);
    if (session !== null && refusesSession(response)) sessions.refuse(session);
    return response;
  }

  /** Follows the site's own redirects between the forms of a post, but not to its login page: that is an answer. */
  async function page(url: string, name: ProfileName, signal: AbortSignal): Promise<HttpResponse> {
    const caller = await callerOf(profiles[name], signal);
    const headers = caller.jar === null ? {} : navigationHeaders(caller.profile, `${ORIGIN}/`);
    const nextOf = (response: HttpResponse) => {
      const next = redirectWithinSite(response);
      return next === null || failureOfPath(next.pathname) !== null ? null : next;
    };
    return followRedirects(url, at => ask(caller, { url: at, headers }, signal), nextOf, MAX_HOPS);
  }

  async function askAsAccount(
    name: ProfileName,
    path: string,
    referer: string,
    signal: AbortSignal,
  ): Promise<HttpResponse> {
    const caller = await callerOf(profiles[name], signal);
    return ask(caller, { url: `${ORIGIN}${path}`, headers: visitorHeaders(caller, referer) }, signal);
  }

  return {
    canAsk: name => isUsable(profiles[name], http),
    queryByShortcode: (ref, name, signal) =>
      query(
        ref,
        name,
        {
          url: constants.shortcodeUrl,
          friendlyName: constants.shortcodeFriendlyName,
          docId: constants.shortcodeDocId,
          variables: { shortcode: ref.id, __relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider: false },
        },
        signal,
      ),
    queryByMediaId: (ref, name, signal) =>
      query(
        ref,
        name,
        {
          url: constants.mediaIdUrl,
          friendlyName: constants.mediaIdFriendlyName,
          docId: constants.mediaIdDocId,
          variables: { media_id: ref.parts.mediaId },
        },
        signal,
      ),
    postPage: (ref, form, name, signal) => page(`${ORIGIN}/${form}/${ref.id}/`, name, signal),
    captionedEmbed: (ref, name, signal) => page(`${ORIGIN}/p/${ref.id}/embed/captioned/`, name, signal),
    async oembed(ref, signal) {
      const caller = await callerOf(profiles.oembed, signal);
      const url = `${constants.oembedUrl}?${new URLSearchParams({ url: ref.url })}`;
      return ask(caller, { url, headers: {} }, signal);
    },
    async ruling(ref, signal) {
      const caller = await callerOf(questioner('ruling'), signal);
      const target = new URLSearchParams({ content_type: 'MEDIA', target_id: ref.parts.mediaId ?? '' });
      const url = `${ORIGIN}/api/v1/web/get_ruling_for_content/?${target}`;
      return ask(caller, { url, headers: visitorHeaders(caller, ref.url) }, signal);
    },
    async routes(ref, signal) {
      const caller = await callerOf(questioner('routes'), signal);
      const { lsd } = caller;
      const form = {
        'route_urls[0]': `/p/${ref.id}/`,
        routing_namespace: 'igx_www',
        __d: 'www',
        __a: '1',
        lsd,
      };
      const headers = {
        'content-type': FORM_TYPE,
        'x-fb-lsd': lsd,
        'x-ig-d': 'www',
        origin: ORIGIN,
        ...visitorHeaders(caller, ref.url),
      };
      const body = new URLSearchParams(form).toString();
      return ask(caller, { url: `${ORIGIN}/ajax/bulk-route-definitions/`, method: 'POST', headers, body }, signal);
    },
    mediaInfo: (mediaId, signal) => askAsAccount('media-info', `/api/v1/media/${mediaId}/info/`, `${ORIGIN}/`, signal),
    reels: (reelId, signal) =>
      askAsAccount(
        'stories',
        `/api/v1/feed/reels_media/?${new URLSearchParams({ reel_ids: reelId })}`,
        `${ORIGIN}/stories/`,
        signal,
      ),
    profile: (username, signal) =>
      askAsAccount(
        'stories',
        `/api/v1/users/web_profile_info/?${new URLSearchParams({ username })}`,
        `${ORIGIN}/${username}/`,
        signal,
      ),
  };
}
