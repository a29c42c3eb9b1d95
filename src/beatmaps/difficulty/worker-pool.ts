import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { DifficultyAnswer, DifficultyFigures, DifficultyJob, Refusal } from './difficulty-job.ts';

/** Threads that compute, each one job at a time; a thread that takes too long or breaks is ended and replaced. */
export interface DifficultyWorkerPool {
  /**
   * @throws AppError `upstream_changed` (params.what `osu_file`) for a file that cannot be computed, `invalid_request` (params.what
   * `mods` or `mode`), `rate_limited` (params.reason `busy`) when too many wait, the signal's reason
   */
  run(job: DifficultyJob, signal: AbortSignal): Promise<DifficultyFigures>;
  close(): Promise<void>;
}

export interface DifficultyWorkerPoolOptions {
  readonly log: Logger;
  readonly threads: number;
  /** Of one map. */
  readonly deadlineMs: number;
  readonly maxWaiting: number;
  /** Default: the compiled file beside this one. */
  readonly file?: URL;
}

const START_MS = 15_000;
/** Of JavaScript; the library's own memory is bounded in the thread. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

interface Ticket {
  readonly job: DifficultyJob;
  readonly resolve: (figures: DifficultyFigures) => void;
  readonly reject: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  ticket: Ticket | undefined;
  timer: NodeJS.Timeout | undefined;
}

function uncomputable(message: string, cause?: unknown): AppError {
  return new AppError('upstream_changed', message, { params: { what: 'osu_file' }, cause });
}

const REFUSALS: Readonly<Record<Refusal, () => AppError>> = {
  unreadable: () => uncomputable('the file holds no map'),
  suspicious: () => uncomputable('the map was made to test limits, not to be played'),
  ruleset: () =>
    new AppError('invalid_request', 'this map cannot be played in that ruleset', { params: { what: 'mode' } }),
  mods: () =>
    new AppError('invalid_request', 'the library knows no such mods', { params: { what: 'mods', reason: 'unknown' } }),
};

export function createDifficultyWorkerPool(options: DifficultyWorkerPoolOptions): DifficultyWorkerPool {
  const { log, threads: count, deadlineMs, maxWaiting } = options;
  const file = options.file ?? new URL('./difficulty-worker.js', import.meta.url);
  const threads = new Set<Thread>();
  const endings = new Set<Promise<unknown>>();
  const waiting: Ticket[] = [];
  let closed = false;

  function end(thread: Thread, error: unknown): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    thread.ticket?.reject(error);
    thread.ticket = undefined;
    const ending = thread.worker.terminate().catch((cause: unknown) => {
      log.error({ err: cause }, 'a thread of the difficulty could not be ended');
    });
    endings.add(ending);
    ending.finally(() => endings.delete(ending));
    if (!closed) next();
  }

  function bound(thread: Thread, ms: number, error: () => AppError): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => {
      const failure = error();
      log.warn({ code: failure.code, message: failure.message }, 'a thread of the difficulty is replaced');
      end(thread, failure);
    }, ms);
  }

  function give(thread: Thread, ticket: Ticket): void {
    thread.ticket = ticket;
    thread.worker.ref();
    bound(thread, deadlineMs, () => uncomputable(`the map took longer than ${deadlineMs} ms`));
    thread.worker.postMessage(ticket.job);
  }

  function hear(thread: Thread, answer: DifficultyAnswer): void {
    clearTimeout(thread.timer);
    thread.worker.unref();
    const { ticket } = thread;
    thread.ticket = undefined;
    switch (answer.kind) {
      case 'ready':
        thread.isReady = true;
        break;
      case 'figures':
        ticket?.resolve(answer.figures);
        break;
      case 'refused':
        ticket?.reject(REFUSALS[answer.why]());
        break;
      case 'broken': {
        const failure = uncomputable(`the library broke: ${answer.message}`);
        ticket?.reject(failure);
        end(thread, failure);
        return;
      }
    }
    next();
  }

  function start(): void {
    const worker = new Worker(file, { resourceLimits: RESOURCE_LIMITS, execArgv: [], env: {}, stdin: false });
    const thread: Thread = { worker, isReady: false, ticket: undefined, timer: undefined };
    threads.add(thread);
    bound(thread, START_MS, () => new AppError('internal', `no thread within ${START_MS} ms`));
    const lost = (error: unknown) => {
      if (!threads.has(thread)) return;
      log.warn({ err: error }, 'a thread of the difficulty ended');
      if (thread.isReady) end(thread, uncomputable('the thread did not outlive the map', error));
      else {
        // What keeps a thread from starting would keep the next one, too.
        const failure = new AppError('internal', 'the difficulty cannot be computed', { cause: error });
        for (const ticket of waiting.splice(0)) ticket.reject(failure);
        end(thread, failure);
      }
    };
    worker.on('message', (answer: DifficultyAnswer) => hear(thread, answer));
    worker.on('error', lost);
    worker.on('exit', code => lost(new Error(`the thread ended with ${code}`)));
  }

  function next(): void {
    for (const thread of threads) {
      if (!thread.isReady || thread.ticket !== undefined) continue;
      const ticket = waiting.shift();
      if (ticket === undefined) return;
      give(thread, ticket);
    }
    const starting = [...threads].filter(({ isReady }) => !isReady).length;
    if (waiting.length > starting && threads.size < count) start();
  }

  return {
    run(job, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (closed) return Promise.reject(new AppError('upstream_unavailable', 'the difficulty is closed'));
      if (waiting.length >= maxWaiting) {
        return Promise.reject(new AppError('rate_limited', 'too many maps wait', { params: { reason: 'busy' } }));
      }
      return new Promise((resolve, reject) => {
        const abort = () => {
          const place = waiting.indexOf(ticket);
          if (place >= 0) waiting.splice(place, 1);
          // One that is being computed goes on: its thread cannot be told to stop, and is free again soon.
          reject(signal.reason);
        };
        const settle =
          <T>(act: (value: T) => void) =>
          (value: T) => {
            signal.removeEventListener('abort', abort);
            act(value);
          };
        const ticket: Ticket = { job, resolve: settle(resolve), reject: settle(reject) };
        signal.addEventListener('abort', abort, { once: true });
        waiting.push(ticket);
        next();
      });
    },
    async close() {
      closed = true;
      const failure = new AppError('upstream_unavailable', 'the difficulty is closed');
      for (const ticket of waiting.splice(0)) ticket.reject(failure);
      for (const thread of [...threads]) end(thread, failure);
      await Promise.all(endings);
    },
  };
}
