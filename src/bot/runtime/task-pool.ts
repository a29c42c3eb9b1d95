import { AppError } from '../../errors.ts';
import type { ProgressStage } from '../contract/command.ts';

export interface TaskPoolOptions {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks that may wait; beyond it a task is refused. */
  readonly queued: number;
}

/** A caller that waits for a task; the task sees it too. */
export interface Waiter {
  readonly signal: AbortSignal;
  progress(stage: ProgressStage): void;
}

export type Task<T> = (waiter: Waiter) => Promise<T>;

/** Bounded work, where equal tasks at the same time are done once. */
export interface TaskPool<T> {
  /**
   * Runs the task when there is room, or joins the one of that key which is under way. A waiter that leaves (its signal) gets its
   * signal's reason at once; the task's own signal aborts when all have left.
   * @throws AppError `rate_limited` (params: `reason: 'busy'`) when the queue is full.
   */
  run(key: string, task: Task<T>, waiter: Waiter): Promise<T>;
}

const BUSY_RETRY_MS = 10_000;

export function createTaskPool<T>(options: TaskPoolOptions): TaskPool<T> {
  const gate = createGate(options);
  const jobs = new Map<string, Job<T>>();

  interface Job<R> {
    readonly waiters: Set<Waiter>;
    readonly controller: AbortController;
    readonly result: Promise<R>;
    stage: ProgressStage | undefined;
  }

  function start(key: string, task: Task<T>): Job<T> {
    const waiters = new Set<Waiter>();
    const controller = new AbortController();
    const { signal } = controller;
    function progress(stage: ProgressStage): void {
      job.stage = stage;
      for (const waiter of waiters) waiter.progress(stage);
    }
    async function work(): Promise<T> {
      await gate.enter(signal);
      try {
        return await task({ signal, progress });
      } finally {
        gate.leave();
        forget(key, job);
      }
    }
    const job: Job<T> = { waiters, controller, result: Promise.resolve().then(work), stage: undefined };
    jobs.set(key, job);
    return job;
  }

  function forget(key: string, job: Job<T>): void {
    if (jobs.get(key) === job) jobs.delete(key);
  }

  return {
    run(key, task, waiter) {
      if (waiter.signal.aborted) return Promise.reject(waiter.signal.reason);
      const job = jobs.get(key) ?? start(key, task);
      job.waiters.add(waiter);
      if (job.stage) waiter.progress(job.stage);
      return new Promise<T>((resolve, reject) => {
        function abandon(): void {
          reject(waiter.signal.reason);
          job.waiters.delete(waiter);
          if (job.waiters.size > 0) return;
          // A caller that asks from now on needs a task that is not dying.
          forget(key, job);
          job.controller.abort(waiter.signal.reason);
        }
        waiter.signal.addEventListener('abort', abandon, { once: true });
        function settled(): void {
          waiter.signal.removeEventListener('abort', abandon);
          job.waiters.delete(waiter);
          forget(key, job);
        }
        job.result.then(
          value => {
            settled();
            resolve(value);
          },
          (error: unknown) => {
            settled();
            reject(error);
          },
        );
      });
    },
  };
}

function createGate({ running, queued }: TaskPoolOptions) {
  let inside = 0;
  const queue: (() => void)[] = [];

  return {
    /** Resolves when the caller may go in; then `leave` must follow. */
    async enter(signal: AbortSignal): Promise<void> {
      signal.throwIfAborted();
      if (inside < running) {
        inside += 1;
        return;
      }
      if (queue.length >= queued) {
        throw new AppError('rate_limited', 'the queue is full', {
          params: { reason: 'busy' },
          retryAfterMs: BUSY_RETRY_MS,
        });
      }
      await new Promise<void>((resolve, reject) => {
        function admit(): void {
          signal.removeEventListener('abort', giveUp);
          resolve();
        }
        function giveUp(): void {
          queue.splice(queue.indexOf(admit), 1);
          reject(signal.reason);
        }
        queue.push(admit);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
    /** Hands the place on, or frees it. */
    leave(): void {
      const next = queue.shift();
      if (next) next();
      else inside -= 1;
    },
  };
}
