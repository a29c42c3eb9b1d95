import type * as z from 'zod';
import { PROFILE_OVERRIDES, type RequestProfile } from '../../extract/source.ts';
import type { SourceId } from '../../post.ts';

export type Headers = Readonly<Record<string, string>>;

/** Sites are asked in English, because the parser recognises their refusals by the English text. */
export const ENGLISH = 'en-US,en;q=0.9';

/** The `accept` header of a browser for documents. */
export const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

/** A browser's user agent for the plain transport (Chrome of 2026-09). */
export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36';
export const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const PLATFORMS: Readonly<Record<string, string>> = { Windows: '"Windows"', Macintosh: '"macOS"', Linux: '"Linux"' };

/** Headers that Chrome on a computer sends beside its user agent; none for any other user agent. */
function clientHints(userAgent: string): Headers {
  const version = /Chrome\/(\d{2,4})\./.exec(userAgent)?.[1];
  const platform = PLATFORMS[/Windows|Macintosh|Linux/.exec(userAgent)?.[0] ?? ''];
  if (version === undefined || platform === undefined) return {};
  return {
    'sec-ch-ua': `"Chromium";v="${version}", "Google Chrome";v="${version}", "Not)A;Brand";v="24"`,
    'sec-ch-ua-mobile': '?0',
    'sec-ch-ua-platform': platform,
  };
}

export const NAVIGATION: Headers = {
  'upgrade-insecure-requests': '1',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
};

/** Headers of a browser that opens a page, perhaps from a link on the page `from`. The transport adds a user agent. */
export function navigationHeaders({ transport, userAgent }: RequestProfile, from?: string): Headers {
  const plain = { ...clientHints(userAgent ?? ''), accept: HTML, 'accept-language': ENGLISH };
  const site = from === undefined ? {} : { 'sec-fetch-site': 'same-origin', referer: from };
  return { ...(transport === 'plain' && plain), ...NAVIGATION, ...site, priority: 'u=0, i' };
}

/** Profiles without cookies, to build others from. `BROWSER` leaves the user agent to the browser transport. */
export const PLAIN = { session: 'none', transport: 'plain', headers: {} } as const;
export const BROWSER = { ...PLAIN, transport: 'browser', userAgent: null } as const;

/** The ids in a site's requests, and each request's profile: all that has to change when the site does. */
export type Constants<Ids, Name extends string> = Ids & { readonly profiles: Readonly<Record<Name, RequestProfile>> };

export interface ConstantsTable<Ids, Name extends string> {
  /** The beginning of every key, as `toy` in `toy.queryId` and `toy.embed/crawler.userAgent`. */
  readonly id: SourceId;
  /** The ids that the site changes now and then, with defaults. The schema is strict, so unknown keys are refused. */
  readonly ids: z.ZodType<Ids>;
  /** Makes the default profile of each strategy, by its name. Profiles may contain ids. */
  readonly profiles: (ids: Ids) => Readonly<Record<Name, RequestProfile>>;
  /** True: any session may be configured for a profile. Otherwise only the profile's default session or none. */
  readonly anySession?: true;
}

/** Reads overrides whose keys begin with `prefix`. `wrong`: the keys that are unknown or whose values are malformed. */
function readOverrides<T>(prefix: string, schema: z.ZodType<T>, overrides: Headers) {
  const own = Object.entries(overrides).filter(([key]) => key.startsWith(prefix));
  const { data, error } = schema.safeParse(
    Object.fromEntries(own.map(([key, text]) => [key.slice(prefix.length), text])),
  );
  const keys = error?.issues.flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path)) ?? [];
  return { data, wrong: keys.map(key => prefix + String(key)) };
}

/** @throws Error naming every key that is unknown or malformed. */
export function readConstants<Ids extends object, Name extends string>(
  table: ConstantsTable<Ids, Name>,
  overrides: Readonly<Record<string, string>> = {},
): Constants<Ids, Name> {
  const prefix = `${table.id}.`;
  const defaults = table.ids.parse({});
  const names = Object.keys(table.profiles(defaults));
  const ofIds = Object.entries(overrides).filter(([key]) => !names.some(name => key.startsWith(`${prefix}${name}.`)));
  const given = readOverrides(prefix, table.ids, Object.fromEntries(ofIds));
  const { wrong } = given;
  const ids = given.data ?? defaults;
  const profiles: Record<Name, RequestProfile> = { ...table.profiles(ids) };
  for (const name in profiles) {
    const place = `${prefix}${name}.`;
    const own = readOverrides(place, PROFILE_OVERRIDES, overrides);
    const profile = { ...profiles[name], ...own.data };
    const isAllowed = table.anySession || ['none', profiles[name].session].includes(profile.session);
    wrong.push(...new Set(isAllowed ? own.wrong : [`${place}session`]));
    profiles[name] = profile;
  }
  if (wrong.length > 0)
    throw new Error(`UPSTREAM_CONSTANTS: no such key, or a value that it cannot have: ${wrong.join(', ')}`);
  return { ...ids, profiles };
}
