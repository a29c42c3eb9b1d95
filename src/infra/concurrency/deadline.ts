import { AppError } from '../../errors.ts';

/**
 * How long one call may still take: ends by time, by the caller's signal or by `fail`, whichever is first. A call waits for one
 * thing at a time, so there is one watcher.
 */
export class Deadline {
  readonly #endsAt: number;
  readonly #now: () => number;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.fail(cancellation(this.#signal?.reason));
  #timer: NodeJS.Timeout | undefined;
  #watcher: ((failure: AppError) => void) | undefined;
  #failure: AppError | undefined;
  #isTimeUp = false;

  constructor(timeoutMs: number, signal: AbortSignal | undefined, now: () => number) {
    this.#now = now;
    this.#endsAt = now() + timeoutMs;
    this.#signal = signal;
    if (signal?.aborted === true) {
      this.#failure = cancellation(signal.reason);
      return;
    }
    signal?.addEventListener('abort', this.#onAbort);
    this.#timer = setTimeout(() => {
      this.#isTimeUp = true;
      this.fail(new AppError('timeout', `no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  }

  /** Why the call is over; undefined while it may go on. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** True when it was the time that ended it. */
  get isTimeUp(): boolean {
    return this.#isTimeUp;
  }

  remainingMs(): number {
    return this.#endsAt - this.#now();
  }

  assertAlive(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Calls back once, at once when it is over already; replaces the watcher before. */
  watch(watcher: (failure: AppError) => void): void {
    if (this.#failure === undefined) this.#watcher = watcher;
    else watcher(this.#failure);
  }

  unwatch(): void {
    this.#watcher = undefined;
  }

  fail(failure: AppError): void {
    if (this.#failure !== undefined) return;
    this.#failure = failure;
    this.end();
    const watcher = this.#watcher;
    this.#watcher = undefined;
    watcher?.(failure);
  }

  /** Time no longer ends it; the signal still does. */
  disarm(): void {
    clearTimeout(this.#timer);
  }

  /** Lets go of the timer and of the signal. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  /** @throws AppError when it ends before the time is over */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.unwatch();
        resolve();
      }, ms);
      this.watch(failure => {
        clearTimeout(timer);
        reject(failure);
      });
    });
  }

  /** The promise's value, unless the end comes first; what the promise does afterwards is ignored. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.watch(reject);
      promise.then(
        value => {
          this.unwatch();
          resolve(value);
        },
        (error: unknown) => {
          this.unwatch();
          reject(error);
        },
      );
    });
  }
}

function cancellation(reason: unknown): AppError {
  return reason instanceof AppError ? reason : new AppError('timeout', 'cancelled by the caller', { cause: reason });
}
