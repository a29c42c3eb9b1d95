import * as z from 'zod';
import type { ErrorCode } from '../../errors.ts';
import type { HttpRequest } from '../../infra/http/http-client.ts';
import type { Post, SourceId } from '../post.ts';

/** The post that a link leads to. Its ids are checked, and nothing else that the person typed is in it. */
export interface PostRef {
  readonly source: SourceId;
  /** The canonical id of the post, unique within its source. */
  readonly id: string;
  /** The kind of link, as the site calls it, such as `p`, `reel`, `watch`, `photo`, `story`. */
  readonly form: string;
  /** The canonical address, made from the id and a fixed host. */
  readonly url: string;
  /** Zero-based index of the item that the link points at (`img_index=2` -> 1). */
  readonly itemIndex: number | null;
  /** Further values of the link, such as `{ owner, group }`. They are validated, so they may go into addresses. */
  readonly parts: Readonly<Record<string, string>>;
}

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'reels', 'tv', 'watch', 'video']);

/** Says whether links of this form always lead to a video. */
export function isVideoLink({ form }: Pick<PostRef, 'form'>): boolean {
  return VIDEO_FORMS.has(form);
}

/** The result of `MediaSource.match` for an address on one of the source's hosts. */
export type LinkMatch =
  | { readonly kind: 'post'; readonly ref: PostRef }
  /** A short link: only the site knows its target. `url` is rebuilt on a fixed host; `key` is for the cache. */
  | { readonly kind: 'short'; readonly url: string; readonly key: string }
  /** An address whose query contains another address, `target` (`l.SITE/?u=TARGET`). `target` is still unchecked. */
  | { readonly kind: 'wrapper'; readonly target: string }
  /** A story or highlight, which needs an account's cookies; without them it fails with `login_required`. */
  | { readonly kind: 'story'; readonly ref: PostRef }
  /** A page of the site that is no single post; `what` says which kind and selects the text that people are shown. */
  | { readonly kind: 'unsupported'; readonly what: string };

export interface FetchContext {
  /** Aborts when the deadline of all strategies has passed or no caller waits any more. */
  readonly signal: AbortSignal;
  /**
   * True: only the strategy that was asked longest ago runs, so that a site that refuses Medley is asked as little as
   * possible.
   */
  readonly isSingle?: boolean;
}

/**
 * One way to ask a source for a post: an endpoint, asked by one kind of caller. Its name is `ENDPOINT/CALLER`, such as
 * `shortcode-query/plain`, or only the endpoint's name if that has one kind of caller.
 */
export interface Strategy {
  readonly name: string;
  /** Says whether this strategy can fetch this post at all; cheap and pure. */
  isAvailable(ref: PostRef): boolean;
  /**
   * Fetches the post. If items are missing, the post is kept while other strategies are tried.
   * @throws anything. The params of an AppError may say more: `weak`: a failure such as `not_found` that another
   * endpoint must confirm; `own`: one of Medley's own limits is the cause; `challenge`: the site wants a pause;
   * `refused`: the site refuses the caller, whichever post is requested
   */
  run(ref: PostRef, signal: AbortSignal): Promise<Post>;
  /** How the strategy's requests look to the site: user agent, headers, session and transport. */
  readonly profile?: RequestProfile;
  /** True: the strategy runs only when all others have failed. Such strategies run in turn, in the given order. */
  readonly isLastResort?: boolean;
  /**
   * True: the strategy finds at most author and cover, but its failures say why the site hides the post. It runs last,
   * or as soon as two endpoints have failed as they do for a hidden post.
   */
  readonly explains?: boolean;
  /**
   * True: the strategy uses an account. It is skipped as soon as another strategy has reported that the post does not
   * exist, because each use of an account may get it blocked.
   */
  readonly byAccount?: boolean;
  /** The time limit of a run, in milliseconds. Default 10 000, but at most half of the time for the whole post. */
  readonly timeoutMs?: number;
}

/** The endpoint that a strategy asks, without its caller. */
export function endpointOf({ name }: Pick<Strategy, 'name'>): string {
  return name.split('/', 1)[0] ?? name;
}

/** Counts and times of one strategy in this process, for the operator. Moments are unix milliseconds. */
export interface StrategyFigures {
  readonly strategy: string;
  /** The share of recent runs that succeeded, 0 to 1; null when there were none. */
  readonly successRate: number | null;
  /** The usual time until an answer; null when there was no answer yet. */
  readonly medianMs: number | null;
  /** The end of the strategy's cooldown; until then it runs after all others. Null when it has none. */
  readonly coolsUntil: number | null;
  /** The end of the cooldown of the strategy's endpoint; until then it is not asked. Null when it has none. */
  readonly waitsUntil: number | null;
  readonly last: {
    readonly outcome: ErrorCode | 'ok' | 'incomplete';
    readonly cause: string | null;
    readonly at: number;
  } | null;
}

