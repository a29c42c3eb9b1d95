import { LRUCache } from 'lru-cache';

/**
 * Keeps the answers of one lane in the order in which its requests were taken up first, whatever becomes of them on the way: by what this
 * process knows.
 */
export interface AnswerOrder {
  /** A request is in work; the first time it gets its place. */
  join(lane: string, id: string): void;
  /** Milliseconds until one before it comes back that waits; 0 where none does. */
  waitMs(lane: string, id: string): number;
  /** Resolves with 0 when all before it are through; otherwise with the milliseconds to wait elsewhere. @throws the signal's reason */
  turn(lane: string, id: string, signal: AbortSignal): Promise<number>;
  /** A request is not in work any more. `backMs`: when it will be again; undefined when it is through. */
  leave(lane: string, id: string, backMs: number | undefined): void;
}

interface Place {
  readonly id: string;
  /** When it is in work again; undefined while it is. */
  backAt: number | undefined;
  /** Called when it leaves. */
  readonly listeners: Set<() => void>;
}

const MAX_LANES = 10_000;
/** One that is away for longer keeps nobody waiting, nor one that does not come back at its time. */
const MOST_MS = 60_000;
const LATE_MS = 5_000;
/** A worker waits no longer for one that is in work. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 1_000;

export function createAnswerOrder(clock: () => number): AnswerOrder {
  const lanes = new LRUCache<string, Place[]>({ max: MAX_LANES });

  /** Those before it that it waits for. */
  function before(lane: string, id: string): readonly Place[] {
    const places = lanes.get(lane) ?? [];
    const own = places.findIndex(each => each.id === id);
    return places.slice(0, Math.max(0, own)).filter(({ backAt = clock() }) => {
      const ms = backAt - clock();
      return ms > -LATE_MS && ms <= MOST_MS;
    });
  }

  function waitMs(lane: string, id: string): number {
    const waits = before(lane, id).flatMap(({ backAt }) => (backAt === undefined ? [] : [backAt - clock() + 1]));
    return waits.length === 0 ? 0 : Math.max(1, ...waits);
  }

  return {
    waitMs,
    join(lane, id) {
      const places = lanes.get(lane) ?? [];
      const known = places.find(each => each.id === id);
      if (known !== undefined) known.backAt = undefined;
      else lanes.set(lane, [...places, { id, backAt: undefined, listeners: new Set() }]);
    },
    async turn(lane, id, signal) {
      const until = clock() + PATIENCE_MS;
      for (;;) {
        const wait = waitMs(lane, id);
        if (wait > 0) return wait;
        const [first] = before(lane, id);
        if (first === undefined) return 0;
        if (clock() >= until) return AGAIN_MS;
        await left(first, until - clock(), signal);
      }
    },
    leave(lane, id, backMs) {
      const places = lanes.get(lane) ?? [];
      const own = places.find(each => each.id === id);
      if (own === undefined) return;
      own.backAt = backMs === undefined ? undefined : clock() + backMs;
      const others = places.filter(each => each !== own && (each.backAt ?? Infinity) > clock() - MOST_MS);
      if (backMs !== undefined) lanes.set(lane, places);
      else if (others.length > 0) lanes.set(lane, others);
      else lanes.delete(lane);
      for (const tell of [...own.listeners]) tell();
    },
  };
}

/** Until it leaves, or the time is over. @throws the signal's reason */
function left({ listeners }: Place, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(over, ms);
    function over(): void {
      clearTimeout(timer);
      listeners.delete(over);
      signal.removeEventListener('abort', over);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
    listeners.add(over);
    signal.addEventListener('abort', over, { once: true });
    if (signal.aborted) over();
  });
}
