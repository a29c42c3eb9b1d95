import type { InstagramConstants } from './constants.ts';

export type Headers = Readonly<Record<string, string>>;

const LANGUAGE = 'en-US,en;q=0.9';

/** What a browser sends when somebody opens a page. */
export function navigationHeaders(constants: InstagramConstants, referer?: string): Headers {
  return {
    'user-agent': constants.browserUserAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': LANGUAGE,
    'sec-fetch-dest': 'document',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': referer === undefined ? 'none' : 'same-origin',
    'sec-fetch-user': '?1',
    'upgrade-insecure-requests': '1',
    ...(referer === undefined ? {} : { referer }),
  };
}

/** What a page's own script sends. */
export function scriptHeaders(constants: InstagramConstants, referer: string, csrf: string | null): Headers {
  return {
    'user-agent': constants.browserUserAgent,
    accept: '*/*',
    'accept-language': LANGUAGE,
    'sec-fetch-dest': 'empty',
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'same-origin',
    'x-ig-app-id': constants.appId,
    'x-asbd-id': constants.asbdId,
    'x-ig-www-claim': constants.wwwClaim,
    'x-requested-with': 'XMLHttpRequest',
    referer,
    ...(csrf === null ? {} : { 'x-csrftoken': csrf }),
  };
}
