import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors.ts';

/** The error with which a caller's signal aborted; a new one with `message` if the signal's reason is no AppError. */
export function abortReason({ reason }: AbortSignal, message = 'given up by the caller'): AppError {
  return reason instanceof AppError ? reason : new AppError('timeout', message, { cause: reason });
}

/**
 * The promise's result, or a rejection with the signal's reason as soon as it aborts. A later failure of the promise is
 * ignored, because the abort was reported already.
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

/** A signal for one piece of work, joined from several signals and a time limit. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** To be called when the work is over. After that, none of the signals can abort the work or keeps it in memory. */
  release(): void;
}

/**
 * Aborts with the first of these signals, or with a `TimeoutError` when the time is over. It exists for signals that
 * live long, such as a connection's: on Node 20 `AbortSignal.any` keeps each result that has a listener in memory as
 * long as its source lives (1 KB each, seen on 20.20).
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
    // A long-lived signal has a listener for each piece of work, which Node would report as a leak. `setMaxListeners`
    // without a signal would change the default of the whole process.
    if (present.length > 0) setMaxListeners(0, ...present);
    for (const source of present) source.addEventListener('abort', onAbort, { once: true });
  } else end(over.reason);
  return { signal: controller.signal, release };
}

/** The work for one key, as seen by the function that does it. */
export interface Flight {
  /** Aborts when the last waiting caller has given up, with that caller's reason. */
  readonly signal: AbortSignal;
  /** False once every caller has given up or the key was forgotten: in that case the result must not be stored. */
  isCurrent(): boolean;
}

interface Shared<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Runs the work of a key once at a time: a caller who asks for a key in progress waits for the same result. */
export function createSingleFlight<T>() {
  const flights = new Map<string, Shared<T>>();

  function start(key: string, work: (flight: Flight) => Promise<T>): Shared<T> {
    const controller = new AbortController();
    const isCurrent = () => flights.get(key) === shared;
    const shared: Shared<T> = {
      controller,
      waiting: 0,
      // The work starts one microtask later, so that even work that fails at once finds its own entry in the list.
      result: Promise.resolve().then(() => work({ signal: controller.signal, isCurrent })),
    };
    flights.set(key, shared);
    const land = () => leave(key, shared);
    // When all callers have given up, the failure is only the result of their abort, so it is ignored.
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
    /** Joins the key's running work or starts it. A caller whose signal aborts is rejected at once with its reason. */
    run(key: string, work: (flight: Flight) => Promise<T>, signal?: AbortSignal): Promise<T> {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const shared = flights.get(key) ?? start(key, work);
      shared.waiting++;
      if (signal === undefined) return shared.result;
      return abortable(shared.result, signal, () => giveUp(key, shared, signal.reason));
    },
    /** Makes the next call for the key, by default any, start new work. Callers of the running work keep waiting. */
    forget: (key?: string) => (key === undefined ? flights.clear() : void flights.delete(key)),
  };
}

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

  /** Lifts the time limit. The caller's signal can still end the call. */
  disarm(): void {
    clearTimeout(this.#timer);
  }

  /** Stops the timer and no longer listens to the signal. */
  end(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  /** @throws AppError when the deadline ends during the sleep */
  async sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const slept = new Promise<void>(resolve => {
      timer = setTimeout(resolve, ms);
    });
    await this.race(slept).finally(() => clearTimeout(timer));
  }

  /** The promise's value, unless the deadline ends first; the promise's later result is then ignored. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.watch(reject);
      promise.finally(() => this.unwatch()).then(resolve, reject);
    });
  }
}
