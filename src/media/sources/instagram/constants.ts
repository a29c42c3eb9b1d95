/** The ids that Instagram rotates and the callers that it is asked by: each value can be overridden by its key (`instagram.mediaIdDocId`). */
import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import { CHROME, ENGLISH, GOOGLEBOT, type Headers } from '../kit/browser-headers.ts';
import { readConstants } from '../kit/constants.ts';

const docId = z.string().regex(/^\d{5,25}$/);
const word = z.string().regex(/^[\w.-]{1,120}$/);
const endpoint = z.string().regex(/^https:\/\/(?:www|i)\.instagram\.com\/[\w/.-]{1,100}$/);

/** Values as of 2026-09. */
const IDS = z.strictObject({
  // The logged-out query by media id.
  mediaIdUrl: endpoint.default('https://www.instagram.com/api/graphql'),
  mediaIdDocId: docId.default('27130156389949648'),
  mediaIdFriendlyName: word.default('PolarisLoggedOutDesktopWWWPostRootContentQuery'),
  // The query by shortcode.
  shortcodeUrl: endpoint.default('https://www.instagram.com/graphql/query'),
  shortcodeDocId: docId.default('27128499623469141'),
  shortcodeFriendlyName: word.default('PolarisPostRootQuery'),
  oembedUrl: endpoint.default('https://www.instagram.com/api/v1/oembed/'),
  appId: docId.default('936619743392459'),
  asbdId: docId.default('359341'),
  wwwClaim: headerValue.default('0'),
  // Sent where a browser is named over a transport that is none.
  browserUserAgent: headerValue.default(CHROME),
});

const APP =
  'Instagram 275.0.0.27.98 Android (33/13; 280dpi; 720x1423; Xiaomi; Redmi 7; onclite; qcom; en_US; 458229237)';

function scriptHeaders({ appId, asbdId, wwwClaim }: z.infer<typeof IDS>): Headers {
  return {
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
}

/** Without cookies, tokens or anything that looks like a browser. */
const PLAIN: RequestProfile = {
  userAgent: 'Mozilla/5.0',
  headers: { accept: '*/*' },
  session: 'none',
  transport: 'plain',
  timeoutMs: 6_000,
};

/** By strategy or question: in summer 2026 each endpoint answered one kind of caller and refused the others. */
function profilesOf(ids: z.infer<typeof IDS>) {
  const headers = scriptHeaders(ids);
  /** A visitor of the home page whose TLS, user agent and headers are a browser's. */
  const visitor: RequestProfile = { ...PLAIN, userAgent: null, headers, session: 'home', transport: 'browser' };
  const userAgent = ids.browserUserAgent;
  const account: RequestProfile = { ...PLAIN, userAgent, headers, session: 'account', timeoutMs: 8_000 };
  const question: RequestProfile = { ...visitor, timeoutMs: 3_000 };
  return {
    // A browser's user agent gets the login page here (OGInstagram, InstaFix-Revived; 2026-07).
    'shortcode-query/plain': PLAIN,
    // Several projects still ask so: a browser with its csrf cookie.
    'shortcode-query/browser': { ...visitor, userAgent, transport: 'plain' },
    // Anything but a browser's TLS gets a page in place of JSON (yt-dlp; 2026-06).
    'media-id-query/browser': visitor,
    // The pages recorded in October 2026 were given to it.
    'page/crawler': { ...PLAIN, userAgent: GOOGLEBOT },
    // After the home page, as yt-dlp and FxEmbed ask; headers of a navigation are the emulation's own.
    'page/browser': { ...visitor, headers: {} },
    // Browsers get an empty shell (OGInstagram; 2026-07).
    'embed/crawler': { ...PLAIN, userAgent: 'facebookexternalhit/1.1' },
    oembed: {
      ...PLAIN,
      userAgent: APP,
      headers: { accept: '*/*', 'accept-language': 'en', 'x-ig-app-id': ids.appId },
      timeoutMs: 4_000,
    },
    'media-info': account,
    stories: account,
    ruling: question,
    routes: question,
    // Browsers get a page, other programs the redirect.
    'share-link': { ...PLAIN, userAgent: 'curl/8.5.0' },
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export function createInstagramConstants(overrides: Readonly<Record<string, string>> = {}) {
  return readConstants({ source: 'instagram', schema: IDS, profiles: profilesOf }, overrides);
}

export type InstagramConstants = ReturnType<typeof createInstagramConstants>;
export type ProfileName = keyof InstagramConstants['profiles'];

/** Public posts that have been up for years, for those who want to see what works here: a reel, a carousel, a photo. */
export const INSTAGRAM_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.instagram.com/reel/Chunk8-jurw/',
  'https://www.instagram.com/p/BoHk1haB5tM/',
  'https://www.instagram.com/p/BqvsDleB3lV/',
];
