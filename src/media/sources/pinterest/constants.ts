import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import { CHROME, ENGLISH } from '../kit/browser-headers.ts';
import { readConstants } from '../kit/constants.ts';

/** Public pins that have been up for years: a video, and a photo. */
export const PINTEREST_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.pinterest.com/pin/664281013778109217/',
  'https://www.pinterest.com/pin/858146903966145189/',
];

/** Files lie on its CDN. */
export const PINTEREST_MEDIA_HOSTS: readonly string[] = ['pinimg.com'];

const IDS = z.strictObject({
  userAgent: headerValue.default(CHROME),
  /** The page whose scripts ask for a pin (2026-10). */
  handler: headerValue.default('www/[username].js'),
  fields: headerValue.default('unauth_react_main_pin'),
});

/** The query is what the pages themselves ask with. */
function profilesOf({ userAgent, handler }: z.infer<typeof IDS>) {
  const base = { session: 'none', transport: 'plain', timeoutMs: 9_000, headers: {}, userAgent } as const;
  const ofScript = {
    accept: 'application/json, text/javascript, */*; q=0.01',
    'accept-language': ENGLISH,
    'x-pinterest-pws-handler': handler,
  };
  return {
    'query/plain': { ...base, headers: ofScript },
    'page/plain': base,
    'query/browser': { ...base, transport: 'browser', userAgent: null, headers: ofScript },
    'page/browser': { ...base, transport: 'browser', userAgent: null },
    'short-link': base,
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export function createPinterestConstants(overrides?: Readonly<Record<string, string>>) {
  return readConstants({ source: 'pinterest', schema: IDS, profiles: profilesOf, sessions: ['none'] }, overrides);
}
