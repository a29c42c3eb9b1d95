import { AppError } from '../../errors.ts';

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

/**
 * Lets `atOnce` in at once, the rest in the order they came; a caller leaves the line when its signal aborts.
 * @throws AppError `full()` when the line is full, `timeout` or the signal's own AppError when it aborts
 */
export function createSemaphore({ atOnce, maxWaiting, name, full }: SemaphoreOptions): Semaphore {
  const waiting = new Set<() => void>();
  let inside = 0;

  function leaveOnce(): () => void {
    let isGone = false;
    return () => {
      if (isGone) return;
      isGone = true;
      inside -= 1;
      const [next] = waiting;
      next?.();
    };
  }

  return signal =>
    new Promise((resolve, reject) => {
      const enter = () => {
        waiting.delete(enter);
        signal.removeEventListener('abort', giveUp);
        inside += 1;
        resolve(leaveOnce());
      };
      const giveUp = () => {
        waiting.delete(enter);
        const { reason } = signal;
        reject(
          reason instanceof AppError ? reason : new AppError('timeout', `${name} was given up`, { cause: reason }),
        );
      };
      if (signal.aborted) return giveUp();
      if (inside < atOnce) return enter();
      if (waiting.size >= maxWaiting) {
        return reject(full?.() ?? new AppError('upstream_unavailable', `too many wait for ${name}`));
      }
      waiting.add(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
}
