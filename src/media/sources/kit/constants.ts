import * as z from 'zod';
import { overrideProfile, type RequestProfile } from '../../extract/source.ts';
import type { SourceId } from '../../post.ts';

/** The base of profiles without cookies. Over the browser transport they have its own user agent. */
export const PLAIN = { session: 'none', transport: 'plain', headers: {} } as const;
export const BROWSER = { ...PLAIN, transport: 'browser', userAgent: null } as const;

/** An id of this form. */
export function idLike(form: RegExp) {
  return z.string().regex(form);
}

/** The ids that a source's requests contain, and the profiles of these requests. */
export type Constants<Ids, Name extends string> = Ids & { readonly profiles: Readonly<Record<Name, RequestProfile>> };

export interface ConstantsTable<Ids, Name extends string> {
  /** The first part of every key: `toy.queryId`, `toy.embed/crawler.userAgent`. */
  readonly source: SourceId;
  /** The ids that the site changes now and then, with defaults. The schema is strict, so unknown keys are refused. */
  readonly schema: z.ZodType<Ids>;
  /** Makes the default profile of each strategy, by name; some contain the ids. */
  readonly profiles: (ids: Ids) => Readonly<Record<Name, RequestProfile>>;
  /** Sessions that a configured profile may have instead of its default one. Default: any. */
  readonly sessions?: readonly RequestProfile['session'][];
}

/** @throws Error naming every key that is unknown or malformed. */
export function readConstants<Ids extends object, Name extends string>(
  table: ConstantsTable<Ids, Name>,
  overrides: Readonly<Record<string, string>> = {},
): Constants<Ids, Name> {
  const prefix = `${table.source}.`;
  const defaults = table.schema.parse({});
  const names = Object.keys(table.profiles(defaults));
  const ofIds = Object.entries(overrides)
    .filter(([key]) => key.startsWith(prefix) && !names.some(name => key.startsWith(`${prefix}${name}.`)))
    .map(([key, value]) => [key.slice(prefix.length), value]);
  const given = table.schema.safeParse(Object.fromEntries(ofIds));
  const wrong = (given.error?.issues ?? [])
    .flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path))
    .map(key => prefix + String(key));
  const ids = given.data ?? defaults;
  const profiles: Record<Name, RequestProfile> = { ...table.profiles(ids) };
  for (const name in profiles) {
    const { session } = profiles[name];
    const result = overrideProfile(prefix + name, profiles[name], overrides);
    if ('wrong' in result) wrong.push(...result.wrong);
    else if (result.profile.session === session || table.sessions?.includes(result.profile.session) !== false) {
      profiles[name] = result.profile;
    } else wrong.push(`${prefix}${name}.session`);
  }
  if (wrong.length > 0) throw new Error(`wrong constants: ${wrong.join(', ')}`);
  return { ...ids, profiles };
}
