import { AppError } from '../../errors.ts';
import { FairLine } from './fair-line.ts';
import { actingClient } from './work-context.ts';

/** Waits for a place; the function it resolves with gives the place back and may be called twice. */
export type Semaphore = (signal: AbortSignal) => Promise<() => void>;

export interface SemaphoreOptions {
  /** Places. */
  readonly atOnce: number;
  /** Callers who may wait for one. */
  readonly maxWaiting: number;
  /** For the errors. */
  readonly name: string;
  /** The error of a caller who may not even wait. Default `upstream_unavailable`. */
  readonly full?: () => AppError;
}

interface Waiter {
  readonly enter: () => void;
  readonly refuse: () => void;
}

/**
 * Lets `atOnce` in at once, the rest in turns by acting client; a caller leaves the line when its signal aborts, or when the line is
 * full, theirs is the longest part of it and another client comes.
 * @throws AppError `full()` when the line is full, `timeout` or the signal's own AppError when it aborts
 */
export function createSemaphore({ atOnce, maxWaiting, name, full }: SemaphoreOptions): Semaphore {
  const waiting = new FairLine<Waiter>();
  const refusal = () => full?.() ?? new AppError('upstream_unavailable', `too many wait for ${name}`);
  let inside = 0;

  function leaveOnce(): () => void {
    let isGone = false;
    return () => {
      if (isGone) return;
      isGone = true;
      inside -= 1;
      waiting.shift()?.enter();
    };
  }

  return signal =>
    new Promise((resolve, reject) => {
      const client = actingClient();
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        inside += 1;
        resolve(leaveOnce());
      };
      const refuse = () => {
        signal.removeEventListener('abort', giveUp);
        reject(refusal());
      };
      const waiter = { enter, refuse };
      const giveUp = () => {
        waiting.remove(client, waiter);
        const { reason } = signal;
        reject(
          reason instanceof AppError ? reason : new AppError('timeout', `${name} was given up`, { cause: reason }),
        );
      };
      if (signal.aborted) return giveUp();
      if (inside < atOnce) return enter();
      if (waiting.size >= maxWaiting) {
        const displaced = waiting.yieldTo(client);
        if (displaced === undefined) return reject(refusal());
        displaced.refuse();
      }
      waiting.add(client, waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
}

/** A semaphore of its own for each acting client: `atOnce` and `maxWaiting` are one client's. */
export function createClientSemaphore(options: SemaphoreOptions): Semaphore {
  const clients = new Map<string, { readonly enter: Semaphore; users: number }>();

  return async signal => {
    const client = actingClient();
    const own = clients.get(client) ?? { enter: createSemaphore(options), users: 0 };
    clients.set(client, own);
    own.users += 1;
    const forget = () => {
      own.users -= 1;
      if (own.users === 0) clients.delete(client);
    };
    try {
      const leave = await own.enter(signal);
      let isGone = false;
      return () => {
        if (isGone) return;
        isGone = true;
        leave();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  };
}
