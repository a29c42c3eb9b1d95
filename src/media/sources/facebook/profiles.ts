import type { RequestProfile } from '../../extract/request-profile.ts';

/** What Facebook changes now and then, as data. Each can be overridden by its key (`facebook.userAgent`). */
export interface FacebookIds {
  /** Of callers that look like a browser over plain TLS. */
  readonly userAgent: string;
  /** Of callers that look like the site's own link preview. */
  readonly crawlerUserAgent: string;
  /** Of callers that look like a search engine. */
  readonly searchUserAgent: string;
  /** English keeps counts (`4.7K`) and error texts readable for us. */
  readonly acceptLanguage: string;
  /** Of the Graph API, such as `v25.0`. */
  readonly graphVersion: string;
}

const PAGE_TIMEOUT_MS = 9_000;
/** The player for other sites is small and answers at once, or not at all (median 154 ms, 2026-09). */
const EMBED_TIMEOUT_MS = 6_000;
const QUESTION_TIMEOUT_MS = 4_000;
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

/**
 * Who asks at which address, by the name of the strategy. What each address answers to whom (public notes of 2026-08 to 2026-10):
 *
 * - Pages answer a browser's TLS; over plain TLS they answer a browser's navigation headers from many addresses, and status 400
 *   to a browser's user agent without them. From data centres reels, photos and groups show the login wall, posts do not.
 * - Pages answer `facebookexternalhit` with the head alone: no file of a video is in it. A search engine's user agent gets the
 *   whole page; whether that holds media was not measured, so it is asked last.
 * - `plugins/video.php` gives the files to `facebookexternalhit` and to navigations, from data centres too.
 * - Short links name their target to `facebookexternalhit` in the page, to browsers by redirect.
 * - `m.` and `mbasic.` send everyone to the login page.
 */
export function facebookProfiles(ids: FacebookIds) {
  const base = { session: 'none', transport: 'plain', timeoutMs: PAGE_TIMEOUT_MS } as const;
  const language = { 'accept-language': ids.acceptLanguage };
  const browser: RequestProfile = { ...base, transport: 'browser', userAgent: null, headers: language };
  /** That of a browser in which an address was pasted. */
  const plain: RequestProfile = {
    ...base,
    userAgent: ids.userAgent,
    headers: {
      accept: HTML,
      ...language,
      'cache-control': 'no-cache',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-fetch-user': '?1',
      'upgrade-insecure-requests': '1',
    },
  };
  const crawler: RequestProfile = { ...base, userAgent: ids.crawlerUserAgent, headers: { accept: HTML, ...language } };
  const search: RequestProfile = { ...crawler, userAgent: ids.searchUserAgent };
  const quick = { timeoutMs: EMBED_TIMEOUT_MS };
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
    'post-page/account': { ...plain, session: 'account' } satisfies RequestProfile,
    /** Short links are asked by these two, in turn. */
    'share/crawler': { ...crawler, ...quick },
    'share/plain': { ...plain, ...quick },
    /** Whether a post is public: answers without a token since 2026-06-15, 1,000 times an hour. */
    oembed: {
      ...base,
      userAgent: null,
      headers: { accept: 'application/json', ...language },
      timeoutMs: QUESTION_TIMEOUT_MS,
    },
  };
}
