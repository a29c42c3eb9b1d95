import * as z from 'zod';
import type { HttpClient, HttpRequest } from '../../infra/http/http-client.ts';

/**
 * How one caller looks to a site. An endpoint may be asked by several callers; each pair of endpoint and profile is a strategy with
 * a record of its own. Profiles are data: a source lists its defaults beside its ids, and `UPSTREAM_CONSTANTS` overrides them.
 */
export interface RequestProfile {
  /** Null: whatever the transport says of itself (the browser transport's own). */
  readonly userAgent: string | null;
  /** Lower-case names; laid over what the endpoint itself needs. */
  readonly headers: Readonly<Record<string, string>>;
  /** `home`: cookies and tokens of a visit to the site's home page; `account`: those of the configured account. */
  readonly session: 'none' | 'home' | 'account';
  /** `browser`: a browser's TLS and HTTP/2 fingerprint; its strategies are skipped where that transport is missing. */
  readonly transport: 'plain' | 'browser';
  readonly timeoutMs: number;
}

/** Says whether requests of this profile can be made here at all. */
export function isUsable(profile: RequestProfile, http: Pick<HttpClient, 'hasBrowserTransport'>): boolean {
  return profile.transport === 'plain' || http.hasBrowserTransport;
}

/** The part of a request that a profile decides. `headers` are what the endpoint itself needs; those of the profile count before them. */
export function profileRequest(
  { userAgent, headers: own, transport, timeoutMs }: RequestProfile,
  headers: Readonly<Record<string, string>>,
): Pick<HttpRequest, 'headers' | 'transport' | 'timeoutMs'> {
  const agent = userAgent === null ? {} : { 'user-agent': userAgent };
  return { headers: { ...agent, ...headers, ...own }, transport, timeoutMs };
}

/** The value of a request's header. */
export const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[\x20-\x7e]+$/);

const headersJson = z.string().transform((value, context) => {
  try {
    return z.record(z.string().regex(/^[a-z0-9-]{1,60}$/), headerValue).parse(JSON.parse(value));
  } catch {
    context.addIssue('expected a JSON object of header names and values');
    return z.NEVER;
  }
});

/** Each field as `UPSTREAM_CONSTANTS` writes it: a string. */
const FIELDS = {
  userAgent: headerValue.transform(value => (value === 'own' ? null : value)),
  headers: headersJson,
  session: z.enum(['none', 'home', 'account']),
  transport: z.enum(['plain', 'browser']),
  timeoutMs: z.coerce.number().int().min(500).max(20_000),
} as const;

const OVERRIDE = z.strictObject(FIELDS).partial();

/**
 * The default profile of a strategy with its overrides laid over it. Keys are `SOURCE.STRATEGY.FIELD`, such as
 * `toy.embed/crawler.userAgent`; `userAgent` may be `own`, `headers` is a JSON object in a string that replaces the default ones.
 * @returns the profile, or the keys that are unknown or malformed.
 */
export function overrideProfile(
  prefix: string,
  defaults: RequestProfile,
  overrides: Readonly<Record<string, string>>,
): { readonly profile: RequestProfile } | { readonly wrong: readonly string[] } {
  const own = Object.entries(overrides)
    .filter(([key]) => key.startsWith(`${prefix}.`))
    .map(([key, value]) => [key.slice(prefix.length + 1), value]);
  const result = OVERRIDE.safeParse(Object.fromEntries(own));
  if (result.success) {
    const given = Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== undefined));
    return { profile: { ...defaults, ...given } };
  }
  const wrong = result.error.issues.flatMap(issue => (issue.code === 'unrecognized_keys' ? issue.keys : issue.path));
  return { wrong: [...new Set(wrong.map(key => `${prefix}.${String(key)}`))] };
}
