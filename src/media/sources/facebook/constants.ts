import * as z from 'zod';
import { overrideProfile, type RequestProfile } from '../../extract/request-profile.ts';
import { type FacebookIds, facebookProfiles } from './profiles.ts';

export interface FacebookConstants extends FacebookIds {
  /** How each pair of address and caller asks; overridden by `facebook.NAME.FIELD`. */
  readonly profiles: Readonly<Record<FacebookProfileName, RequestProfile>>;
}

export type FacebookProfileName = keyof ReturnType<typeof facebookProfiles>;

const DEFAULTS: FacebookIds = {
  userAgent:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
  crawlerUserAgent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  searchUserAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  acceptLanguage: 'en-US,en;q=0.9',
  graphVersion: 'v25.0',
};

const header = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[\x20-\x7e]+$/);

const IDS = z.strictObject({
  userAgent: header,
  crawlerUserAgent: header,
  searchUserAgent: header,
  acceptLanguage: header,
  graphVersion: z.string().regex(/^v\d{1,3}\.\d$/),
});
const PREFIX = 'facebook.';

/**
 * Public posts that have been up for years, for those who want to see what works here: a video of the site's own page, a
 * photo, a post with photos.
 */
export const FACEBOOK_EXAMPLES: readonly [string, ...string[]] = [
  'https://www.facebook.com/facebook/videos/10153231379946729/',
  'https://www.facebook.com/photo/?fbid=10160743390456729',
  'https://www.facebook.com/joho.press.jp/posts/pfbid02mfFRpVkErLQxQ8cpD2f1hwXEVsFzK8kfNBKdK2Jndnx6AkmMQZuXhovwDgwvoDNil',
];

function readIds(own: Readonly<Record<string, string>>): { readonly ids: FacebookIds; readonly wrong: string[] } {
  const given = Object.entries(own)
    .map(([key, value]) => [key.slice(PREFIX.length), value])
    .filter(([key]) => !key?.includes('.'));
  const result = IDS.safeParse({ ...DEFAULTS, ...Object.fromEntries(given) });
  if (result.success) return { ids: result.data, wrong: [] };
  const wrong = result.error.issues.flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path));
  return { ids: DEFAULTS, wrong: wrong.map(key => PREFIX + String(key)) };
}

/**
 * The defaults with the entries of `overrides` whose keys begin with `facebook.` laid over them.
 * @throws Error naming the keys that are unknown or malformed.
 */
export function createFacebookConstants(overrides: Readonly<Record<string, string>> = {}): FacebookConstants {
  const own = Object.fromEntries(Object.entries(overrides).filter(([key]) => key.startsWith(PREFIX)));
  const { ids, wrong } = readIds(own);
  const names = new Set<string>();
  const profiles = facebookProfiles(ids, (name, defaults) => {
    names.add(name);
    const result = overrideProfile(PREFIX + name, defaults, own);
    if ('wrong' in result) wrong.push(...result.wrong);
    // There is no session to ask Facebook with.
    else if (result.profile.session !== 'none') wrong.push(`${PREFIX}${name}.session`);
    else return result.profile;
    return defaults;
  });
  const ofNoProfile = Object.keys(own).filter(key => {
    const [, name = '', field] = key.split('.', 3);
    return field !== undefined && !names.has(name);
  });
  wrong.push(...ofNoProfile);
  if (wrong.length > 0) throw new Error(`wrong Facebook constants: ${wrong.join(', ')}`);
  return { ...ids, profiles };
}
