import * as z from 'zod';
import { headerValue, type PostRef } from '../../extract/source.ts';
import { META_MEDIA_HOSTS } from '../kit/cdn-address.ts';
import { BROWSER, ENGLISH, PLAIN } from '../kit/constants.ts';
import { definePageSite } from '../kit/page-site.ts';
import { matchThreadsLink, THREADS_HOSTS, threadsRefOf } from './link.ts';
import { readThreadsPage, THREADS_LOGIN_PATH } from './parse.ts';

/** The address of a post's page. The site accepts any user name, so `threads` replaces an unknown one. */
const pageOf = ({ id, parts: { user = 'threads' } }: PostRef) => `https://www.threads.com/@${user}/post/${id}`;

export const threads = definePageSite({
  id: 'threads',
  name: 'Threads',
  colour: '#101010',
  hosts: THREADS_HOSTS,
  cdnHosts: META_MEDIA_HOSTS,
  examples: ['https://www.threads.com/@zuck/post/CuP48CiS5sx', 'https://www.threads.com/@zuck/post/C8O-JbtAKrp'],
  authorPage: ['https://www.threads.com/@NAME', /^[\w.]{1,30}$/, 'username'],
  match: matchThreadsLink,
  refOf: threadsRefOf,
  // Pages of posts have 1.3 MB (seen in 2026-09).
  maxBytes: 8 * 1024 * 1024,
  ids: z.strictObject({
    /** A browser's user agent without its version. With a version, the embed was an empty shell (seen in 2026-10). */
    userAgent: headerValue.default('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Safari/537.36'),
  }),
  /** The first two profiles ask different endpoints, because a refusal by a single endpoint proves nothing. */
  profiles({ userAgent }) {
    const plain = { ...PLAIN, userAgent, timeoutMs: 8_000 };
    const headers = { accept: 'text/html,application/xhtml+xml', 'accept-language': ENGLISH };
    return {
      'embed/plain': { ...plain, headers },
      'page/plain': plain,
      'embed/crawler': { ...plain, userAgent: 'facebookexternalhit/1.1', headers },
      'embed/navigation': plain,
      'page/browser': { ...plain, ...BROWSER },
      'short-link': { ...plain, headers },
    };
  },
  endpoints: () => ({ embed: ref => `${pageOf(ref)}/embed`, page: ref => (ref.parts.user ? pageOf(ref) : ref.url) }),
  read: readThreadsPage,
  wall: THREADS_LOGIN_PATH,
});
