const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** The pause before the next attempt at a job that needs the store, while the store cannot be reached. */
export const STORE_AWAY_MS = 5_000;

/** A pause that doubles with each failure from a second to a minute, randomly shortened. `failures` counts from 1. */
export function backoffMs(failures: number, random: () => number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 20), LONGEST_MS) * (0.75 + random() / 4);
}

export type RetryGate = ReturnType<typeof createRetryGate>;

/** How many pieces of work may wait at once. */
const MOST_WAITING = 1_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 2_000;

/**
 * Makes work wait while something that it needs, such as the store, is away. One piece of work at a time tries again;
 * when it succeeds all go on, so that thousands do not try at once.
 */
export function createRetryGate(random: () => number) {
  const waiting = new Set<(isTime: boolean) => void>();
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  function callOne(): void {
    timer = undefined;
    const [first] = waiting;
    first?.(true);
  }

  function callAll(isTime: boolean): void {
    clearTimeout(timer);
    timer = undefined;
    for (const call of [...waiting]) call(isTime);
  }

  return {
    /**
     * Waits until the work may try again; false when `timeoutMs` are over first, too many wait, or the gate is closed.
     */
    wait(timeoutMs: number): Promise<boolean> {
      if (isClosed || waiting.size >= MOST_WAITING) return Promise.resolve(false);
      if (timer === undefined) {
        failures += 1;
        const pauseMs = backoffMs(failures, random) * (FIRST_RETRY_MS / FIRST_MS);
        timer = setTimeout(callOne, Math.min(LONGEST_RETRY_MS, pauseMs)).unref();
      }
      return new Promise(resolve => {
        const deadline = Number.isFinite(timeoutMs) ? setTimeout(() => call(false), Math.max(0, timeoutMs)) : undefined;
        function call(isTime: boolean): void {
          clearTimeout(deadline);
          waiting.delete(call);
          resolve(isTime);
          // This work waits no longer. If no timer is set, the try was given to other work, which may have given up
          // without opening the gate, so the next waiting work gets a try now.
          if (!isTime && timer === undefined && waiting.size > 0 && !isClosed) callOne();
        }
        waiting.add(call);
      });
    },
    /** Lets all waiting work go on, because what it needs is available again. */
    open(): void {
      failures = 0;
      if (waiting.size > 0) callAll(true);
    },
    /** Refuses all waiting work, and all that comes later. */
    close(): void {
      isClosed = true;
      callAll(false);
    },
  };
}
