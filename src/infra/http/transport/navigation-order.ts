type Header = readonly [name: string, value: string];

/** Headers that a browser opens a page with, in its order (Chrome, 2026); others come where `others` stands. */
const ORDER: readonly string[] = [
  'host',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'upgrade-insecure-requests',
  'user-agent',
  'accept',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-user',
  'sec-fetch-dest',
  'referer',
  'accept-encoding',
  'accept-language',
  'others',
  'cookie',
  'priority',
];
const RANKS: ReadonlyMap<string, number> = new Map(ORDER.map((name, rank) => [name, rank]));

function rankOf([name]: Header): number {
  return RANKS.get(name.toLowerCase()) ?? ORDER.indexOf('others');
}

/** The headers of a request that opens a page, in the order of a browser; those of any other request as they are. */
export function inNavigationOrder(headers: readonly Header[]): readonly Header[] {
  const opensPage = headers.some(([name]) => name.toLowerCase() === 'upgrade-insecure-requests');
  return opensPage ? headers.toSorted((a, b) => rankOf(a) - rankOf(b)) : headers;
}
