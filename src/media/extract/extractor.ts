import { AppError } from '../../errors.ts';
import type { Cache } from '../../infra/cache/cache.ts';
import { createLru } from '../../infra/cache/create-lru.ts';
import { createClientSemaphore } from '../../infra/concurrency/client-semaphore.ts';
import type { Logger } from '../../infra/log.ts';
import { itemCount, type Post, type SourceId } from '../post.ts';
import { parseAddress } from './address.ts';
import { policyOf, REFRESH_POLICY, SHORT_LINK_POLICY } from './cache-policy.ts';
import { CoverOnlyError, isWithdrawn } from './failures.ts';
import { findAddresses } from './find-links.ts';
import type { LinkMatch, MediaSource, PostRef } from './source.ts';

export interface Extraction {
  readonly post: Post;
  /** Zero-based place of the item the link pointed at, when it did and the post has that many; it may be one that is missing. */
  readonly itemIndex: number | null;
  readonly from: 'cache' | 'load' | 'stale';
  /** Why the post has no items, where nothing but author and cover could be read. */
  readonly reason?: AppError;
}

export interface ExtractOptions {
  /** Asked for when there is something to wait for: it may be made on demand. */
  readonly signal?: AbortSignal;
  /** Refuse links of any other source with `unsupported_link`. */
  readonly only?: Post['source'];
  /** Refuse a post without a readable item, with the reason why it has none. */
  readonly readable?: boolean;
}

/** url -> source -> cache -> Post: the one entry for bot and api. */
export interface Extractor {
  /**
   * @throws AppError `invalid_request` (not an address at all), `unsupported_link` (params: `what`), `login_required` for stories without
   * cookies, or any upstream code.
   */
  extract(link: string, options?: ExtractOptions): Promise<Extraction>;
  /** Asks the upstream again, past the cache: for addresses that expired early. At most one real fetch a minute for a post. */
  refresh(post: Pick<Post, 'source' | 'id'>, signal?: AbortSignal): Promise<Post>;
  /** Canonical links of supported posts in running text, in order, without repeats; `<link>` and code are skipped. Pure. */
  findLinks(text: string): readonly string[];
  /** The site a link belongs to, whether or not a post is behind it; undefined when none is known. Pure. */
  sourceOf(link: string): SourceId | undefined;
  /** `source:id` of the post that a link names by itself; undefined for a short link and where there is no post. Pure. */
  postKey(link: string): string | undefined;
  /** Hosts that media of any source may live on. */
  readonly mediaHosts: readonly string[];
}

export interface ExtractorOptions {
  /** Asked in order; the first that knows the host decides. */
  readonly sources: readonly MediaSource[];
  readonly cache: Cache<Post>;
  /** Targets of short links by their key. */
  readonly shortLinks: Cache<string>;
  readonly log: Logger;
  readonly now?: () => number;
  /** For one `extract`, short links included. Default 20 000. */
  readonly deadlineMs?: number;
  /** Called for every post that is given, with where it came from. */
  readonly onExtracted?: (from: Extraction['from']) => void;
}

const MAX_WRAPPERS = 3;
const MAX_SHORT_LINKS = 2;
const MAX_REFS = 5_000;
const MAX_MATCHED = 2_000;
/** Longer links are rare, and not worth their memory. */
const MAX_MATCHED_CHARS = 500;
/** Posts that are fetched at once for one client: more would only wait at the sites' pace, with all they ask beside. */
const FETCHES_PER_CLIENT = 24;
const MAX_WAITING_PER_CLIENT = 1_000;

function keyOf(post: Pick<Post, 'source' | 'id'>): string {
  return `${post.source}:${post.id}`;
}

function extraction(post: Post, { itemIndex }: PostRef, from: Extraction['from']): Extraction {
  return { post, itemIndex: itemIndex !== null && itemIndex < itemCount(post) ? itemIndex : null, from };
}

/** What a link is by itself, wrappers taken off. */
interface Matched {
  readonly source: MediaSource;
  readonly match: Exclude<LinkMatch, { kind: 'wrapper' }>;
}

