/** Addresses on X -> the post that they name. Pure. */
import type { LinkMatch, PostRef } from '../../../extract/source.ts';
import { matchPath, PAGE, type PathShape, pathOf, postIdOf, unsupported, wrapper } from '../../kit/link-match.ts';

export const SHORT_HOST = 't.co';
/**
 * The site under both of its names, the host that serves widgets, and the preview mirrors that people paste in chats (known in 2026-11).
 */
const SUFFIXES: readonly string[] = [
  ...['x.com', 'twitter.com', 'cdn.syndication.twimg.com'],
  ...['fxtwitter.com', 'vxtwitter.com', 'fixupx.com', 'fixvx.com', 'twittpr.com', 'pxtwitter.com', 'xfixup.com'],
  ...['fixupvx.com', 'nitter.net', 'xcancel.com'],
];

function postMatch(id: string, place: string | null | undefined): LinkMatch {
  const itemIndex = /^(?:[1-9]|1\d)$/.test(place ?? '') ? Number(place) - 1 : null;
  const url = `https://x.com/i/status/${id}`;
  return { kind: 'post', ref: { source: 'x', id, form: 'status', url, itemIndex, parts: {} } };
}

const PATHS: readonly PathShape[] = [
  // The site finds a post by its number alone and ignores the name before it. On mirrors `.mp4` gives the file itself.
  [
    /^(?:(?:i|i\/web|[\w-]{1,50})\/)?(?:status(?:es)?|videos(?:\/tweet)?)\/(\d{1,20})(?:\.\w{1,5})?(?:\/(?:(?:photo|video)\/)?(\d{1,2}))?(?:\/|$)/i,
    ([, id = '', place], query) => postMatch(id, place ?? query.get('img_index')),
  ],
  [/(?:^|\/)login$/i, (_, query) => wrapper(query.get('redirect_after_login')?.replace(/^\//, 'https://x.com/'))],
  [/^i\/(?:spaces|broadcasts)\//i, () => unsupported('live')],
  [/^i\/communities\//i, () => unsupported('group')],
  [/^hashtag\//i, () => unsupported('tag')],
  [/^(?:search|explore)(?:\/|$)/i, () => unsupported('search')],
  [/^(?!(?:i|home|intent|share|settings|messages|tos|privacy)$)\w{1,15}$/i, () => unsupported('profile')],
];

/** Undefined for addresses on other hosts. Pure, never throws, and takes only checked ids from the address. */
export function matchXLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  const path = pathOf(address, 8);
  if (host === SHORT_HOST) {
    const isShort = /^[A-Za-z0-9]{1,20}$/.test(path);
    return isShort ? { kind: 'short', url: `https://${host}/${path}`, key: `${host}/${path}` } : PAGE;
  }
  const isKnown = SUFFIXES.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
  return isKnown ? matchPath(PATHS, path, address.searchParams) : undefined;
}

export function xRefOf(id: string): PostRef | undefined {
  const match = /^\d{1,20}$/.test(id) ? postMatch(id, null) : undefined;
  return match?.kind === 'post' ? match.ref : undefined;
}

export function xIdOf(address: unknown): string | null {
  return postIdOf(address, matchXLink);
}
