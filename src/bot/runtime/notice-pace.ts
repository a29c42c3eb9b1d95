import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/**
 * How fast the same person is told in a chat of many that they are over their limit: a few times at once, then every few seconds. So each
 * message gets its notice, and somebody who floods the chat does not make Medley flood it as well.
 */
export interface NoticePace {
  /**
   * Posts the notice, now or in its turn. One that waits gives way to a newer one for the same person, which then speaks for both: it
   * resolves without having been posted.
   * @throws what `post` throws, or the signal's reason
   */
  put(person: string, post: () => Promise<void>, signal: AbortSignal): Promise<void>;
}

export interface NoticePaceOptions {
  readonly now?: () => number;
  /** Notices to one person at once. Default 5. */
  readonly burst?: number;
  /** And one more after so many milliseconds. Default 5000. */
  readonly everyMs?: number;
}

const MAX_PEOPLE = 10_000;

interface Turn {
  /** When all that was posted would have been posted at an even pace. */
  evenAt: number;
  /** What is posted when its turn comes; undefined while nothing waits. */
  waiting: (() => Promise<void>) | undefined;
}

export function createNoticePace({ now = Date.now, burst = 5, everyMs = 5_000 }: NoticePaceOptions = {}): NoticePace {
  const turns = new LRUCache<string, Turn>({ max: MAX_PEOPLE });

  function turnOf(person: string): Turn {
    const known = turns.get(person);
    if (known) return known;
    const turn: Turn = { evenAt: 0, waiting: undefined };
    turns.set(person, turn);
    return turn;
  }

  return {
    async put(person, post, signal) {
      signal.throwIfAborted();
      const turn = turnOf(person);
      if (turn.waiting !== undefined) {
        turn.waiting = post;
        return;
      }
      const evenAt = Math.max(turn.evenAt, now()) + everyMs;
      const waitMs = evenAt - now() - burst * everyMs;
      turn.evenAt = evenAt;
      if (waitMs <= 0) return post();
      turn.waiting = post;
      try {
        await pause(waitMs, undefined, { signal, ref: false });
      } catch (error) {
        turn.waiting = undefined;
        throw error;
      }
      const newest = turn.waiting;
      turn.waiting = undefined;
      return newest();
    },
  };
}
