import { LRUCache } from 'lru-cache';

export interface WaitNoticesOptions {
  /** Milliseconds since any moment, by a clock that nobody sets. */
  readonly clock: () => number;
  /** Notices to one person at once. Default 5. */
  readonly burst?: number;
  /** And one more after so many milliseconds. Default 5000. */
  readonly everyMs?: number;
}

/**
 * Whether a person may be told now that a request of theirs waits for their limit; a yes counts. A few at once, then one every few seconds:
 * a person who floods a group does not make Medley flood it as well. Who gets no notice now gets it, or the answer, a little later.
 */
export type WaitNotices = (person: string) => boolean;

const MAX_PEOPLE = 10_000;

export function createWaitNotices({ clock, burst = 5, everyMs = 5_000 }: WaitNoticesOptions): WaitNotices {
  /** When all notices to that person would have been said at an even pace. */
  const evenAt = new LRUCache<string, number>({ max: MAX_PEOPLE });

  return person => {
    const next = Math.max(evenAt.get(person) ?? 0, clock()) + everyMs;
    if (next - clock() > burst * everyMs) return false;
    evenAt.set(person, next);
    return true;
  };
}
