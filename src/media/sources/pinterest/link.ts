/** Finds the pin to which an address on Pinterest leads. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { linkMatcher, type PathShape, pagesOf, postIdBy, postMatch, unsupported, wrapper } from '../kit/link-match.ts';

export const PINTEREST_HOSTS: readonly [string, ...string[]] = [
  ...(['www.pinterest.com', 'pinterest.com', 'api.pinterest.com', 'pin.it', 'pint.it'] as const),
  ...'co.uk de fr es it ca jp com.au com.mx pt ru id ph'.split(' ').map(country => `pinterest.${country}`),
];
/** Pinterest's hosts, one for each country and language. */
const SITE = /^(?:[a-z]{1,3}(?:-[a-z]{2,4})?\.)?pinterest\.(?:com|[a-z]{2}|com?\.[a-z]{2})$/;

export function pinterestRefOf(id: string): PostRef | undefined {
  if (!/^\d{1,24}$/.test(id)) return undefined;
  const url = `https://www.pinterest.com/pin/${id}/`;
  return { source: 'pinterest', id, form: 'pin', url, itemIndex: null, parts: {} };
}

/** A short link. `pin.it` and `pint.it` have the same codes, and the API redirects a code to its target. */
function shortMatch([, code = '']: readonly string[]): LinkMatch {
  const url = `https://api.pinterest.com/url_shortener/${code}/redirect/`;
  return { kind: 'short', url, key: `pin.it/${code}` };
}

const PATHS: readonly PathShape[] = [
  [/^(?:amp\/)?pin\/(?:[^/]{0,300}--)?(\d{1,24})(?:\/|$)/, ([, id = '']) => postMatch(pinterestRefOf(id))],
  [/^url_shortener\/([A-Za-z0-9]{1,24})\/redirect(?:\/|$)/, shortMatch],
  [/^login(?:\/|$)/, (_, query) => wrapper(query.get('next')?.replace(/^(?=\/)/, 'https://www.pinterest.com'))],
  ...pagesOf({ page: 'login|pin|ideas|today|business|about|settings|resource|url_shortener|_', search: 'search' }),
  [/^[\w-]{3,100}$/, () => unsupported('profile')],
];

export const matchPinterestLink = linkMatcher([
  [/^(?:www\.)?pint?\.it$/, [[/^([A-Za-z0-9]{1,24})(?:\/|$)/, shortMatch]]],
  [SITE, PATHS],
]);

export const pinterestIdOf = postIdBy(matchPinterestLink);
