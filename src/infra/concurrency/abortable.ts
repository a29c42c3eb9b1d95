import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors.ts';

/** The reason why a caller gave up. */
export function abortReason({ reason }: AbortSignal): AppError {
  return reason instanceof AppError ? reason : new AppError('timeout', 'given up by the caller', { cause: reason });
}

/**
 * The promise's result, or the signal's reason as soon as it aborts. What the promise does after that is its owner's concern; its
 * failure is then dropped here, because the abort was reported already.
 * @param onAbort called once, before the rejection, when the signal comes first
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal, onAbort?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      onAbort?.();
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject);
  });
}

/** A signal for one piece of work. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** The work is over: nothing ends it any more, and nothing keeps it in memory. */
  release(): void;
}

/**
 * Aborts with the first of these, or with a `TimeoutError` when the time is over. For work that is ended by something long-lived, such
 * as the end of a connection: on Node 20 every `AbortSignal.any` of a signal that has a listener is kept for as long as that signal (1 KB each,
 * seen on 20.20).
 */
export function joinSignals(sources: readonly (AbortSignal | undefined)[], timeoutMs?: number): JoinedSignal {
  const controller = new AbortController();
  const present = sources.filter(source => source !== undefined);
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => end(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), timeoutMs);

  function onAbort(this: AbortSignal): void {
    end(this.reason);
  }

  function release(): void {
    clearTimeout(timer);
    for (const source of present) source.removeEventListener('abort', onAbort);
  }

  function end(reason: unknown): void {
    release();
    controller.abort(reason);
  }

  const over = present.find(source => source.aborted);
  if (over === undefined) {
    // There are as many listeners as there is work, which Node would take for a leak. Called without sources it would switch the warning off everywhere.
    if (present.length > 0) setMaxListeners(0, ...present);
    for (const source of present) source.addEventListener('abort', onAbort, { once: true });
  } else end(over.reason);
  return { signal: controller.signal, release };
}

/** The work of one key, as it sees itself. */
export interface Flight {
  /** Aborts, with the reason of the last one who left, when no caller waits any more. */
  readonly signal: AbortSignal;
  /** False once every caller has left or the key was forgotten: the result then belongs to those who wait alone. */
  isCurrent(): boolean;
}

/** Work in progress by key: a caller who asks for a key that is being worked on joins instead of starting again. */
export interface SingleFlight<T> {
  /** Joins the key's work or starts it. A caller whose signal aborts is rejected at once with the signal's reason. */
  run(key: string, work: (flight: Flight) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Callers who wait keep waiting; the next one starts anew. */
  forget(key: string): void;
}

interface Shared<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Shared<T>>();

  function start(key: string, work: (flight: Flight) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const isCurrent = () => flights.get(key) === shared;
    const shared: Shared<T> = {
      controller,
      waiting: 0,
      // A turn later, so that even work which fails at once finds itself on the list.
      result: Promise.resolve().then(() => work({ signal: controller.signal, isCurrent })),
    };
    flights.set(key, shared);
    const land = () => leave(key, shared);
    // A failure belongs to those who wait; when all have left, it is only the echo of their abort.
    shared.result.then(land, land);
    return shared;
  }

  function leave(key: string, shared: Shared<T>): void {
    if (flights.get(key) === shared) flights.delete(key);
  }

  function giveUp(key: string, shared: Shared<T>, reason: unknown): void {
    shared.waiting--;
    if (shared.waiting > 0) return;
    leave(key, shared);
    shared.controller.abort(reason);
  }

  return {
    run(key, work, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const shared = flights.get(key) ?? start(key, work);
      shared.waiting++;
      if (signal === undefined) return shared.result;
      return abortable(shared.result, signal, () => giveUp(key, shared, signal.reason));
    },
    forget: key => void flights.delete(key),
  };
}

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
