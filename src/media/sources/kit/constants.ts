import * as z from 'zod';
import { overrideProfile, type RequestProfile } from '../../extract/request-profile.ts';
import type { SourceId } from '../../post.ts';

/** The ids and profiles that a source asks its site with. */
export type Constants<Ids, Name extends string> = Ids & { readonly profiles: Readonly<Record<Name, RequestProfile>> };

export interface ConstantsTable<Ids, Name extends string> {
  /** Every key begins with it: `toy.queryId`, `toy.embed/crawler.userAgent`. */
  readonly source: SourceId;
  /** The site changes these values now and then. */
  readonly defaults: Ids;
  /** It is strict, so that it refuses ids that it does not know. */
  readonly schema: z.ZodType<Ids>;
  /** The callers by the name of the strategy; an id that was overridden is in them already. */
  readonly profiles: (ids: Ids) => Readonly<Record<Name, RequestProfile>>;
  /** Sessions that can be set for a profile beside its default one; default all. */
  readonly sessions?: readonly RequestProfile['session'][];
}

type Overrides = Readonly<Record<string, string>>;

/** The value of a request's header. */
export const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[\x20-\x7e]+$/);

/**
 * The defaults with the entries of `overrides` whose keys begin with the source's id laid over them.
 * @throws Error naming every key that is unknown or malformed.
 */
export function readConstants<Ids extends object, Name extends string>(
  table: ConstantsTable<Ids, Name>,
  overrides: Overrides = {},
): Constants<Ids, Name> {
  const prefix = `${table.source}.`;
  const names = Object.keys(table.profiles(table.defaults));
  const own = Object.entries(overrides).flatMap(([key, value]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), value] as const] : [],
  );
  const ofIds = own.filter(([key]) => !names.some(name => key.startsWith(`${name}.`)));
  const given = table.schema.safeParse({ ...table.defaults, ...Object.fromEntries(ofIds) });
  const issues = given.error?.issues ?? [];
  const wrong = issues
    .flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path))
    .map(key => prefix + String(key));
  const ids = given.data ?? table.defaults;
  const profiles: Record<Name, RequestProfile> = { ...table.profiles(ids) };
  for (const name in profiles) {
    const result = overrideProfile(prefix + name, profiles[name], overrides);
    if ('wrong' in result) wrong.push(...result.wrong);
    else if (
      result.profile.session !== profiles[name].session &&
      table.sessions?.includes(result.profile.session) === false
    )
      wrong.push(`${prefix}${name}.session`);
    else profiles[name] = result.profile;
  }
  if (wrong.length > 0) throw new Error(`wrong constants: ${wrong.join(', ')}`);
  return { ...ids, profiles };
}
