import * as z from 'zod';
import { overrideProfile } from '../../extract/request-profile.ts';
import { createProfiles, PROFILE_NAMES, type Profiles } from './profiles.ts';

/**
 * What Instagram rotates, as data. Values as of 2026-09; each can be overridden by its key (`instagram.mediaIdDocId`) without
 * a release.
 */
interface InstagramIds {
  /** Address of the logged-out query by media id. */
  readonly mediaIdUrl: string;
  readonly mediaIdDocId: string;
  readonly mediaIdFriendlyName: string;
  /** Address of the query by shortcode. */
  readonly shortcodeUrl: string;
  readonly shortcodeDocId: string;
  readonly shortcodeFriendlyName: string;
  readonly oembedUrl: string;
  readonly appId: string;
  readonly asbdId: string;
  readonly wwwClaim: string;
  /** Sent where a browser is named over a transport that is none. */
  readonly browserUserAgent: string;
}

export interface InstagramConstants extends InstagramIds {
  /** Who asks; keys are `instagram.PROFILE.FIELD`, such as `instagram.page/crawler.userAgent`. */
  readonly profiles: Profiles;
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
export const INSTAGRAM_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.instagram.com/reel/Chunk8-jurw/',
  'https://www.instagram.com/p/BoHk1haB5tM/',
  'https://www.instagram.com/p/BqvsDleB3lV/',
];

const DEFAULTS: InstagramIds = {
  mediaIdUrl: 'https://www.instagram.com/api/graphql',
  mediaIdDocId: '27130156389949648',
  mediaIdFriendlyName: 'PolarisLoggedOutDesktopWWWPostRootContentQuery',
  shortcodeUrl: 'https://www.instagram.com/graphql/query',
  shortcodeDocId: '27128499623469141',
  shortcodeFriendlyName: 'PolarisPostRootQuery',
  oembedUrl: 'https://www.instagram.com/api/v1/oembed/',
  appId: '936619743392459',
  asbdId: '359341',
  wwwClaim: '0',
  browserUserAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
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

const SCHEMA = z.strictObject({
  mediaIdUrl: endpoint,
  mediaIdDocId: docId,
  mediaIdFriendlyName: word,
  shortcodeUrl: endpoint,
  shortcodeDocId: docId,
  shortcodeFriendlyName: word,
  oembedUrl: endpoint,
  appId: docId,
  asbdId: docId,
  wwwClaim: header,
  browserUserAgent: header,
});

const PREFIX = 'instagram.';

type Overrides = Readonly<Record<string, string>>;

function parseIds(overrides: Overrides): { readonly ids: InstagramIds; readonly wrong: readonly string[] } {
  const own = Object.entries(overrides)
    .filter(([key]) => key.startsWith(PREFIX) && !isProfileKey(key))
    .map(([key, value]) => [key.slice(PREFIX.length), value]);
  const result = SCHEMA.safeParse({ ...DEFAULTS, ...Object.fromEntries(own) });
  if (result.success) return { ids: result.data, wrong: [] };
  const keys = result.error.issues.flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path));
  return { ids: DEFAULTS, wrong: keys.map(key => PREFIX + String(key)) };
}

function isProfileKey(key: string): boolean {
  return PROFILE_NAMES.some(name => key.startsWith(`${PREFIX}${name}.`));
}

/**
 * The defaults with the entries of `overrides` whose keys begin with `instagram.` laid over them.
 * @throws Error naming the keys that are unknown or malformed.
 */
export function createInstagramConstants(overrides: Overrides = {}): InstagramConstants {
  const { ids, wrong } = parseIds(overrides);
  const defaults = createProfiles(ids);
  const results = PROFILE_NAMES.map(name => [name, overrideProfile(PREFIX + name, defaults[name], overrides)] as const);
  const wrongs = [...wrong, ...results.flatMap(([, result]) => ('wrong' in result ? result.wrong : []))];
  if (wrongs.length > 0) throw new Error(`wrong Instagram constants: ${wrongs.join(', ')}`);
  const changed = results.flatMap(([name, result]) => ('profile' in result ? [[name, result.profile] as const] : []));
  return { ...ids, profiles: { ...defaults, ...Object.fromEntries(changed) } };
}
