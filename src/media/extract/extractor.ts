import { AppError } from '../../errors.ts';
import { type Cache, createLru } from '../../infra/cache/cache.ts';
import { abortReason, joinSignals } from '../../infra/concurrency/abortable.ts';
import { createClientSemaphore, inTurn } from '../../infra/concurrency/running-work.ts';
import type { Logger } from '../../infra/log.ts';
import { itemCount, type Post } from '../post.ts';
import {
  createLinkReader,
  keyOf,
  type LinkReader,
  type MatchedLink,
  type PostLink,
  postKeyOf,
  supportedLink,
} from './links.ts';
import { policyOf, REFRESH_POLICY, SHORT_LINK_POLICY } from './post-cache.ts';
import { isWithdrawn } from './refusal.ts';
import type { MediaSource, PostRef } from './source.ts';
import { CoverOnlyError } from './strategy-failures.ts';

export interface Extraction {
  readonly post: Post;
  /** Zero-based position of the item that the link points at, counting unreadable items; null if it points at none. */
  readonly itemIndex: number | null;
  readonly from: 'cache' | 'load' | 'stale';
  /** Why the post has no items. Set when only its author and cover could be read. */
  readonly reason?: AppError;
}

export interface ExtractOptions {
  /** Aborts the fetch. This property is read only when a fetch is needed, so a getter may create the signal then. */
  readonly signal?: AbortSignal;
  /** Refuses links of any other source with `unsupported_link`. */
  readonly only?: Post['source'];
  /** True: a post without a readable item is refused, with the reason why it has none. */
  readonly readable?: boolean;
}

export type Extractor = ReturnType<typeof createExtractor>;

/** Posts that the operator does not allow to be shown. */
export interface WithheldPosts {
  /** Says whether the post with the key `source:id` must not be shown; called before any site is asked. */
  hasLink(post: string): Promise<boolean>;
  hasPost(post: Pick<Post, 'source' | 'id' | 'author'>): Promise<boolean>;
}

export interface ExtractorOptions {
  /** The sources in order: a link belongs to the first one that knows its host. */
  readonly sources: readonly MediaSource[];
  readonly cache: Cache<Post>;
  /** Caches the target of each short link, by its key. */
  readonly shortLinks: Cache<string>;
  /** The posts that the operator withholds. Default: none. */
  readonly withheld?: WithheldPosts;
  readonly log: Logger;
  readonly now?: () => number;
  /** The longest time of one `extract`, including short links, in milliseconds. Default 20 000. */
  readonly deadlineMs?: number;
  /** Called for every post that is returned, with the cache's name (`posts`) and whether the post came from it. */
  readonly countLookup?: (cache: string, from: Extraction['from']) => void;
}

const MAX_SHORT_LINKS = 2;
const MAX_REFS = 5_000;
/** How many posts are fetched at once for one client. More at once would only wait for the sites' rate limits. */
const FETCHES_PER_CLIENT = 24;
const MAX_WAITING_PER_CLIENT = 1_000;

const CLIENT_TURNS = {
  atOnce: FETCHES_PER_CLIENT,
  maxWaiting: MAX_WAITING_PER_CLIENT,
  name: 'fetching a post',
  full: () => new AppError('rate_limited', 'too many posts of one client wait', { params: { reason: 'busy' } }),
};