type PostMatch = Extract<LinkMatch, { kind: 'post' | 'story' }>;
type ShortMatch = Extract<LinkMatch, { kind: 'short' }>;

/** The canonical link, with the item it points at. */
function linkOf(ref: PostRef): string {
  return ref.itemIndex === null ? ref.url : `${ref.url}?img_index=${ref.itemIndex + 1}`;
}

function unsupported(what: string): AppError {
  return new AppError('unsupported_link', `no single post behind this link (${what})`, { params: { what } });
}

export function createExtractor(options: ExtractorOptions): Extractor {
  const { sources, cache, shortLinks, log, onExtracted, now = Date.now, deadlineMs = 20_000 } = options;
  const enter = createClientSemaphore({
    atOnce: FETCHES_PER_CLIENT,
    maxWaiting: MAX_WAITING_PER_CLIENT,
    name: 'fetching a post',
    full: () => new AppError('rate_limited', 'too many posts of one client wait', { params: { reason: 'busy' } }),
  });
  /** What `refresh` asks for again; it knows only ids. */
  const refs = createLru<string, PostRef>({ max: MAX_REFS });

  /** A link is asked about several times on its way from a message to its post, and matched once. */
  const matched = createLru<string, Matched>({ max: MAX_MATCHED });

  function matchLink(text: string): Matched {
    const known = matched.get(text);
    if (known !== undefined) return known;
    const found = readAnew(text);
    if (text.length <= MAX_MATCHED_CHARS) matched.set(text, found);
    // From here on it goes by its canonical form.
    if (found.match.kind === 'post') matched.set(linkOf(found.match.ref), found);
    return found;
  }

  /** The source that knows the address's host and what it says of it. */
  function readAnew(text: string): Matched {
    let target = text;
    for (let wrappers = 0; wrappers <= MAX_WRAPPERS; wrappers += 1) {
      const address = parseAddress(target);
      if (address === undefined && wrappers === 0) {
        throw new AppError('invalid_request', 'url must be the https address of a post', {
          params: { hint: 'notLink', option: 'url' },
        });
      }
      const found = address === undefined ? undefined : matchAddress(address);
      if (found === undefined) throw unsupported('site');
      const { source, match } = found;
      if (match.kind !== 'wrapper') return { source, match };
      target = match.target;
    }
    throw unsupported('page');
  }

  function matchAddress(address: URL): { readonly source: MediaSource; readonly match: LinkMatch } | undefined {
    for (const source of sources) {
      const match = source.match(address);
      if (match !== undefined) return { source, match };
    }
    return undefined;
  }

  /** What a link names by itself. `short`: only the upstream knows. */
  function readLink(
    link: string,
    only: SourceId | undefined,
  ): { readonly source: MediaSource; readonly match: PostMatch | ShortMatch } {
    const { source, match } = matchLink(link);
    if (only !== undefined && source.id !== only) throw unsupported('site');
    if (match.kind === 'unsupported') throw unsupported(match.what);
    if (match.kind === 'story' && !source.canFetchStories) {
      throw new AppError('login_required', 'stories need cookies', { params: { what: 'story' } });
    }
    return { source, match };
  }

  /** Follows short links to the post they lead to. */
  async function resolveLink(
    link: string,
    only: SourceId | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly source: MediaSource; readonly match: PostMatch }> {
    let text = link;
    for (let resolved = 0; resolved <= MAX_SHORT_LINKS; resolved += 1) {
      const { source, match } = readLink(text, only);
      if (match.kind !== 'short') return { source, match };
      const load = (own: AbortSignal) => source.resolveShort(match.url, { signal: own });
      text = (await shortLinks.wrap(`${source.id}:${match.key}`, load, SHORT_LINK_POLICY, signal)).value;
    }
    throw new AppError('upstream_changed', 'a short link leads to short links only');
  }

  function refOf(source: MediaSource, post: Pick<Post, 'source' | 'id'>): PostRef {
    const ref = refs.get(keyOf(post)) ?? source.refOf(post.id);
    if (ref === undefined) throw new AppError('not_found', 'no post has this id');
    return ref;
  }

  /** Runs `work` under the caller's signal and one deadline. */
  async function bounded<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new AppError('timeout', `no answer within ${deadlineMs} ms`)),
      deadlineMs,
    );
    // AbortSignal.any costs several times as much, and is only let go of by the garbage collector.
    const giveUp = () => deadline.abort(signal?.reason);
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await work(deadline.signal);
    } catch (error) {
      if (error instanceof AppError || !signal?.aborted) throw error;
      throw new AppError('timeout', 'given up by the caller', { cause: error });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  return {
    mediaHosts: [...new Set(sources.flatMap(source => source.mediaHosts))],

    async extract(link, options = {}) {
      const { only, readable = false } = options;
      const named = readLink(link, only).match;
      // Most links have been asked for before: they need no deadline and no signal.
      const known = named.kind === 'short' ? undefined : cache.peek(keyOf(named.ref));
      if (known !== undefined && named.kind !== 'short') {
        onExtracted?.('cache');
        return extraction(known, named.ref, 'cache');
      }
      return bounded(options.signal, async signal => {
        const { source, match } = await resolveLink(link, only, signal);
        const { ref } = match;
        refs.set(keyOf(ref), ref);
        const load = async (own: AbortSignal) => {
          const leave = await enter(own);
          try {
            return await source.fetch(ref, { signal: own });
          } finally {
            leave();
          }
        };
        try {
          const hit = await cache.wrap(keyOf(ref), load, policyOf(ref, now), signal);
          onExtracted?.(hit.from);
          return extraction(hit.value, ref, hit.from);
        } catch (error) {
          if (!(error instanceof CoverOnlyError) || readable) throw error;
          return { post: error.post, itemIndex: null, from: 'load', reason: error };
        }
      });
    },

    refresh(post, callerSignal) {
      return bounded(callerSignal, async signal => {
        const source = sources.find(one => one.id === post.source);
        if (source === undefined) throw new AppError('not_found', 'no such source');
        const ref = refOf(source, post);
        const load = async (own: AbortSignal) => {
          log.info({ source: ref.source, id: ref.id }, 'asking again: an address expired early');
          try {
            const fresh = await source.fetch(ref, { signal: own });
            await cache.set(keyOf(ref), fresh, policyOf(ref, now).ttlMs(fresh));
            return fresh;
          } catch (error) {
            if (isWithdrawn(error)) await cache.delete(keyOf(ref));
            throw error;
          }
        };
        return (await cache.wrap(`refresh:${keyOf(ref)}`, load, REFRESH_POLICY, signal)).value;
      });
    },

    findLinks(text) {
      const isKnown = (address: URL) =>
        matchAddress(address.protocol === 'https:' ? new URL('/', address) : address) !== undefined;
      const links = new Map<string, string>();
      for (const address of findAddresses(text, isKnown)) {
        const link = supportedLink(address);
        if (link !== undefined && !links.has(link.key)) links.set(link.key, link.url);
      }
      return [...links.values()];
    },

    postKey(link) {
      try {
        const { match } = matchLink(link);
        return match.kind === 'post' || match.kind === 'story' ? keyOf(match.ref) : undefined;
      } catch (error) {
        if (error instanceof AppError) return undefined;
        throw error;
      }
    },

    sourceOf(link) {
      try {
        return matchLink(link).source.id;
      } catch (error) {
        if (error instanceof AppError) return undefined;
        throw error;
      }
    },
  };

  /** The canonical link of a post behind an address found in text; undefined when there is none. */
  function supportedLink(address: string): { readonly key: string; readonly url: string } | undefined {
    try {
      const { match } = matchLink(address);
      if (match.kind === 'unsupported') return undefined;
      if (match.kind === 'short') return { key: match.url, url: match.url };
      return { key: `${keyOf(match.ref)}#${match.ref.itemIndex ?? ''}`, url: linkOf(match.ref) };
    } catch (error) {
      if (error instanceof AppError && error.code === 'unsupported_link') return undefined;
      throw error;
    }
  }
}
