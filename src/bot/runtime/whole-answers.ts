import { LRUCache } from 'lru-cache';
import type { Sending } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';

/** What was said in one call of `send`. */
export interface Brought {
  readonly replies: readonly Reply[];
  /** Whether every file of theirs stands in the chat, as the platform has confirmed. */
  readonly isConfirmed: boolean;
}

/**
 * Knows of requests that are answered in parts whether all was brought, as far as this process saw it: only then may what the person wrote,
 * or its embed, be hidden.
 */
export interface WholeAnswers {
  /** True once, with the last part, when all parts were brought. */
  isAllBrought(sending: Pick<Sending, 'request' | 'isFirst' | 'isLast' | 'expected'>, brought: Brought): boolean;
}

const MAX_REQUESTS = 2_000;

export function createWholeAnswers(): WholeAnswers {
  const wholeSoFar = new LRUCache<string, boolean>({ max: MAX_REQUESTS });

  return {
    isAllBrought({ request, isFirst, isLast, expected }, { replies, isConfirmed }) {
      // That links wait.
      if (!isLast && replies.length > 0 && replies.every(({ tone }) => tone === 'notice')) return false;
      const isBrought =
        isConfirmed &&
        replies.length === expected &&
        replies.every(({ tone, gallery }) => tone === 'neutral' && gallery.length > 0);
      const isWhole = isBrought && (isFirst || wholeSoFar.get(request.id) === true);
      if (isLast) wholeSoFar.delete(request.id);
      else wholeSoFar.set(request.id, isWhole);
      return isLast && isWhole;
    },
  };
}
