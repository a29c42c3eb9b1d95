/** Addresses on Threads -> the post that they name. Pure. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { parseJson, readId, readList } from '../../parse/json-fields.ts';
import {
  matchPath,
  mediaIdOfCode,
  PAGE,
  type PathShape,
  PUBLIC_CODE_LENGTH,
  pathOf,
  shortcodeOf,
  unsupported,
  wrapper,
} from '../kit/link-match.ts';

export const THREADS_HOSTS = ['www.threads.com', 'threads.com', 'www.threads.net', 'threads.net'] as const;

/** Preview mirrors that people paste in chats; they have the same paths. Known in 2026-10. */
const MIRROR = /^(?:www\.)?(?:(?:fix|vx)threads\.(?:net|com)|threadsez\.com|fixthreads\.seria\.moe)$/;
const MAX_SEGMENTS = 6;

function postMatch(code: string, user?: string): LinkMatch {
  const mediaId = mediaIdOfCode(code);
  if (mediaId === null) return PAGE;
  const parts = { mediaId, ...(user !== undefined && { user }) };
  const url = `https://www.threads.com/t/${code}`;
  return { kind: 'post', ref: { source: 'threads', id: code, form: 'post', url, itemIndex: null, parts } };
}

/** Some share links lead to the home page with the post's number in a list; a list of several numbers names no single post. */
function injectedPost(query: URLSearchParams): LinkMatch | undefined {
  const [id, ...others] = readList(parseJson(query.get('injected_media_ids') ?? ''));
  const code = others.length > 0 ? null : shortcodeOf(readId(id) ?? '');
  return code === null || code.length > PUBLIC_CODE_LENGTH ? undefined : postMatch(code);
}

/** Shapes of paths, without the slashes at both ends; the first that matches counts. */
const PATHS: readonly PathShape[] = [
  [/^@([\w.]{1,30})\/post\/([\w-]{1,11})(?:\/|$)/, ([, user = '', code = '']) => postMatch(code, user)],
  [/^t\/([\w-]{1,11})(?:\/|$)/, ([, code = '']) => postMatch(code)],
  [
    /^share\/([\w-]{2,60})(?:\/|$)/,
    ([, token = '']) => ({ kind: 'short', url: `https://www.threads.com/share/${token}`, key: `share/${token}` }),
  ],
  [/^$/, (_, query) => injectedPost(query)],
  [/^login(?:\/|$)/, (_, query) => wrapper(query.get('next')?.replace(/^(?=\/)/, 'https://www.threads.com')) ?? PAGE],
  [/^search(?:\/|$)/, () => unsupported('search')],
  [/^@[\w.]{1,30}(?:\/|$)/, () => unsupported('profile')],
];

/** Undefined for addresses on other hosts. Pure, never throws, and takes only checked ids from the address. */
export function matchThreadsLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  if (!THREADS_HOSTS.some(one => one === host) && !MIRROR.test(host)) return undefined;
  // The `@` may be escaped in a link that was copied from an app.
  const path = pathOf(address, MAX_SEGMENTS).replace(/^%40/, '@');
  return matchPath(PATHS, path, address.searchParams);
}

export function threadsRefOf(id: string): PostRef | undefined {
  const match = /^[\w-]{1,11}$/.test(id) ? postMatch(id) : undefined;
  return match?.kind === 'post' ? match.ref : undefined;
}
