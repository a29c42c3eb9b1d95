import type { Post, UnplacedItem } from '../../post.ts';

/** What one answer says of a post, before it is bound to the address that was asked for. */
export type PostDraft = Pick<Post, 'author' | 'title' | 'caption' | 'publishedAt' | 'stats'> & {
  /** In order; null for one that is there and cannot be read. */
  readonly items: readonly (UnplacedItem | null)[];
};
