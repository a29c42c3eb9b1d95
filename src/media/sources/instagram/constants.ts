import * as z from 'zod';
import { type Constants, headerValue, readConstants } from '../kit/constants.ts';
import { createProfiles, type ProfileName } from './profiles.ts';

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

export type InstagramConstants = Constants<InstagramIds, ProfileName>;

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
  wwwClaim: headerValue,
  browserUserAgent: headerValue,
});

/** @throws Error naming every key that is unknown or malformed. */
export function createInstagramConstants(overrides: Readonly<Record<string, string>> = {}): InstagramConstants {
  return readConstants(
    { source: 'instagram', defaults: DEFAULTS, schema: SCHEMA, profiles: createProfiles },
    overrides,
  );
}
