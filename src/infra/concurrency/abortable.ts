import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors.ts';

/** The reason why a caller gave up. @param message the error's message where the signal has no AppError */
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
    promise.then(
      value => {
        signal.removeEventListener('abort', abort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
  });
}

/** A signal for one piece of work, joined from several signals and a time limit. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** To be called when the work is over. Afterwards no source can abort the work any more, or keeps it in memory. */
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
    /** Makes the next call for the key start new work. Callers of the running work keep waiting for its result. */
    forget: (key: string) => void flights.delete(key),
  };
}
