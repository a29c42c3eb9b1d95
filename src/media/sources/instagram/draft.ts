import type { Post, UnplacedItem } from '../../post.ts';

/** What one answer says of a post, before it is bound to the address that was asked for. */
export type PostDraft = Pick<Post, 'author' | 'title' | 'caption' | 'publishedAt' | 'stats'> & {
  /** In order; null for one that is there and cannot be read. */
  readonly items: readonly (UnplacedItem | null)[];
  /** The cover of the post as a whole, which is its first item's. */
  readonly coverUrl: string | null;
};

export function readableItems(draft: PostDraft): number {
  return draft.items.filter(item => item !== null).length;
}

export function isComplete(draft: PostDraft): boolean {
  return draft.items.length > 0 && readableItems(draft) === draft.items.length;
}
