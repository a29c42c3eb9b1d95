import type { Deadline } from '../concurrency/deadline.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { ExchangeFailure, ExchangeHead } from './transport/exchange.ts';

export interface RetryOptions {
  readonly retries: number;
  /** Whether the server may see the request twice. */
  readonly repeatable: boolean;
  readonly deadline: Deadline;
  readonly now: () => number;
}

/** The tries a call has left, and how long to pause before the next: longer each time, never beyond the deadline. */
export interface Retry {
  /** Milliseconds to wait before asking a busy server again; undefined when its answer stands. */
  afterAnswer(head: ExchangeHead): number | undefined;
  /** Milliseconds to wait after a failure; undefined when it is final. */
  afterFailure(failure: ExchangeFailure): number | undefined;
  pause(ms: number): Promise<void>;
}

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function createRetry({ retries, repeatable, deadline, now }: RetryOptions): Retry {
  let left = retries;
  let pauseMs = FIRST_PAUSE_MS;

  const jitter = (): number => pauseMs * (0.5 + Math.random() / 2);
  const fitting = (ms: number): number | undefined => (ms < deadline.remainingMs() ? ms : undefined);

  return {
    afterAnswer(head) {
      if (left <= 0 || !repeatable || !BUSY.has(head.status)) return undefined;
      return fitting(parseRetryAfter(head.headers['retry-after'], now()) ?? jitter());
    },
    afterFailure(failure) {
      if (left <= 0 || !failure.transient || !(repeatable || !failure.sent)) return undefined;
      return fitting(jitter());
    },
    pause(ms) {
      left--;
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
      return deadline.sleep(ms);
    },
  };
}
