import { createLru } from '../../infra/cache/cache.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';

interface Entry {
  readonly id: string;
  /** The time at which work on the request goes on; undefined while it runs. */
  backAt: number | undefined;
  /** Called when the request is finished or pauses. */
  readonly listeners: Set<() => void>;
}

const MAX_LANES = 10_000;
/**
 * How long an earlier request may pause before others overtake it. They also overtake it when it is late by `LATE_MS`
 * in going on.
 */
const MOST_MS = 60_000;
const LATE_MS = 5_000;
/** How long a worker waits for an earlier request that is running. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 1_000;

export type ReplyOrder = ReturnType<typeof createReplyOrder>;
export type OrderedPlace = ReturnType<ReplyOrder['join']>;

/**
 * Keeps the answers of one lane (the requests of a chat) in the order in which its requests first ran, even if some
 * have to wait. It knows only the requests of this process.
 */
export function createReplyOrder(clock: () => number) {
  const lanes = createLru<string, readonly Entry[]>({ max: MAX_LANES });

  /** The earlier requests for which this one waits. */
  function before(lane: string, entry: Entry): readonly Entry[] {
    const entries = lanes.get(lane) ?? [];
    return entries.slice(0, Math.max(0, entries.indexOf(entry))).filter(({ backAt = clock() }) => {
      const ms = backAt - clock();
      return ms > -LATE_MS && ms <= MOST_MS;
    });
  }

  function waitMs(lane: string, entry: Entry): number {
    const waits = before(lane, entry).flatMap(({ backAt }) => (backAt === undefined ? [] : [backAt - clock() + 1]));
    return waits.length === 0 ? 0 : Math.max(1, ...waits);
  }

  function entryOf(lane: string, id: string): Entry {
    const entries = lanes.get(lane) ?? [];
    const entry = entries.find(each => each.id === id) ?? { id, backAt: undefined, listeners: new Set() };
    entry.backAt = undefined;
    if (!entries.includes(entry)) lanes.set(lane, [...entries, entry]);
    return entry;
  }

  function leave(lane: string, own: Entry, backMs: number | undefined): void {
    own.backAt = backMs === undefined ? undefined : clock() + backMs;
    const entries = lanes.get(lane) ?? [];
    const kept = entries.filter(each =>
      each === own ? backMs !== undefined : (each.backAt ?? Infinity) > clock() - MOST_MS,
    );
    if (kept.length > 0) lanes.set(lane, kept);
    else lanes.delete(lane);
    for (const call of [...own.listeners]) call();
  }

  return {
    /**
     * Called when work on a request begins. The first call gives it a place in the order, which must be left in the
     * end.
     */
    join(lane: string, id: string) {
      const own = entryOf(lane, id);
      return {
        /** Milliseconds until an earlier request that pauses runs again; 0 when none does. */
        waitMs: () => waitMs(lane, own),
        /**
         * Resolves with 0 when all earlier requests are finished, else with the milliseconds for which to put the job
         * back into the queue.
         * @throws the signal's reason
         */
        async next(signal: AbortSignal): Promise<number> {
          const until = clock() + PATIENCE_MS;
          for (;;) {
            const wait = waitMs(lane, own);
            if (wait > 0) return wait;
            const [first] = before(lane, own);
            if (first === undefined) return 0;
            if (clock() >= until) return AGAIN_MS;
            await left(first, until - clock(), signal);
          }
        },
        /** Called when work on the request pauses (for `backMs`) or ends (`backMs` is undefined). */
        leave: (backMs: number | undefined) => leave(lane, own, backMs),
      };
    },
  };
}

/**
 * Resolves when the request is finished or pauses, or when the time is over.
 * @throws the signal's reason
 */
function left({ listeners }: Entry, ms: number, signal: AbortSignal): Promise<void> {
  let forget: (() => void) | undefined;
  const isOver = new Promise<void>(resolve => {
    const timer = setTimeout(resolve, ms);
    listeners.add(resolve);
    forget = () => {
      clearTimeout(timer);
      listeners.delete(resolve);
    };
  });
  return abortable(isOver, signal).finally(forget);
}
