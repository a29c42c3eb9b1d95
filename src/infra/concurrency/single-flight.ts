import { abortable } from './abortable.ts';

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
