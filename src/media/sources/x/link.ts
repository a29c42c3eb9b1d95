/** Finds the post to which an address on X leads. */
import type { PostRef } from '../../extract/source.ts';
import { linkMatcher, type PathShape, postIdBy, postMatch, unsupported, wrapper } from '../kit/link-match.ts';

/**
 * The site under both names, the host of its widgets, and mirrors that people paste in chats for a better preview
 * (known in 2026-11).
 */
const HOST =
  /(?:^|\.)(?:(?:x|(?:fx|vx|px)?twitter|cdn\.syndication\.twimg|fixupx|fixvx|twittpr|xfixup|fixupvx|xcancel)\.com|nitter\.net)$/;

export function xRefOf(id: string, place?: string | null): PostRef | undefined {
  if (!/^\d{1,20}$/.test(id)) return undefined;
  const itemIndex = /^(?:[1-9]|1\d)$/.test(place ?? '') ? Number(place) - 1 : null;
  return { source: 'x', id, form: 'status', url: `https://x.com/i/status/${id}`, itemIndex, parts: {} };
}

const PATHS: readonly PathShape[] = [
  // The site finds a post by its number alone. On mirrors a `.mp4` after it leads to the file itself.
  [
    /^(?:(?:i|i\/web|[\w-]{1,50})\/)?(?:status(?:es)?|videos(?:\/tweet)?)\/(\d{1,20})(?:\.\w{1,5})?(?:\/(?:(?:photo|video)\/)?(\d{1,2}))?(?:\/|$)/i,
    ([, id = '', place], query) => postMatch(xRefOf(id, place ?? query.get('img_index'))),
  ],
  [/(?:^|\/)login$/i, (_, query) => wrapper(query.get('redirect_after_login')?.replace(/^\//, 'https://x.com/'))],
  [/^i\/(?:spaces|broadcasts)\//i, () => unsupported('live')],
  [/^i\/communities\//i, () => unsupported('group')],
  [/^hashtag\//i, () => unsupported('tag')],
  [/^(?:search|explore)(?:\/|$)/i, () => unsupported('search')],
  [/^(?!(?:i|home|intent|share|settings|messages|tos|privacy)$)\w{1,15}$/i, () => unsupported('profile')],
];

export const matchXLink = linkMatcher([
  [/^t\.co$/, [[/^[^\W_]{1,20}$/, ([code]) => ({ kind: 'short', url: `https://t.co/${code}`, key: `t.co/${code}` })]]],
  [HOST, PATHS],
]);

export const xIdOf = postIdBy(matchXLink);
