import type { RequestProfile } from '../../extract/source.ts';

export type Headers = Readonly<Record<string, string>>;

/** Sites are asked in English, because the parser knows their reasons for a refusal by the English text. */
export const ENGLISH = 'en-US,en;q=0.9';

/** The `accept` header of a browser for documents. */
export const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

/** A browser's user agent for the plain transport (Chrome of 2026-09). */
export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const PLATFORMS: Readonly<Record<string, string>> = { Windows: '"Windows"', Macintosh: '"macOS"', Linux: '"Linux"' };

/** Headers that a browser sends beside its user agent; none when the user agent is not that of Chrome on a computer. */
function clientHints(userAgent: string): Headers {
  const version = /Chrome\/(\d{2,4})\./.exec(userAgent)?.[1];
  const platform = PLATFORMS[/Windows|Macintosh|Linux/.exec(userAgent)?.[0] ?? ''];
  if (version === undefined || platform === undefined) return {};
  return {
    'sec-ch-ua': `"Chromium";v="${version}", "Google Chrome";v="${version}", "Not)A;Brand";v="24"`,
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': platform,
  };
}

/** Headers that a browser sends with every navigation. */
export const NAVIGATION: Headers = {
  'upgrade-insecure-requests': '1',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
};

/** Headers of a browser that opens a page from elsewhere, or by a link on the page `from`. The browser transport adds a user agent. */
export function navigationHeaders({ transport, userAgent }: RequestProfile, from?: string): Headers {
  const plain = { ...clientHints(userAgent ?? ''), accept: HTML, 'accept-language': ENGLISH };
  const site = from === undefined ? {} : { 'sec-fetch-site': 'same-origin', referer: from };
  return { ...(transport === 'plain' && plain), ...NAVIGATION, ...site, priority: 'u=0, i' };
}
