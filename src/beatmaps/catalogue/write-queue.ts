import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Takes values at once and hands them on later, in portions, so that others have their turn in between. */
export interface WriteQueue<T> {
  /** Of two with one id the later is kept. When the queue is full the oldest goes: it will be seen again. */
  add(values: readonly T[]): void;
  /** Resolves when everything that waits is written. @throws what `write` throws */
  flush(): Promise<void>;
  /** Writes everything at once; nothing is taken after. Failures go to `onFailure`. */
  close(): void;
}

export interface WriteQueueOptions<T> {
  readonly maxSize: number;
  /** Written at once: nothing else is done as long as it is written. */
  readonly portion: number;
  readonly delayMs: number;
  write(values: readonly T[]): void;
  /** Whether what failed may be written a little later. Default: never. */
  isWorthWaiting?(error: unknown): boolean;
  onFailure(error: unknown): void;
}

/** Of one flush. */
const MAX_WAITS = 60;

export function createWriteQueue<T extends { readonly id: number }>(options: WriteQueueOptions<T>): WriteQueue<T> {
  const { maxSize, portion, delayMs, write, isWorthWaiting = () => false, onFailure } = options;
  const waiting = new Map<number, T>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function writePortion(): void {
    const values = [...waiting.values()].slice(0, portion);
    // Gone before they are written: a portion that cannot be written must not be tried for ever.
    for (const { id } of values) waiting.delete(id);
    try {
      if (values.length > 0) write(values);
    } catch (error) {
      if (isWorthWaiting(error)) putBack(values);
      throw error;
    }
  }

  /** Before those that came since, which are newer. */
  function putBack(values: readonly T[]): void {
    const newer = [...waiting];
    waiting.clear();
    for (const value of values) waiting.set(value.id, value);
    for (const [id, value] of newer) {
      waiting.delete(id);
      waiting.set(id, value);
    }
  }

  function schedule(): void {
    if (timer !== undefined || isClosed || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      try {
        writePortion();
      } catch (error) {
        if (!isWorthWaiting(error)) onFailure(error);
      }
      schedule();
    }, delayMs);
    timer.unref();
  }

  return {
    add(values) {
      if (isClosed) return;
      for (const value of values) {
        waiting.delete(value.id);
        waiting.set(value.id, value);
      }
      for (const id of waiting.keys()) {
        if (waiting.size <= maxSize) break;
        waiting.delete(id);
      }
      schedule();
    },
    async flush() {
      for (let waits = 0; waiting.size > 0; ) {
        try {
          writePortion();
          await setImmediate();
        } catch (error) {
          waits += 1;
          if (!isWorthWaiting(error) || waits > MAX_WAITS) throw error;
          await sleep(delayMs);
        }
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      try {
        while (waiting.size > 0) writePortion();
      } catch (error) {
        waiting.clear();
        onFailure(error);
      }
    },
  };
}
