import * as z from 'zod';
import { type Constants, headerValue, readConstants } from '../kit/constants.ts';
import { type FacebookIds, facebookProfiles } from './profiles.ts';

export type FacebookProfileName = keyof ReturnType<typeof facebookProfiles>;

export type FacebookConstants = Constants<FacebookIds, FacebookProfileName>;

const DEFAULTS: FacebookIds = {
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
  crawlerUserAgent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  searchUserAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  acceptLanguage: 'en-US,en;q=0.9',
  graphVersion: 'v25.0',
};

const IDS = z.strictObject({
  userAgent: headerValue,
  crawlerUserAgent: headerValue,
  searchUserAgent: headerValue,
  acceptLanguage: headerValue,
  graphVersion: z.string().regex(/^v\d{1,3}\.\d$/),
});

/**
 * Public posts that have been up for years, for those who want to see what works here: a video of the site's own page, a
 * photo, a post with photos.
 */
export const FACEBOOK_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.facebook.com/facebook/videos/10153231379946729/',
  'https://www.facebook.com/photo/?fbid=10160743390456729',
  'https://www.facebook.com/joho.press.jp/posts/pfbid02mfFRpVkErLQxQ8cpD2f1hwXEVsFzK8kfNBKdK2Jndnx6AkmMQZuXhovwDgwvoDNil',
];

/** @throws Error naming every key that is unknown or malformed. */
export function createFacebookConstants(overrides: Readonly<Record<string, string>> = {}): FacebookConstants {
  return readConstants(
    // Only its own caller asks with an account.
    { source: 'facebook', defaults: DEFAULTS, schema: IDS, profiles: facebookProfiles, sessions: ['none'] },
    overrides,
  );
}
