/** Addresses on Pinterest -> the pin that they name. Pure. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { matchPath, PAGE, type PathShape, pagesOf, pathOf, unsupported, wrapper } from '../kit/link-match.ts';

export const PINTEREST_HOSTS: readonly [string, ...string[]] = [
  ...(['www.pinterest.com', 'pinterest.com', 'api.pinterest.com', 'pin.it', 'pint.it'] as const),
  ...[
    'pinterest.co.uk',
    'pinterest.de',
    'pinterest.fr',
    'pinterest.es',
    'pinterest.it',
    'pinterest.ca',
    'pinterest.jp',
  ],
  ...['pinterest.com.au', 'pinterest.com.mx', 'pinterest.pt', 'pinterest.ru', 'pinterest.id', 'pinterest.ph'],
];
/** The site has a host for each country and each language. */
const SITE = /^(?:[a-z]{1,3}(?:-[a-z]{2,4})?\.)?pinterest\.(?:com|[a-z]{2}|com?\.[a-z]{2})$/;
const SHORT = /^(?:www\.)?pint?\.it$/;

function pinMatch(id: string): LinkMatch {
  const url = `https://www.pinterest.com/pin/${id}/`;
  return { kind: 'post', ref: { source: 'pinterest', id, form: 'pin', url, itemIndex: null, parts: {} } };
}

/** The API answers for both short hosts and knows the target of a code. */
function shortMatch(code: string): LinkMatch {
  const url = `https://api.pinterest.com/url_shortener/${code}/redirect/`;
  return { kind: 'short', url, key: `pin.it/${code}` };
}

const PATHS: readonly PathShape[] = [
  [/^(?:amp\/)?pin\/(?:[^/]{0,300}--)?(\d{1,24})(?:\/|$)/, ([, id = '']) => pinMatch(id)],
  [/^url_shortener\/([A-Za-z0-9]{1,24})\/redirect(?:\/|$)/, ([, code = '']) => shortMatch(code)],
  [/^login(?:\/|$)/, (_, query) => wrapper(query.get('next')?.replace(/^(?=\/)/, 'https://www.pinterest.com')) ?? PAGE],
  ...pagesOf({ page: 'pin|ideas|today|business|about|settings|resource|url_shortener|_', search: 'search' }),
  [/^[\w-]{3,100}$/, () => unsupported('profile')],
];

/** Undefined for addresses on other hosts. Pure, never throws, and takes only checked ids from the address. */
export function matchPinterestLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  const path = pathOf(address, 6);
  if (SHORT.test(host)) {
    const code = /^([A-Za-z0-9]{1,24})(?:\/|$)/.exec(path)?.[1];
    return code === undefined ? PAGE : shortMatch(code);
  }
  return SITE.test(host) ? matchPath(PATHS, path, address.searchParams) : undefined;
}

export function pinterestRefOf(id: string): PostRef | undefined {
  const match = /^\d{1,24}$/.test(id) ? pinMatch(id) : undefined;
  return match?.kind === 'post' ? match.ref : undefined;
}
