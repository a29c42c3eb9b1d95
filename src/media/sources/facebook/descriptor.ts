import * as z from 'zod';
import { AppError } from '../../../errors.ts';
import type { HostList, HttpResponse } from '../../../infra/http/http-client.ts';
import { failureOfPublicPost, weakNotFound } from '../../extract/refusal.ts';
import { headerValue, type PostRef, type RequestProfile, textLike } from '../../extract/source.ts';
import { siteAnswer } from '../../parse/body.ts';
import { readMeta } from '../../parse/markup.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { CHROME, ENGLISH, GOOGLEBOT, HTML, NAVIGATION, PLAIN } from '../kit/constants.ts';
import { redirectOf } from '../kit/failures.ts';
import { type Ask, definePageSite, followRedirects, followShortLink, type ShortLinkStep } from '../kit/page-site.ts';
import { createAccountStrategies } from '../kit/source.ts';
import { failureOfAddress, failureOfAnswer, isCalledPublic } from './failures.ts';
import { ADDRESSES, facebookLinkOf, facebookRefOf, matchFacebookLink, oembedQuestion } from './link.ts';
import { readFacebookPage } from './parse.ts';

/** Values that Facebook changes now and then. The configuration can override each by its key (`facebook.userAgent`). */
export const FACEBOOK_IDS = z.strictObject({
  /** The user agent of profiles that imitate a browser over plain TLS. */
  userAgent: headerValue.default(CHROME),
  /** The user agent of the site's own crawler for link previews. */
  crawlerUserAgent: headerValue.default('facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'),
  searchUserAgent: headerValue.default(GOOGLEBOT),
  /** English, because the parser reads counts (`4.7K`) and error texts in this language. */
  acceptLanguage: headerValue.default(ENGLISH),
  graphVersion: textLike(/^v\d{1,3}\.\d$/).default('v25.0'),
});

/**
 * The profiles of each endpoint in their default order. Each endpoint answers some callers only (seen in 2026-08 to
 * 2026-10):
 * - Pages answer a browser's TLS; over plain TLS they answer a browser's navigation headers from many addresses, and
 * status 400 to a browser's user agent without these headers. To callers in data centres, the pages of reels, photos
 * and groups show the login wall; the pages of posts do not.
 * - Pages answer `facebookexternalhit` with the head alone, which has no file of a video. A search engine's user agent
 * gets the whole page, perhaps without media, so it comes last.
 * - `plugins/video.php` gives the files to `facebookexternalhit` and to navigations, also in data centres.
 * - Short links answer `facebookexternalhit` with a page that contains the target, and redirect browsers to the target.
 * - The hosts `m.` and `mbasic.` send everyone to the login page.
 */
export function facebookProfiles(ids: z.infer<typeof FACEBOOK_IDS>) {
  const base = { ...PLAIN, timeoutMs: 9_000 };
  const language = { 'accept-language': ids.acceptLanguage };
  const browser: RequestProfile = { ...base, transport: 'browser', userAgent: null, headers: language };
  const html = { accept: HTML, ...language };
  const plain: RequestProfile = { ...base, userAgent: ids.userAgent, headers: { ...html, ...NAVIGATION } };
  const crawler: RequestProfile = { ...base, userAgent: ids.crawlerUserAgent, headers: html };
  const search: RequestProfile = { ...crawler, userAgent: ids.searchUserAgent };
  // The embedded player is small and answers at once, or not at all (median 154 ms, 2026-09). So its time limit is
  // short.
  const quick = { timeoutMs: 6_000 };
  return {
    'post-page/browser': browser,
    'post-page/plain': plain,
    'photo-page/browser': browser,
    'photo-page/plain': plain,
    'photo-php/plain': plain,
    'reel-page/browser': browser,
    'reel-page/plain': plain,
    'embed/crawler': { ...crawler, ...quick },
    'embed/plain': { ...plain, ...quick },
    'watch-page/plain': plain,
    'video-page/plain': plain,
    'group-page/plain': plain,
    'owner-page/plain': plain,
    'story-page/plain': plain,
    'reel-page/search': search,
    'post-page/search': search,
    'post-page/account': { ...plain, session: 'account' },
    /** Short links are requested with this profile. If that gives no target, `share/plain` is used. */
    'share/crawler': { ...crawler, ...quick },
    'share/plain': { ...plain, ...quick },
    /** The oEmbed endpoint says whether a post is public, 1,000 times an hour without a token (since 2026-06-15). */
    oembed: { ...base, userAgent: null, headers: { ...html, accept: 'application/json' }, timeoutMs: 4_000 },
  } satisfies Readonly<Record<string, RequestProfile>>;
}

const SITE_HOSTS: HostList = ['facebook.com', '*.facebook.com'];
const SHORT_HOSTS: HostList = [...SITE_HOSTS, 'fb.com', '*.fb.com', 'fb.watch', '*.fb.watch', 'fb.me', '*.fb.me'];
const MAX_HOPS = 5;

