import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import { CHROME, type Constants, ENGLISH, GOOGLEBOT, HTML, NAVIGATION, PLAIN } from '../kit/constants.ts';

/** Values that Facebook changes now and then. The configuration can override each by its key (`facebook.userAgent`). */
export const FACEBOOK_IDS = z.strictObject({
  /** The user agent of profiles that imitate a browser over plain TLS. */
  userAgent: headerValue.default(CHROME),
  /** The user agent of the site's own crawler for link previews. */
  crawlerUserAgent: headerValue.default('facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'),
  searchUserAgent: headerValue.default(GOOGLEBOT),
  /** English, because the parser reads counts (`4.7K`) and error texts in this language. */
  acceptLanguage: headerValue.default(ENGLISH),
  graphVersion: z
    .string()
    .regex(/^v\d{1,3}\.\d$/)
    .default('v25.0'),
});

/**
 * The profiles of each endpoint in their default order. Each endpoint answers some callers only (seen in 2026-08 to
 * 2026-10):
 * - Pages answer a browser's TLS; over plain TLS they answer a browser's navigation headers from many addresses, and
 * status 400 to a browser's user agent without them. To data centres, reels, photos and groups show the login wall,
 * posts do not.
 * - Pages answer `facebookexternalhit` with the head alone, which has no file of a video. A search engine's user agent
 * gets the whole page, perhaps without media, so it comes last.
 * - `plugins/video.php` gives the files to `facebookexternalhit` and to navigations, also in data centres.
 * - Short links name their target to `facebookexternalhit` in the page, to browsers by redirect.
 * - `m.` and `mbasic.` send everyone to the login page.
 */
export function facebookProfiles(ids: z.infer<typeof FACEBOOK_IDS>) {
  const base = { ...PLAIN, timeoutMs: 9_000 };
  const language = { 'accept-language': ids.acceptLanguage };
  const browser: RequestProfile = { ...base, transport: 'browser', userAgent: null, headers: language };
  const html = { accept: HTML, ...language };
  const plain: RequestProfile = { ...base, userAgent: ids.userAgent, headers: { ...html, ...NAVIGATION } };
  const crawler: RequestProfile = { ...base, userAgent: ids.crawlerUserAgent, headers: html };
  const search: RequestProfile = { ...crawler, userAgent: ids.searchUserAgent };
  // The embedded player is small and answers at once, or not at all (median 154 ms, 2026-09).
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
    /** Short links are asked with this profile, then with the next one. */
    'share/crawler': { ...crawler, ...quick },
    'share/plain': { ...plain, ...quick },
    /** The oEmbed endpoint says whether a post is public; since 2026-06-15 without a token, 1,000 times an hour. */
    oembed: { ...base, userAgent: null, headers: { ...html, accept: 'application/json' }, timeoutMs: 4_000 },
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export type FacebookConstants = Constants<z.infer<typeof FACEBOOK_IDS>, keyof ReturnType<typeof facebookProfiles>>;
