import { z } from 'zod';

/**
 * What Instagram rotates, as data. Values as of 2026-08; each can be overridden by its key (`instagram.mediaIdDocId`) without
 * a release.
 */
export interface InstagramConstants {
  /** Address of the logged-out query by media id. */
  readonly mediaIdUrl: string;
  readonly mediaIdDocId: string;
  readonly mediaIdFriendlyName: string;
  /** Address of the query by shortcode. */
  readonly shortcodeUrl: string;
  readonly shortcodeDocId: string;
  readonly shortcodeFriendlyName: string;
  readonly appId: string;
  readonly asbdId: string;
  readonly wwwClaim: string;
  /** For pages and queries. */
  readonly browserUserAgent: string;
  /** For share links: browsers get a page, other programs the redirect. */
  readonly plainUserAgent: string;
}

/** Hosts that requests for posts may reach. */
export const SITE_HOSTS: readonly string[] = [
  'www.instagram.com',
  'instagram.com',
  'i.instagram.com',
  'm.instagram.com',
];
/** Hosts that share links may be asked on. */
export const SHORT_HOSTS: readonly string[] = [...SITE_HOSTS, 'ig.me'];

/** Public posts that have been up for years, for those who want to see what works here: a reel, a carousel, a photo. */
export const INSTAGRAM_EXAMPLES: readonly string[] = [
  'https://www.instagram.com/reel/Chunk8-jurw/',
  'https://www.instagram.com/p/BoHk1haB5tM/',
  'https://www.instagram.com/p/BqvsDleB3lV/',
];

const DEFAULTS: InstagramConstants = {
  mediaIdUrl: 'https://www.instagram.com/api/graphql',
  mediaIdDocId: '27130156389949648',
  mediaIdFriendlyName: 'PolarisLoggedOutDesktopWWWPostRootContentQuery',
  shortcodeUrl: 'https://www.instagram.com/graphql/query',
  shortcodeDocId: '27128499623469141',
  shortcodeFriendlyName: 'PolarisPostRootQuery',
  appId: '936619743392459',
  asbdId: '359341',
  wwwClaim: '0',
  browserUserAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  plainUserAgent: 'curl/8.5.0',
};

const header = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[\x20-\x7e]+$/);
const docId = z.string().regex(/^\d{5,25}$/);
const word = z.string().regex(/^[\w.-]{1,120}$/);
const endpoint = z.string().regex(/^https:\/\/(?:www|i)\.instagram\.com\/[\w/.-]{1,100}$/);

const SCHEMA = z.object({
  mediaIdUrl: endpoint,
  mediaIdDocId: docId,
  mediaIdFriendlyName: word,
  shortcodeUrl: endpoint,
  shortcodeDocId: docId,
  shortcodeFriendlyName: word,
  appId: docId,
  asbdId: docId,
  wwwClaim: header,
  browserUserAgent: header,
  plainUserAgent: header,
});

const PREFIX = 'instagram.';

/**
 * The defaults with the entries of `overrides` whose keys begin with `instagram.` laid over them.
 * @throws Error naming the keys that are unknown or malformed.
 */
export function createInstagramConstants(overrides: Readonly<Record<string, string>> = {}): InstagramConstants {
  const own = Object.entries(overrides)
    .filter(([key]) => key.startsWith(PREFIX))
    .map(([key, value]) => [key.slice(PREFIX.length), value]);
  const result = SCHEMA.strict().safeParse({ ...DEFAULTS, ...Object.fromEntries(own) });
  if (result.success) return result.data;
  const wrong = result.error.issues.flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path));
  throw new Error(`wrong Instagram constants: ${wrong.map(key => PREFIX + String(key)).join(', ')}`);
}