export const facebook = definePageSite({
  id: 'facebook',
  name: 'Facebook',
  colour: '#1877f2',
  hosts: ['www.facebook.com', 'facebook.com', 'm.facebook.com', 'fb.watch'],
  cdnHosts: META_MEDIA_HOSTS,
  // A video of Facebook's own page, a photo, and a post with several photos.
  examples: [
    'https://www.facebook.com/facebook/videos/10153231379946729/',
    'https://www.facebook.com/photo/?fbid=10160743390456729',
    'https://www.facebook.com/joho.press.jp/posts/pfbid02mfFRpVkErLQxQ8cpD2f1hwXEVsFzK8kfNBKdK2Jndnx6AkmMQZuXhovwDgwvoDNil',
  ],
  onInGroups: true,
  // An author without a user name has an address with the numeric id.
  authorPage: ['https://www.facebook.com/NAME', /^[\w.-]{1,80}$/, 'username', 'id'],
  sessionCookie: 'xs',
  // The CDN is slow for the user agents of browsers (2026-08). It is fast with `facebookexternalhit` for videos, and
  // with the bare `Mozilla/5.0` for images.
  cdnUserAgent: mime => (mime.startsWith('video/') ? 'facebookexternalhit/1.1' : 'Mozilla/5.0'),
  match: matchFacebookLink,
  refOf: facebookRefOf,
  linkOf: facebookLinkOf,
  askedHosts: SITE_HOSTS,
  // The largest pages seen had 3 MB; a page with comments may be several times as large.
  maxBytes: 16 * 1024 * 1024,
  ids: FACEBOOK_IDS,
  profiles: facebookProfiles,
  addsNoHeaders: true,
  endpoints: () =>
    Object.fromEntries(
      Object.entries(ADDRESSES).map(([name, addressOf]) => [
        name,
        (ref, ask) => askPage(addressOf(ref) ?? ref.url, ask),
      ]),
    ),
  fits: (endpoint, ref) => ADDRESSES[endpoint]?.(ref) !== null,
  read: readFacebookPage,
  own({ http, accounts, now = Date.now }, { profiles, graphVersion }, askerOf) {
    const profile = profiles['post-page/account'];
    /**
     * Posts that the Graph API called public. Each call of `fetch` has its own `PostRef` object, which is the key here,
     * so nothing is remembered after that call.
     */
    const publicPosts = new WeakSet<PostRef>();
    return {
      strategies: createAccountStrategies({ http, read: readFacebookPage, now, accounts, site: 'facebook.com' }, [
        {
          ...{ name: 'post-page/account', profile, kind: 'page', isLastResort: true, byAccount: true },
          fits: () => accounts?.isReady() === true,
          ask: ({ url }, signal, jar) => askPage(url, askerOf(profile, signal, jar)),
        },
      ]),
      /** Asks where a short link leads: as a crawler, then as a browser. */
      async resolveShort(link, { signal, isSingle }) {
        const resolveAs = (name: 'share/crawler' | 'share/plain') =>
          followShortLink(link, async url => {
            // Each request gets an empty cookie jar, so that no cookie of one redirect is sent to the next.
            const answer = await askerOf(profiles[name], signal)(url, { hosts: SHORT_HOSTS });
            return readStep(answer, url, now());
          });
        try {
          return await resolveAs('share/crawler');
        } catch (error) {
          if (isSingle || signal.aborted || !isOfCaller(error)) throw error;
          return resolveAs('share/plain').catch(second => {
            throw isOfCaller(second) ? error : second;
          });
        }
      },
      /** Asks the Graph API whether the post is public, after a page did not show it. */
      async diagnose(ref, signal) {
        const host = 'graph.facebook.com';
        const address = `https://${host}/${graphVersion}/${oembedQuestion(ref)}`;
        const answer = await askerOf(profiles.oembed, signal)(address, { hosts: [host] });
        if (isCalledPublic(answer)) publicPosts.add(ref);
      },
      explain: (ref, failure) => (publicPosts.has(ref) ? failureOfPublicPost(failure) : failure),
    };
  },
});

/** Says whether the caller, not the post, may have caused the failure. */
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

/** The address in Facebook's test for browsers (status 403, seen 2026). After a POST to it, the page is shown. */
function challengeAddress({ status, text }: HttpResponse): string | null {
  if (status !== 403) return null;
  const path = /fetch\(\s*["'](\/__rd_verify[\w/?=&.%+-]{0,1000})["']/.exec(text.slice(0, 200_000))?.[1];
  return path === undefined ? null : `https://www.facebook.com${path}`;
}

/** The address if it is on Facebook and no short link; else null. */
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

/** Reads one step on the way from a short link to its post. Redirects that leave Facebook are not followed. */
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

/** Follows redirects within Facebook. A redirect to the login page is not followed, but is itself the answer. */
async function askPage(url: string, ask: Ask): Promise<HttpResponse> {
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
