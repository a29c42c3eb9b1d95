import { AppError } from '../../../errors.ts';
import type { PostRef } from '../../extract/source.ts';
import { captionTags } from '../../parse/json.ts';
import { type Author, type MediaItem, NO_STATS, type Post, placeItems, type UnplacedItem } from '../../post.ts';
import { addressExpiry } from './cdn-address.ts';

/** An item of a post. Null stands for an item that exists but cannot be read. */
export type DraftItem = UnplacedItem | null;

/** A post as one answer describes it. `toPost` adds the requested address and makes it a post. */
export type PostDraft = Pick<Post, 'author' | 'title' | 'caption' | 'publishedAt' | 'stats'> & {
  readonly items: readonly DraftItem[];
  /** The cover of the whole post. It is shown when the first item cannot be read. */
  readonly coverUrl: string | null;
  /** True when the answer states that the post is text alone. Otherwise a draft without items was misread. */
  readonly isWordsOnly?: boolean;
  /** The names of mentioned people, if the answer lists them. The text may contain other names for these people. */
  readonly mentions?: readonly string[];
  /** True when the site marks the post as unsuitable for some people. */
  readonly sensitive?: boolean;
  /** The post that this one quotes or shares. A quote inside that post is left out. */
  readonly quoted?: { readonly ref: PostContext['ref']; readonly draft: PostDraft } | null;
};

export const UNKNOWN_AUTHOR: Author = { id: null, username: null, name: null, verified: null, avatarUrl: null };

export const EMPTY_DRAFT: PostDraft = {
  author: UNKNOWN_AUTHOR,
  title: null,
  caption: null,
  publishedAt: null,
  stats: NO_STATS,
  items: [],
  coverUrl: null,
};

export function readableItems({ items }: Pick<PostDraft, 'items'>): number {
  return items.filter(item => item !== null).length;
}

export function isComplete(draft: Pick<PostDraft, 'items'>): boolean {
  return draft.items.length > 0 && readableItems(draft) === draft.items.length;
}

interface PostContext {
  readonly ref: Pick<PostRef, 'source' | 'id' | 'url'>;
  readonly strategy: string;
  /** The current time, unix milliseconds. */
  readonly now: number;
}

/**
 * The kinds of answers. A `card` has only author, text and cover. An error page in place of the answer to a `query` may
 * mean that the site removed the query.
 */
export const ANSWER_KINDS = ['query', 'page', 'embed', 'card', 'story', 'thread', 'posts', 'app'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export interface ReadContext extends PostContext {
  readonly ref: PostRef;
  readonly kind: AnswerKind;
}

/**
 * Turns a draft into a post. @param expiring the addresses that limit how long the post is valid
 * @throws AppError `upstream_changed` for a draft without items, unless it states that the post is text alone
 */
export function toPost(draft: PostDraft, context: PostContext, expiring: 'files' | 'all' = 'all'): Post {
  if (draft.items.length === 0 && !draft.isWordsOnly) {
    throw new AppError('upstream_changed', 'the answer holds no media');
  }
  const post = postAlone(draft, context, expiring);
  if (!draft.quoted) return { ...post, quoted: null };
  const { ref, draft: quotedDraft } = draft.quoted;
  const quoted = postAlone(quotedDraft, { ...context, ref }, expiring);
  return {
    ...post,
    sensitive: post.sensitive || quoted.sensitive,
    quoted: { ...quoted, quoted: null },
    expiresAt: earliest([post.expiresAt, quoted.expiresAt]),
  };
}

/** @throws AppError `upstream_changed` when no item can be read, unless the draft states that the post is text alone */
export function toReadablePost(draft: PostDraft, context: PostContext): Post {
  if (draft.items.length > 0 && readableItems(draft) === 0) {
    throw new AppError('upstream_changed', 'the post came without a file that we know');
  }
  return toPost(draft, context);
}

function earliest(moments: readonly (number | null)[]): number | null {
  const known = moments.filter(moment => moment !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function postAlone(
  { isWordsOnly: _, quoted: _quoted, sensitive = false, ...draft }: PostDraft,
  { ref, strategy, now }: PostContext,
  expiring: 'files' | 'all',
): Omit<Post, 'quoted'> {
  const placed = placeItems(draft.items);
  // The cover stands for the first item, so it is only kept if that item could not be read.
  const coverUrl = placed.items[0]?.position === 0 ? null : draft.coverUrl;
  const images =
    expiring === 'files' ? [] : [draft.author.avatarUrl, coverUrl, ...placed.items.map(item => item.thumbnailUrl)];
  const expiries = [
    ...placed.items.flatMap(item => item.variants.map(variant => variant.expiresAt)),
    ...images.map(url => (url === null ? null : addressExpiry(url))),
  ];
  return {
    ...draft,
    ...placed,
    ...captionTags(draft.caption),
    ...(draft.mentions !== undefined && { mentions: draft.mentions }),
    sensitive,
    coverUrl,
    source: ref.source,
    id: ref.id,
    url: ref.url,
    fetchedAt: now,
    expiresAt: earliest(expiries),
    strategy,
  };
}

/**
 * Completes the items of a post, and those of its quoted post, by more requests. An item that cannot be completed
 * counts as missing.
 * @throws the failure, when none of the post's own items can be completed
 */
export async function withCompleted(
  post: Post,
  complete: (item: MediaItem) => MediaItem | Promise<MediaItem>,
): Promise<Post> {
  async function completed({ items, missingItems }: Pick<Post, 'items' | 'missingItems'>) {
    const found = await Promise.allSettled(items.map(async item => complete(item)));
    const done = found.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    return { found, items: done, missingItems: missingItems + items.length - done.length };
  }

  const { found, ...own } = await completed(post);
  const failed = found.find(one => one.status === 'rejected');
  if (own.items.length === 0 && failed !== undefined) throw failed.reason;
  if (post.quoted === null) return { ...post, ...own };
  const { items, missingItems } = await completed(post.quoted);
  return { ...post, ...own, quoted: { ...post.quoted, items, missingItems } };
}