/**
 * One site. `match` is pure and never throws. `fetch` runs the source's strategies under the caller's signal.
 * @throws AppError of any upstream code; a CoverOnlyError when only author and cover could be read.
 */
export interface MediaSource {
  readonly id: SourceId;
  /** Reads an address; undefined when its host is none of this source's. */
  match(address: URL): LinkMatch | undefined;
  /** Makes the reference of a post from its id alone; undefined when the id is not valid. */
  refOf(id: string): PostRef | undefined;
  /** Writes a link from which the whole reference can be read again. Default: the reference's address. */
  linkOf?(ref: PostRef): string;
  /** Finds the target of a short link, still unchecked. Redirects are only followed on the source's hosts. */
  resolveShort(url: string, context: FetchContext): Promise<string>;
  fetch(ref: PostRef, context: FetchContext): Promise<Post>;
  /** All strategies in their default order; `fetch` reorders them by how well they work. */
  readonly strategies: readonly Strategy[];
  /** Links of public posts that have existed for years, one for each kind of post. */
  readonly examples: readonly string[];
  /** Says whether the site refuses Medley by every outgoing address at the moment. */
  isRefused?(): boolean;
  /** The counts and times of each strategy in this process. */
  figures?(): readonly StrategyFigures[];
  /**
   * Updates what is known of a strategy that a probe ran alone. `tookMs` is the time until it had the whole post, or
   * null when it failed for a post that another strategy can fetch.
   */
  learn?(strategy: string, tookMs: number | null): void;
  /** True when stories can be asked for (cookies are configured). */
  readonly canFetchStories: boolean;
  /** Domains that this source's media may be on; subdomains are included. */
  readonly mediaHosts: readonly string[];
}

/**
 * How a request looks to a site. Each endpoint may be asked with several profiles, and each pair is a strategy whose
 * success is measured separately. The setting `UPSTREAM_CONSTANTS` overrides fields of a source's default profiles.
 */
export interface RequestProfile {
  /** Null means the transport's default user agent. That of the transport `browser` is the emulated browser's. */
  readonly userAgent: string | null;
  /** Headers by lower-case name; they replace the endpoint's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** `home`: the cookies and tokens of a visit to the site's home page; `account`: those of the operator's account. */
  readonly session: 'none' | 'home' | 'account';
  /** `browser`: TLS and HTTP/2 look like a browser's. Without such a transport, these strategies are skipped. */
  readonly transport: 'plain' | 'browser';
  readonly timeoutMs: number;
}

/** The fields of a request that depend on the profile. The profile's headers replace the endpoint's (`headers`). */
export function profileRequest(
  { userAgent, headers: own, transport, timeoutMs }: RequestProfile,
  headers: Readonly<Record<string, string>>,
): Pick<HttpRequest, 'headers' | 'transport' | 'timeoutMs'> {
  const agent = userAgent === null ? {} : { 'user-agent': userAgent };
  return { headers: { ...agent, ...headers, ...own }, transport, timeoutMs };
}

export const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .regex(/^[\x20-\x7e]+$/);

/** A schema for a constant whose text matches `form`. */
export const textLike = (form: RegExp) => z.string().regex(form);

const headersJson = z.string().transform((value, context) => {
  try {
    return z.record(z.string().regex(/^[a-z0-9-]{1,60}$/), headerValue).parse(JSON.parse(value));
  } catch {
    context.addIssue('expected a JSON object of header names and values');
    return z.NEVER;
  }
});

/**
 * Reads the overrides of a profile from strings in `UPSTREAM_CONSTANTS`. The user agent `own` means the transport's
 * default; `headers` is a JSON object, which replaces all default headers.
 */
export const PROFILE_OVERRIDES = z.strictObject({
  userAgent: headerValue.transform(value => (value === 'own' ? null : value)).exactOptional(),
  headers: headersJson.exactOptional(),
  session: z.enum(['none', 'home', 'account']).exactOptional(),
  transport: z.enum(['plain', 'browser']).exactOptional(),
  timeoutMs: z.coerce.number().int().min(500).max(20_000).exactOptional(),
});

/** Says whether all items of a post could be read; a post of text alone, which has no items, counts as whole. */
export function isWhole(post: Post | null): boolean {
  return post?.missingItems === 0;
}

/** Says whether the post has items, but none of them could be read. */
export function isCoverOnly({ items, missingItems }: Post): boolean {
  return items.length === 0 && missingItems > 0;
}
