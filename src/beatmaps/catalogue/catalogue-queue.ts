/** Takes values at once and hands them on later, in portions. */
export interface WriteQueue<T> {
  /** Of two with one id the later is kept. When the queue is full the oldest goes: it will be seen again. */
  add(values: readonly T[]): void;
  /** Everything that waits, now. @throws what `write` throws */
  flush(): void;
  /** Flushes; nothing is taken after. Failures go to `onFailure`. */
  close(): void;
  readonly size: number;
}

export interface WriteQueueOptions<T> {
  readonly maxSize: number;
  /** Written at once by itself: it blocks the process as long as it is written. */
  readonly portion: number;
  /** Written at once by `flush`, whose caller waits anyway. */
  readonly flushPortion: number;
  readonly delayMs: number;
  write(values: readonly T[]): void;
  onFailure(error: unknown): void;
}

export function createWriteQueue<T extends { readonly id: number }>(options: WriteQueueOptions<T>): WriteQueue<T> {
  const { maxSize, portion, flushPortion, delayMs, write, onFailure } = options;
  const waiting = new Map<number, T>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function writePortion(size: number): void {
    const values = [...waiting.values()].slice(0, size);
    // Gone before they are written: a portion that cannot be written must not be tried for ever.
    for (const { id } of values) waiting.delete(id);
    if (values.length > 0) write(values);
  }

  function schedule(): void {
    if (timer !== undefined || isClosed || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      try {
        writePortion(portion);
      } catch (error) {
        onFailure(error);
      }
      schedule();
    }, delayMs);
    timer.unref();
  }

  function flush(): void {
    while (waiting.size > 0) writePortion(flushPortion);
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
    flush,
    close() {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      try {
        flush();
      } catch (error) {
        waiting.clear();
        onFailure(error);
      }
    },
    get size() {
      return waiting.size;
    },
  };
}
