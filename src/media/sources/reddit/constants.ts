import * as z from 'zod';
import { headerValue, type RequestProfile } from '../../extract/source.ts';
import { CHROME, ENGLISH } from '../kit/browser-headers.ts';
import { readConstants } from '../kit/constants.ts';

/** Public posts that have been up for months: a video, and a gallery. */
export const REDDIT_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.reddit.com/r/KidsAreFuckingStupid/comments/1sklidt/',
  'https://www.reddit.com/r/IllegallySmolCats/comments/1skft63/',
];

/** `redd.it` alone is its short link. */
export const REDDIT_MEDIA_HOSTS: readonly string[] = [
  ...['v.redd.it', 'i.redd.it', 'preview.redd.it'],
  ...['external-preview.redd.it', 'packaged-media.redd.it'],
];

const IDS = z.strictObject({
  userAgent: headerValue.default(CHROME),
  /** Feeds are for readers that say who they are. */
  feedAgent: headerValue.default('linux:medley:1.0 (a chat bot that shows single posts)'),
  /** The host's own app, of the kind that is installed: it has no secret. */
  clientId: z
    .string()
    .regex(/^[\w-]{10,60}$/)
    .optional(),
});

/** Embeds and pages are for browsers (2026-10); the feed is for programs. */
function profilesOf({ userAgent, feedAgent }: z.infer<typeof IDS>) {
  const base = { session: 'none', transport: 'plain', timeoutMs: 8_000, headers: {}, userAgent } as const;
  const feed = {
    ...base,
    userAgent: feedAgent,
    headers: { accept: 'application/atom+xml', 'accept-language': ENGLISH },
  };
  return {
    'embed/plain': base,
    'page/plain': base,
    'card/feed': feed,
    'embed/browser': { ...base, transport: 'browser', userAgent: null },
    'page/browser': { ...base, transport: 'browser', userAgent: null },
    'app/plain': { ...feed, headers: { accept: 'application/json' } },
    'short-link': base,
  } satisfies Readonly<Record<string, RequestProfile>>;
}

export function createRedditConstants(overrides?: Readonly<Record<string, string>>) {
  return readConstants({ source: 'reddit', schema: IDS, profiles: profilesOf, sessions: ['none'] }, overrides);
}
