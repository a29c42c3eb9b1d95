/** Who asks Instagram's endpoints, by the evidence of summer 2026: each answers one kind of caller and refuses the others. */
import type { RequestProfile } from '../../extract/request-profile.ts';
import { ENGLISH, type Headers } from '../kit/browser-headers.ts';

export type ProfileName = keyof ReturnType<typeof createProfiles>;

interface ProfileIds {
  readonly appId: string;
  readonly asbdId: string;
  readonly wwwClaim: string;
  readonly browserUserAgent: string;
}

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const APP =
  'Instagram 275.0.0.27.98 Android (33/13; 280dpi; 720x1423; Xiaomi; Redmi 7; onclite; qcom; en_US; 458229237)';

/** What a page's own script sends, user agent and tokens apart. */
function scriptHeaders({ appId, asbdId, wwwClaim }: ProfileIds): Headers {
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

/** By the strategy that asks, and at the end the questions that bring no post. */
export function createProfiles(ids: ProfileIds) {
  const script = scriptHeaders(ids);
  /** A visitor of the home page whose TLS, user agent and headers are a browser's. */
  const visitor: RequestProfile = { ...PLAIN, userAgent: null, headers: script, session: 'home', transport: 'browser' };
  const account: RequestProfile = {
    ...PLAIN,
    userAgent: ids.browserUserAgent,
    headers: script,
    session: 'account',
    timeoutMs: 8_000,
  };
  const question: RequestProfile = { ...visitor, timeoutMs: 3_000 };
  return {
    // A browser's user agent gets the login page here (OGInstagram, InstaFix-Revived; 2026-07).
    'shortcode-query/plain': PLAIN,
    // As several projects still ask: a browser with its csrf cookie.
    'shortcode-query/browser': { ...visitor, userAgent: ids.browserUserAgent, transport: 'plain' },
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
