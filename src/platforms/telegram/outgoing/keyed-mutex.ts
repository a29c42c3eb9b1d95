/** Lets one at a time do the work of a key; the others look again, when it is done, whether there still is work to do. */
export interface KeyedMutex {
  /** `isDone`: nothing is left that two should not do at once. @throws what `work` throws, or the signal's reason. */
  run<T>(key: string, isDone: () => Promise<boolean>, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
  const busy = new Map<string, Promise<void>>();

  return {
    async run(key, isDone, work, signal) {
      for (;;) {
        if (await isDone()) return work();
        const other = busy.get(key);
        if (other === undefined) break;
        await orAbort(other, signal);
      }
      const result = work();
      const over = result.then(release, release);
      busy.set(key, over);
      return result;

      function release(): void {
        busy.delete(key);
      }
    },
  };
}

function orAbort(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    wait.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, reject);
  });
}
