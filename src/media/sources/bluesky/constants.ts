import * as z from 'zod';
import { readConstants } from '../kit/constants.ts';

/** Public posts that have been up for years: videos, by an id and by a name. */
export const BLUESKY_EXAMPLES: readonly [string, ...string[]] = [
  'https://bsky.app/profile/did:plc:z72i7hdynmk6r22z27h6tvur/post/3l3vgf77uco2g',
  'https://bsky.app/profile/blu3blue.bsky.social/post/3l4omssdl632g',
];

/** Anyone is answered (2026-11). */
function blueskyProfiles() {
  const headers = { accept: 'application/json', 'accept-language': 'en' };
  const caller = { userAgent: 'Mozilla/5.0', headers, session: 'none', transport: 'plain', timeoutMs: 6_000 } as const;
  return { thread: caller, posts: caller, identity: { ...caller, timeoutMs: 3_000 } };
}

export function createBlueskyConstants(overrides?: Readonly<Record<string, string>>) {
  const schema = z.strictObject({});
  return readConstants({ source: 'bluesky', schema, profiles: blueskyProfiles, sessions: ['none'] }, overrides);
}

export type BlueskyConstants = ReturnType<typeof createBlueskyConstants>;
