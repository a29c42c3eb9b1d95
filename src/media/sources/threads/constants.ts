import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import { ENGLISH } from '../kit/browser-headers.ts';
import { readConstants } from '../kit/constants.ts';

/** The names that callers go by (2026-10); each can be overridden by its key (`threads.userAgent`). */
const IDS = z.strictObject({
  /** With the version of a browser in it the embed is an empty shell. */
  userAgent: headerValue.default('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Safari/537.36'),
});

/** In the order in which they are asked as long as nothing is known: both endpoints early, for one alone proves nothing. */
function profilesOf({ userAgent }: z.infer<typeof IDS>) {
  const base = { session: 'none', transport: 'plain', timeoutMs: 8_000 } as const;
  const headers = { accept: 'text/html,application/xhtml+xml', 'accept-language': ENGLISH };
  return {
    'embed/plain': { ...base, userAgent, headers },
    'page/plain': { ...base, userAgent, headers: {} },
    'embed/crawler': { ...base, userAgent: 'facebookexternalhit/1.1', headers },
    'embed/navigation': { ...base, userAgent, headers: {} },
    'page/browser': { ...base, transport: 'browser', userAgent: null, headers: {} },
    'short-link': { ...base, userAgent, headers },
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export function createThreadsConstants(overrides?: Readonly<Record<string, string>>) {
  return readConstants({ source: 'threads', schema: IDS, profiles: profilesOf, sessions: ['none'] }, overrides);
}

/** Public posts that have been up for years, of the site's own people. */
export const THREADS_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.threads.com/@zuck/post/CuP48CiS5sx',
  'https://www.threads.com/@zuck/post/C8O-JbtAKrp',
];