/** Reads a link into a Post, from the cache or from its source, for both the bot and the API. */
export function createExtractor(options: ExtractorOptions) {
  const { sources, cache, withheld, log, countLookup, now = Date.now, deadlineMs = 20_000 } = options;
  const links = createLinkReader(sources);
  const enter = createClientSemaphore(CLIENT_TURNS);
  /** The `PostRef` of each recent post, because callers of `refresh` know only the post's id. */
  const refs = createLru<string, PostRef>({ max: MAX_REFS });

  /**
   * Finds the post of a link in the cache, or fetches it once for all who ask at the same time.
   * @throws AppError `invalid_request` (not an address), `unsupported_link` (params: `what`), `login_required` for
   * stories without cookies, `forbidden` for a withheld post, or any upstream code.
   */
  async function extract(link: string, wish: ExtractOptions = {}): Promise<Extraction> {
    const matched = links.match(link);
    const key = postKeyOf(matched);
    if (key !== undefined && (await withheld?.hasLink(key))) throw withheldPost();
    const { source, match } = supportedLink(matched, wish.only);
    // Most posts are cached. A cached post needs no deadline and no signal.
    const known = key === undefined ? undefined : cache.peek(key);
    const found =
      known !== undefined && match.kind !== 'short'
        ? counted(toExtraction(known, match.ref, 'cache'))
        : await bounded(deadlineMs, wish.signal, async signal => {
            if (match.kind !== 'short') return load({ source, match }, wish, signal);
            return load(await followShortLinks(matched, wish.only, links, options.shortLinks, signal), wish, signal);
          });
    return { ...found, post: await refuseWithheldPost(withheld, found.post) };
  }

  function counted(found: Extraction): Extraction {
    countLookup?.('posts', found.from);
    return found;
  }

  async function load({ source, match: { ref } }: PostLink, wish: ExtractOptions, signal: AbortSignal) {
    const key = keyOf(ref);
    refs.set(key, ref);
    const fetchPost = (own: AbortSignal) => inTurn(enter, own, () => source.fetch(ref, { signal: own }));
    try {
      const { value, from } = await cache.wrap(key, fetchPost, policyOf(ref, now), signal);
      return counted(toExtraction(value, ref, from));
    } catch (error) {
      if (!(error instanceof CoverOnlyError) || wish.readable) throw error;
      return { post: error.post, itemIndex: null, from: 'load', reason: error } as const;
    }
  }

  async function knownRef(post: Pick<Post, 'source' | 'id'>) {
    const key = keyOf(post);
    if (await withheld?.hasLink(key)) throw withheldPost();
    return { key, ...refOf(post, sources, refs.get(key)) };
  }

  /** Finds the post with that id in the cache, or fetches it. A post without a readable item is refused. */
  async function find(post: Pick<Post, 'source' | 'id'>, callerSignal?: AbortSignal): Promise<Post> {
    const { source, ref } = await knownRef(post);
    const link = { source, match: { kind: 'post', ref } } as const;
    const found = await bounded(deadlineMs, callerSignal, signal => load(link, { readable: true }, signal));
    return refuseWithheldPost(withheld, found.post);
  }

  /** Asks the site again without the cache, for media addresses that expired early; at most once a minute per post. */
  async function refresh(post: Pick<Post, 'source' | 'id'>, callerSignal?: AbortSignal): Promise<Post> {
    const { key, source, ref } = await knownRef(post);
    const fetchAgain = async (own: AbortSignal) => {
      log.info({ source: ref.source, id: ref.id }, 'asking again: an address expired early');
      return renewCached(cache, key, policyOf(ref, now), () => source.fetch(ref, { signal: own }));
    };
    const wait = (signal: AbortSignal) => cache.wrap(`refresh:${key}`, fetchAgain, REFRESH_POLICY, signal);
    return refuseWithheldPost(withheld, (await bounded(deadlineMs, callerSignal, wait)).value);
  }

  const { findLinks, sourceOf, postKey } = links;
  /** All hosts on which media of any source may be. */
  const mediaHosts: readonly string[] = [...new Set(sources.flatMap(source => source.mediaHosts))];
  return { extract, find, refresh, findLinks, sourceOf, postKey, mediaHosts };
}

/** Fetches a cached post again and caches the result. A post that its author removed leaves the cache. */
async function renewCached(
  cache: Cache<Post>,
  key: string,
  policy: ReturnType<typeof policyOf>,
  fetchPost: () => Promise<Post>,
): Promise<Post> {
  try {
    const fresh = await fetchPost();
    await cache.set(key, fresh, policy.ttlMs(fresh), policy.staleIfErrorMs?.(fresh));
    return fresh;
  } catch (error) {
    if (isWithdrawn(error)) await cache.delete(key);
    throw error;
  }
}

function toExtraction(post: Post, { itemIndex }: PostRef, from: Extraction['from']): Extraction {
  return { post, itemIndex: itemIndex !== null && itemIndex < itemCount(post) ? itemIndex : null, from };
}

/** The source of a post, and its reference: `known` if given, else made from the post's id. */
function refOf(
  { source: id, id: postId }: Pick<Post, 'source' | 'id'>,
  sources: readonly MediaSource[],
  known?: PostRef,
) {
  const source = sources.find(each => each.id === id);
  const ref = known ?? source?.refOf(postId);
  if (source === undefined || ref === undefined) throw new AppError('not_found', 'no post has this id');
  return { source, ref };
}

/** Follows short links until one leads to a post's address. */
async function followShortLinks(
  link: MatchedLink,
  only: Post['source'] | undefined,
  links: LinkReader,
  shortLinks: Cache<string>,
  signal: AbortSignal,
): Promise<PostLink> {
  let matched = link;
  for (let resolved = 0; ; resolved += 1) {
    const { source, match } = supportedLink(matched, only);
    if (match.kind !== 'short') return { source, match };
    if (resolved === MAX_SHORT_LINKS) throw new AppError('upstream_changed', 'a short link leads to short links only');
    const resolve = (own: AbortSignal) => source.resolveShort(match.url, { signal: own });
    const { value } = await shortLinks.wrap(`${source.id}:${match.key}`, resolve, SHORT_LINK_POLICY, signal);
    matched = links.match(value);
  }
}

/** Returns the post. A withheld post throws; a withheld quoted post is left out. */
async function refuseWithheldPost(withheld: WithheldPosts | undefined, post: Post): Promise<Post> {
  if (await withheld?.hasPost(post)) throw withheldPost();
  return post.quoted !== null && (await withheld?.hasPost(post.quoted)) ? { ...post, quoted: null } : post;
}

function withheldPost(): AppError {
  return new AppError('forbidden', 'the operator withholds this post', { params: { hint: 'withheldPost' } });
}

/** Runs `work` until the caller's signal aborts it or the deadline has passed. */
async function bounded<T>(
  deadlineMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = joinSignals([signal], deadlineMs);
  try {
    return await work(either.signal);
  } catch (error) {
    if (error instanceof AppError || !either.signal.aborted) throw error;
    if (signal?.aborted) throw abortReason(signal);
    throw new AppError('timeout', `no answer within ${deadlineMs} ms`, { cause: error });
  } finally {
    either.release();
  }
}
