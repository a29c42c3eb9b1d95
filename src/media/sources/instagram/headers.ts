export type Headers = Readonly<Record<string, string>>;

/** Also asked of the sites' own words: the reasons that they give are read in English. */
const LANGUAGE = 'en-US,en;q=0.9';

/** What a browser sends when a page is opened, user agent apart. */
export const NAVIGATION_HEADERS: Headers = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': LANGUAGE,
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
  'upgrade-insecure-requests': '1',
};

export interface ScriptIds {
  readonly appId: string;
  readonly asbdId: string;
  readonly wwwClaim: string;
}

/** What a page's own script sends, user agent and tokens apart. */
export function scriptHeaders({ appId, asbdId, wwwClaim }: ScriptIds): Headers {
  return {
    accept: '*/*',
    'accept-language': LANGUAGE,
    'sec-fetch-dest': 'empty',
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'same-origin',
    'x-ig-app-id': appId,
    'x-asbd-id': asbdId,
    'x-ig-www-claim': wwwClaim,
    'x-requested-with': 'XMLHttpRequest',
  };
}
