import { AppError } from '../../errors.ts';
import { abortReason } from '../concurrency/abortable.ts';

const CANCELLED = 'cancelled by the caller';

/**
 * The time limit of one call. It ends by time, by the caller's signal or by `fail`, whichever comes first. A call waits
 * for one thing at a time, so there is one watcher only.
 */
export class Deadline {
  readonly #endsAt: number;
  readonly #now: () => number;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => {
    if (this.#signal !== undefined) this.fail(abortReason(this.#signal, CANCELLED));
  };
  #timer: NodeJS.Timeout | undefined;
  #watcher: ((failure: AppError) => void) | undefined;
  #failure: AppError | undefined;
  #isTimeUp = false;

  constructor(timeoutMs: number, signal: AbortSignal | undefined, now: () => number) {
    this.#now = now;
    this.#endsAt = now() + timeoutMs;
    this.#signal = signal;
    if (signal?.aborted === true) {
      this.#failure = abortReason(signal, CANCELLED);
      return;
    }
    signal?.addEventListener('abort', this.#onAbort);
    this.#timer = setTimeout(() => {
      this.#isTimeUp = true;
      this.fail(new AppError('timeout', `no answer within ${timeoutMs} ms`));
    }, timeoutMs);
  }

  /** The error with which the call has to end; undefined while it may go on. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  /** True when the call ended because its time was over, and not by its signal or by `fail`. */
  get isTimeUp(): boolean {
    return this.#isTimeUp;
  }

  remainingMs(): number {
    return this.#endsAt - this.#now();
  }

  assertAlive(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Calls the watcher once when the deadline ends, or at once if it has ended; replaces the previous watcher. */
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

  /** The time limit no longer applies after this; the signal still does. */
  disarm(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the timer and no longer listens to the signal. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  /** @throws AppError when the deadline ends during the sleep */
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

  /** The promise's value, unless the deadline ends first; the promise's later result is then ignored. */
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
