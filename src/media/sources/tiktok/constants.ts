import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import { CHROME } from '../kit/browser-headers.ts';
import { readConstants } from '../kit/constants.ts';

/** The names that callers go by (2026-09 to 2026-10); each can be overridden by its key (`tiktok.userAgent`). */
const IDS = z.strictObject({
  userAgent: headerValue.default(CHROME),
  firefoxUserAgent: headerValue.default(
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
  ),
});

/** Whom the site answers changes by the week: a refused caller is followed by another, and both endpoints come early. */
function profilesOf({ userAgent, firefoxUserAgent }: z.infer<typeof IDS>) {
  const base = { session: 'none', transport: 'plain', timeoutMs: 9_000, headers: {} } as const;
  return {
    'page/plain': { ...base, userAgent },
    'embed/plain': { ...base, userAgent },
    'page/firefox': { ...base, userAgent: firefoxUserAgent },
    'page/browser': { ...base, transport: 'browser', userAgent: null },
    'short-link': { ...base, userAgent },
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export function createTiktokConstants(overrides?: Readonly<Record<string, string>>) {
  return readConstants({ source: 'tiktok', schema: IDS, profiles: profilesOf, sessions: ['none'] }, overrides);
}

/** Public posts that have been up for years: the one of the site's own document about embedding, and one that others test with. */
export const TIKTOK_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.tiktok.com/@scout2015/video/6718335390845095173',
  'https://www.tiktok.com/@hankgreen1/video/7047596209028074758',
];
