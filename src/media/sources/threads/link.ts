/** Finds the post to which an address on Threads leads. */
import type { PostRef } from '../../extract/source.ts';
import { parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import {
  linkMatcher,
  mediaIdOfCode,
  type PathShape,
  postIdBy,
  postMatch,
  shortcodeOf,
  unsupported,
  wrapper,
} from '../kit/link-match.ts';

export const THREADS_HOSTS = ['www.threads.com', 'threads.com', 'www.threads.net', 'threads.net'] as const;
/** The site, and mirrors with its paths that people paste in chats for a better preview (known in 2026-10). */
const HOST = /^(?:www\.)?(?:(?:fix|vx)?threads\.(?:net|com)|threadsez\.com|fixthreads\.seria\.moe)$/;

export function threadsRefOf(code: string, user?: string): PostRef | undefined {
  const mediaId = mediaIdOfCode(code);
  if (mediaId === null) return undefined;
  const parts = { mediaId, ...(user !== undefined && { user }) };
  const url = `https://www.threads.com/t/${code}`;
  return { source: 'threads', id: code, form: 'post', url, itemIndex: null, parts };
}

/**
 * Reads the post from a share link that leads to the home page: the query contains a list of posts' ids. If the list
 * has more than one, it returns undefined.
 */
function injectedPost(query: URLSearchParams): PostRef | undefined {
  const [id, ...others] = read.list(parseJson(query.get('injected_media_ids') ?? ''));
  return others.length > 0 ? undefined : threadsRefOf(shortcodeOf(read.numericId(id) ?? '') ?? '');
}

const PATHS: readonly PathShape[] = [
  [/^@([\w.]{1,30})\/post\/([\w-]{1,11})(?:\/|$)/, ([, user, code = '']) => postMatch(threadsRefOf(code, user))],
  [/^t\/([\w-]{1,11})(?:\/|$)/, ([, code = '']) => postMatch(threadsRefOf(code))],
  [/^(share\/[\w-]{2,60})(?:\/|$)/, ([, key = '']) => ({ kind: 'short', url: `https://www.threads.com/${key}`, key })],
  [/^$/, (_, query) => postMatch(injectedPost(query))],
  [/^login(?:\/|$)/, (_, query) => wrapper(query.get('next')?.replace(/^(?=\/)/, 'https://www.threads.com'))],
  [/^search(?:\/|$)/, () => unsupported('search')],
  [/^@[\w.]{1,30}(?:\/|$)/, () => unsupported('profile')],
];

export const matchThreadsLink = linkMatcher([
  [HOST, PATHS],
  // Links on Threads to other sites lead through this host.
  [/^l\.threads\.(?:com|net)$/, [[/^/, (_, query) => wrapper(query.get('u'))]]],
]);

export const threadsIdOf = postIdBy(matchThreadsLink);
