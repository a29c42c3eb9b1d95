import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/**
 * How fast notices about a rate limit are posted to one person in a group: a few at once, then one every few seconds. So each message gets
 * its notice, and a person who floods the group does not make Medley flood it as well.
 */
export interface NoticePace {
  /**
   * Posts the notice, now or later. One that waits gives way to a newer one for the same person, which then speaks for both: it
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

interface PersonPace {
  /** When all that was posted would have been posted at an even pace. */
  evenAt: number;
  /** What is posted next; undefined while nothing waits. */
  waiting: (() => Promise<void>) | undefined;
}

export function createNoticePace({ now = Date.now, burst = 5, everyMs = 5_000 }: NoticePaceOptions = {}): NoticePace {
  const people = new LRUCache<string, PersonPace>({ max: MAX_PEOPLE });

  function paceOf(person: string): PersonPace {
    const known = people.get(person);
    if (known) return known;
    const pace: PersonPace = { evenAt: 0, waiting: undefined };
    people.set(person, pace);
    return pace;
  }

  return {
    async put(person, post, signal) {
      signal.throwIfAborted();
      const pace = paceOf(person);
      if (pace.waiting !== undefined) {
        pace.waiting = post;
        return;
      }
      const evenAt = Math.max(pace.evenAt, now()) + everyMs;
      const waitMs = evenAt - now() - burst * everyMs;
      pace.evenAt = evenAt;
      if (waitMs <= 0) return post();
      pace.waiting = post;
      try {
        await pause(waitMs, undefined, { signal, ref: false });
      } catch (error) {
        pace.waiting = undefined;
        throw error;
      }
      const newest = pace.waiting;
      pace.waiting = undefined;
      return newest();
    },
  };
}
