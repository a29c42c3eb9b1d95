/**
 * How long sites' answers are cached (posts, short links, failures), and how posts that other processes cached are
 * checked.
 */
import { AppError, type ErrorCode } from '../../errors.ts';
import type { CachePolicy } from '../../infra/cache/cache.ts';
import { mediaAddress } from '../parse/json.ts';
import { type Post, postSchema } from '../post.ts';
import { isWithdrawn } from './refusal.ts';
import type { MediaSource, PostRef } from './source.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const POST_TTL_MS = 30 * MINUTE;
/** A post with missing items is cached briefly: another strategy may be able to read them soon. */
const INCOMPLETE_TTL_MS = 2 * MINUTE;
/** Stories are cached briefly, because their authors add and remove items while people look at them. */
const STORY_TTL_MS = 5 * MINUTE;
/** How long after its expiry a cached post may still be shown if the site cannot be asked. */
const STALE_MS = 24 * HOUR;
const SHORT_LINK_TTL_MS = 24 * HOUR;
/** Media addresses must stay valid this much longer than the cached post, so that files can still be fetched. */
const EXPIRY_MARGIN_MS = 5 * MINUTE;
const REFRESH_PAUSE_MS = MINUTE;
const MAX_RETRY_AFTER_MS = 5 * MINUTE;

/** How long a failure is cached, by code. A failure that is the request's own fault is never cached. */
const ERROR_TTL_MS: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 0,
  // A site causes this code for a live broadcast, which may be over soon, or for a short link that leads off the site.
  unsupported_link: 30 * SECOND,
  not_found: MINUTE,
  private: MINUTE,
  login_required: 30 * SECOND,
  age_restricted: 10 * MINUTE,
  region_blocked: 10 * MINUTE,
  upstream_rate_limited: 20 * SECOND,
  upstream_unavailable: 5 * SECOND,
  upstream_changed: 10 * SECOND,
  too_large: 10 * SECOND,
  timeout: 5 * SECOND,
  rate_limited: 0,
  credentials_required: 0,
  forbidden: 10 * SECOND,
  internal: 0,
};

function errorTtlMs(error: unknown): number {
  if (!(error instanceof AppError)) return 0;
  const base = ERROR_TTL_MS[error.code];
  if (error.code !== 'upstream_rate_limited' || error.retryAfterMs === undefined) return base;
  return Math.min(Math.max(error.retryAfterMs, SECOND), MAX_RETRY_AFTER_MS);
}

/** The target of a short link never changes. */
export const SHORT_LINK_POLICY: CachePolicy<string> = {
  ttlMs: () => SHORT_LINK_TTL_MS,
  staleIfErrorMs: () => SHORT_LINK_TTL_MS,
  errorTtlMs,
};

/** A post is fetched again at most once a minute, even if that fetch failed. */
export const REFRESH_POLICY: CachePolicy<Post> = { ttlMs: () => REFRESH_PAUSE_MS, errorTtlMs: () => REFRESH_PAUSE_MS };

/** How a post is cached. It is never kept for longer than its media addresses are valid. */
export function policyOf(ref: PostRef, now: () => number): CachePolicy<Post> {
  const addressLifeMs = ({ expiresAt }: Post) =>
    expiresAt === null ? Number.POSITIVE_INFINITY : Math.max(0, expiresAt - EXPIRY_MARGIN_MS - now());
  const wholeMs = ref.form === 'story' ? STORY_TTL_MS : POST_TTL_MS;
  const ttlMs = (post: Post) => Math.min(post.missingItems > 0 ? INCOMPLETE_TTL_MS : wholeMs, addressLifeMs(post));
  return {
    ttlMs,
    staleIfErrorMs: post => Math.min(STALE_MS, addressLifeMs(post) - ttlMs(post)),
    // A post that its author removed or hid is not shown from the cache.
    staleOnError: error => !isWithdrawn(error),
    errorTtlMs,
  };
}

type KnownSource = Pick<MediaSource, 'id' | 'match' | 'mediaHosts'>;

/**
 * Parses posts from JSON that another process stored, as strictly as a site's answer: the post must have this version's
 * shape, media on the hosts of its source, and an address that its source recognises. Undefined for anything else.
 */
export function createStoredPostParser(sources: readonly KnownSource[]): (value: unknown) => Post | undefined {
  const isKnown = (post: Post): boolean => {
    const { author, coverUrl, items } = post;
    const source = sources.find(({ id }) => id === post.source);
    const images = [author.avatarUrl, coverUrl, ...items.map(item => item.thumbnailUrl)].filter(url => url !== null);
    const addresses = [...images, ...items.flatMap(({ variants }) => variants.map(({ url }) => url))];
    if (source === undefined || !isPostOf(source, post.url)) return false;
    return addresses.every(url => mediaAddress(url, source.mediaHosts) !== null);
  };
  return value => {
    const post = postSchema.safeParse(value).data;
    return post !== undefined && [post, post.quoted].every(one => one === null || isKnown(one)) ? post : undefined;
  };
}

/** Says whether the source recognises the address as a post's, and the post's own address has the same origin. */
function isPostOf({ match }: KnownSource, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const address = new URL(url);
  const found = match(address);
  const ref = found?.kind === 'post' || found?.kind === 'story' ? found.ref : undefined;
  return ref !== undefined && new URL(ref.url).origin === address.origin && address.username === '';
}
