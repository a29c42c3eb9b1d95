import { backoffMs } from './backoff.ts';

/**
 * Where those wait who need something that is away. One of them tries now and then; when it gets through, all do: what is away is not
 * asked by thousands at once.
 */
export interface RetryGate {
  /** True when it is time to try; false when `timeoutMs` are over first, too many wait, or the gate is closed. */
  wait(timeoutMs: number): Promise<boolean>;
  /** It is there again. */
  open(): void;
  /** Sends everyone away, now and later. */
  close(): void;
}

export interface RetryGateOptions {
  /** How many may wait. */
  readonly most: number;
  readonly longestMs: number;
  readonly random: () => number;
}

const FIRST_MS = 250;

export function createRetryGate({ most, longestMs, random }: RetryGateOptions): RetryGate {
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
    wait(timeoutMs) {
      if (isClosed || waiting.size >= most) return Promise.resolve(false);
      if (timer === undefined) {
        failures += 1;
        timer = setTimeout(callOne, Math.min(longestMs, backoffMs(failures, random) * (FIRST_MS / 1_000)));
        timer.unref();
      }
      return new Promise(resolve => {
        const deadline = Number.isFinite(timeoutMs) ? setTimeout(() => call(false), Math.max(0, timeoutMs)) : undefined;
        function call(isTime: boolean): void {
          clearTimeout(deadline);
          waiting.delete(call);
          resolve(isTime);
          // Who leaves without trying leaves the next try to another.
          if (!isTime && timer === undefined && waiting.size > 0 && !isClosed) callOne();
        }
        waiting.add(call);
      });
    },
    open() {
      failures = 0;
      if (waiting.size > 0) callAll(true);
    },
    close() {
      isClosed = true;
      callAll(false);
    },
  };
}
