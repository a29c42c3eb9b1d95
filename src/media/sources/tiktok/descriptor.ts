import type { CookieJar } from 'tough-cookie';
import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import type { MediaItem } from '../../post.ts';
import { BROWSER, CHROME, PLAIN } from '../kit/constants.ts';
import { definePageSite } from '../kit/page-site.ts';
import { matchTiktokLink, TIKTOK_HOSTS, tiktokRefOf } from './link.ts';
import { readTiktokPage, TIKTOK_LOGIN_PATH, TIKTOK_MEDIA_HOSTS, targetOfPage } from './parse.ts';

const SITE = 'https://www.tiktok.com/';

/**
 * Adds the headers without which the CDN refuses a file: the site as referer, and the cookie that the page set. The
 * user agent is that of the page's request, as in a browser.
 */
function withHeaders(item: MediaItem, cookies: CookieJar, { userAgent }: RequestProfile): MediaItem {
  const chainToken = cookies.getCookiesSync(SITE).find(({ key }) => key === 'tt_chain_token')?.value ?? '';
  const cookie = /^[\x21-\x7e]{1,2000}$/.test(chainToken) ? { cookie: `tt_chain_token=${chainToken}` } : {};
  const headers = { referer: SITE, ...cookie, ...(userAgent !== null && { 'user-agent': userAgent }) };
  return { ...item, variants: item.variants.map(file => ({ ...file, headers })) };
}

export const tiktok = definePageSite({
  id: 'tiktok',
  name: 'TikTok',
  colour: '#fe2c55',
  hosts: TIKTOK_HOSTS,
  cdnHosts: TIKTOK_MEDIA_HOSTS,
  // The first link is from the site's own documentation on embedding; other projects test with the second.
  examples: [`${SITE}@scout2015/video/6718335390845095173`, `${SITE}@hankgreen1/video/7047596209028074758`],
  authorPage: [`${SITE}@NAME`, /^[\w.]{1,30}$/, 'username'],
  // Files found by the browser transport, whose user agent is not known here, are requested as by another browser.
  cdnUserAgent: () => CHROME,
  match: matchTiktokLink,
  refOf: tiktokRefOf,
  maxBytes: 4 * 1024 * 1024,
  /** The user agents of the profiles (as of 2026-09 to 2026-10). */
  ids: z.strictObject({
    userAgent: headerValue.default(CHROME),
    firefoxUserAgent: headerValue.default(
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
    ),
  }),
  /** The profiles all differ, because the site changes every week which callers it answers. */
  profiles({ userAgent, firefoxUserAgent }) {
    const plain = { ...PLAIN, userAgent, timeoutMs: 9_000 };
    return {
      'page/plain': plain,
      'embed/plain': plain,
      'page/firefox': { ...plain, userAgent: firefoxUserAgent },
      'page/browser': { ...plain, ...BROWSER },
      'short-link': plain,
    };
  },
  endpoints: () => ({ page: ({ url }) => url, embed: ({ id }) => `${SITE}embed/v2/${id}` }),
  read: readTiktokPage,
  wall: TIKTOK_LOGIN_PATH,
  namedBy: targetOfPage,
  completer: () => (item, _signal, cookies, profile) => withHeaders(item, cookies, profile),
});
