/** The ids that Instagram changes now and then, and the profiles. A setting may override each (`instagram.appId`). */
import * as z from 'zod';
import { headerValue, type RequestProfile, textLike } from '../../extract/source.ts';
import { CHROME, ENGLISH, GOOGLEBOT, PLAIN, readConstants } from '../kit/constants.ts';

const docId = textLike(/^\d{5,25}$/);
const word = textLike(/^[\w.-]{1,120}$/);
const endpoint = textLike(/^https:\/\/(?:www|i)\.instagram\.com\/[\w/.-]{1,100}$/);

/** The ids as of 2026-09. */
const IDS = z.strictObject({
  // The query that finds a post by its media id, without an account.
  mediaIdUrl: endpoint.default('https://www.instagram.com/api/graphql'),
  mediaIdDocId: docId.default('27130156389949648'),
  mediaIdFriendlyName: word.default('PolarisLoggedOutDesktopWWWPostRootContentQuery'),
  // The query that finds a post by its shortcode.
  shortcodeUrl: endpoint.default('https://www.instagram.com/graphql/query'),
  shortcodeDocId: docId.default('27128499623469141'),
  shortcodeFriendlyName: word.default('PolarisPostRootQuery'),
  oembedUrl: endpoint.default('https://www.instagram.com/api/v1/oembed/'),
  appId: docId.default('936619743392459'),
  asbdId: docId.default('359341'),
  wwwClaim: headerValue.default('0'),
  // The user agent of profiles that imitate a browser over plain TLS.
  browserUserAgent: headerValue.default(CHROME),
});

const APP =
  'Instagram 275.0.0.27.98 Android (33/13; 280dpi; 720x1423; Xiaomi; Redmi 7; onclite; qcom; en_US; 458229237)';

/** Profiles by the name of the strategy or request. In summer 2026 each endpoint answered only one kind of caller. */
function profilesOf({ appId, asbdId, wwwClaim, browserUserAgent: userAgent }: z.infer<typeof IDS>) {
  /** A caller without cookies, tokens or anything that looks like a browser. */
  const plain = { ...PLAIN, userAgent: 'Mozilla/5.0', headers: { accept: '*/*' }, timeoutMs: 6_000 };
  const headers = {
    accept: '*/*',
    'accept-language': ENGLISH,
    'sec-fetch-dest': 'empty',
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'same-origin',
    'x-ig-app-id': appId,
    'x-asbd-id': asbdId,
    'x-ig-www-claim': wwwClaim,
    'x-requested-with': 'XMLHttpRequest',
    priority: 'u=1, i',
  };
  const ofApp = { accept: '*/*', 'accept-language': 'en', 'x-ig-app-id': appId };
  /** A visitor who comes from the home page, with a browser's TLS, user agent and headers. */
  const visitor: RequestProfile = { ...plain, userAgent: null, headers, session: 'home', transport: 'browser' };
  const account: RequestProfile = { ...plain, userAgent, headers, session: 'account', timeoutMs: 8_000 };
  const question: RequestProfile = { ...visitor, timeoutMs: 3_000 };
  return {
    // To a browser's user agent this endpoint sends the login page (source: OGInstagram, InstaFix-Revived; 2026-07).
    'shortcode-query/plain': plain,
    // Several projects ask this way: with a browser's user agent and the csrf cookie of a visit.
    'shortcode-query/browser': { ...visitor, userAgent, transport: 'plain' },
    // To callers without a browser's TLS this endpoint sends a page instead of JSON (source: yt-dlp; 2026-06).
    'media-id-query/browser': visitor,
    // The site answered this profile with the pages of posts in October 2026.
    'page/crawler': { ...plain, userAgent: GOOGLEBOT },
    // The home page is visited first, as yt-dlp and FxEmbed do. The browser transport adds the headers.
    'page/browser': { ...visitor, headers: {} },
    // To a browser's user agent the embed is an empty shell (source: OGInstagram; 2026-07).
    'embed/crawler': { ...plain, userAgent: 'facebookexternalhit/1.1' },
    oembed: { ...plain, userAgent: APP, headers: ofApp, timeoutMs: 4_000 },
    'media-info': account,
    stories: account,
    ruling: question,
    routes: question,
    // The site answers a browser with a page for a share link, and other programs with the redirect.
    'share-link': { ...plain, userAgent: 'curl/8.5.0' },
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export function createInstagramConstants(overrides: Readonly<Record<string, string>> = {}) {
  return readConstants({ id: 'instagram', ids: IDS, profiles: profilesOf, anySession: true }, overrides);
}

export type InstagramConstants = ReturnType<typeof createInstagramConstants>;
export type ProfileName = keyof InstagramConstants['profiles'];

/** Known public posts, years old, to test each strategy: a reel, a carousel, a photo. */
export const INSTAGRAM_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.instagram.com/reel/Chunk8-jurw/',
  'https://www.instagram.com/p/BoHk1haB5tM/',
  'https://www.instagram.com/p/BqvsDleB3lV/',
];
