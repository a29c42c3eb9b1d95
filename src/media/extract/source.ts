import * as z from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { HttpClient, HttpRequest } from '../../infra/http/http-client.ts';
import type { Post, SourceId } from '../post.ts';

/** The post that a link names, before any site is asked. Ids are checked; nothing else of the user's text is in it. */
export interface PostRef {
  readonly source: SourceId;
  /** The canonical id: half of the cache key. */
  readonly id: string;
  /** The site's word for the form, such as `p`, `reel`, `watch`, `photo`, `story`. */
  readonly form: string;
  /** Canonical address rebuilt from the id, on a fixed host. */
  readonly url: string;
  /** Zero-based place of the item that the link points at (`img_index=2` -> 1). */
  readonly itemIndex: number | null;
  /** More checked parts that the source needs, such as `{ owner, group }`. */
  readonly parts: Readonly<Record<string, string>>;
}

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'reels', 'tv', 'watch', 'video']);

/** Says whether the form of the link promises a video. */
export function isVideoLink({ form }: Pick<PostRef, 'form'>): boolean {
  return VIDEO_FORMS.has(form);
}

/** The result of `MediaSource.match` for an address on one of the source's hosts. */
export type LinkMatch =
  | { readonly kind: 'post'; readonly ref: PostRef }
  /** A short link whose target only the upstream knows; `url` is rebuilt on a fixed host. */
  | { readonly kind: 'short'; readonly url: string; readonly key: string }
  /** An address around another one (`l.SITE/?u=`): `target` has to be parsed from the start. */
  | { readonly kind: 'wrapper'; readonly target: string }
  /** A story or highlight: it needs cookies; without them `login_required`. */
  | { readonly kind: 'story'; readonly ref: PostRef }
  /** A page of the site that holds no single post; `what` is one of the names in `SUPPORTED_LINKS` texts. */
  | { readonly kind: 'unsupported'; readonly what: string };

export interface FetchContext {
  /** Aborts when the deadline of all strategies has passed or no caller waits any more. */
  readonly signal: AbortSignal;
  /** Runs a single strategy, the one that was asked longest ago: while a site refuses Medley it is asked as little as possible. */
  readonly isSingle?: boolean;
}

/**
 * One way to ask a source for a post: an endpoint, asked by one kind of caller. Its name is `ENDPOINT/CALLER`, such as
 * `shortcode-query/plain`, or just the endpoint where it has one caller.
 */
export interface Strategy {
  readonly name: string;
  /** Says whether this strategy can be asked for this post at all; cheap and pure. */
  isAvailable(ref: PostRef): boolean;
  /**
   * A post of which `missingItems` could not be read is kept while other strategies are asked.
   * @throws anything: the chain isolates it. The params of an AppError may say more: `weak`: a `not_found` or the like is a guess that
   * another endpoint must confirm; `own`: a bound of our own refused the answer; `challenge`: the site wants a pause; `refused`: the
   * caller was refused rather than the post withheld.
   */
  run(ref: PostRef, signal: AbortSignal): Promise<Post>;
  /** The request profile, if the strategy uses one. */
  readonly profile?: RequestProfile;
  /** True: asked only when all others have failed, in the given order, and never at the same time as another. */
  readonly isLastResort?: boolean;
  /**
   * True: it gives author and cover at most, but its refusals name the site's own reason. It is asked last, or as soon as two endpoints
   * withheld the post.
   */
  readonly explains?: boolean;
  /** True: it uses an account, so it is never asked for a post that another strategy said does not exist. */
  readonly byAccount?: boolean;
  /** Milliseconds. Default 10 000, or half of the chain's deadline. */
  readonly timeoutMs?: number;
}

/** How well one strategy works here, for the operator. Moments are unix milliseconds. */
export interface StrategyFigures {
  readonly strategy: string;
  /** Recent rate, 0 to 1; null when nothing was counted yet. */
  readonly successRate: number | null;
  /** How long it usually takes to answer; null when it never did. */
  readonly medianMs: number | null;
  /** Until then it cools down and is asked last; null when it does not. */
  readonly coolsUntil: number | null;
  /** Until then the site wants its endpoint left alone; null when it does not. */
  readonly waitsUntil: number | null;
  readonly last: {
    readonly outcome: ErrorCode | 'ok' | 'incomplete';
    readonly cause: string | null;
    readonly at: number;
  } | null;
}

/**
 * One site. `match` is pure and cheap and never throws. `fetch` runs the source's strategies under the caller's signal.
 * @throws AppError of any upstream code; a CoverOnlyError when only author and cover could be read.
 */
export interface MediaSource {
  readonly id: SourceId;
  /** Undefined when the address is not on one of this source's hosts. */
  match(address: URL): LinkMatch | undefined;
  /** The reference of a canonical id, when nothing else of the link is known any more; undefined when the id is not valid. */
  refOf(id: string): PostRef | undefined;
  /** The address that a short link leads to, still unparsed; every redirect is checked against the source's hosts. */
  resolveShort(url: string, context: FetchContext): Promise<string>;
  fetch(ref: PostRef, context: FetchContext): Promise<Post>;
  /** All strategies, in the order in which they start; `fetch` reorders them by how well they work. */
  readonly strategies: readonly Strategy[];
  /** Links of public posts that have existed for years, one for each kind of post. */
  readonly examples: readonly string[];
  /** Says whether the site refuses Medley now, by every outgoing address. */
  isRefused?(): boolean;
  /** How well each of its strategies works here. */
  figures?(): readonly StrategyFigures[];
  /**
   * Counts the outcome of a strategy that was run alone: how long the whole post took, or null when it failed and another strategy gives
   * its own post.
   */
  learn?(strategy: string, tookMs: number | null): void;
  /** True when stories can be asked for (cookies are configured). */
  readonly canFetchStories: boolean;
  /** Host patterns (a host matches itself and its subdomains) that this source's media may live on. */
  readonly mediaHosts: readonly string[];
}

/**
 * How a request looks to a site. An endpoint may be asked with several profiles; each pair of endpoint and profile is a strategy with its
 * own record. Profiles are data: a source lists its defaults beside its ids, and `UPSTREAM_CONSTANTS` overrides them.
 */
export interface RequestProfile {
  /** Null: the transport's own user agent (that of the browser transport). */
  readonly userAgent: string | null;
  /** Lower-case names; they replace the endpoint's own headers. */
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

/** The part of a request that a profile decides. `headers` are those that the endpoint itself needs; the profile's replace them. */
export function profileRequest(
  { userAgent, headers: own, transport, timeoutMs }: RequestProfile,
  headers: Readonly<Record<string, string>>,
): Pick<HttpRequest, 'headers' | 'transport' | 'timeoutMs'> {
  const agent = userAgent === null ? {} : { 'user-agent': userAgent };
  return { headers: { ...agent, ...headers, ...own }, transport, timeoutMs };
}

/** The value of a request header. */
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
 * The default profile of a strategy with its configured overrides. Keys are `SOURCE.STRATEGY.FIELD`, such as
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
