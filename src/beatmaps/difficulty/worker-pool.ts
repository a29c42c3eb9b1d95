import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { AppError, invalidRequest } from '../../errors.ts';
import { abortable, joinSignals } from '../../infra/concurrency/abortable.ts';
import { createSemaphore } from '../../infra/concurrency/running-work.ts';
import { optimizeWasm } from '../../infra/engine.ts';
import type { Logger } from '../../infra/log.ts';
import type { DifficultyAnswer, DifficultyFigures, DifficultyJob, Refusal } from './difficulty-job.ts';

export interface DifficultyWorkerPoolOptions {
  readonly log: Logger;
  readonly threads: number;
  /** The longest time for one map, in milliseconds. */
  readonly deadlineMs: number;
  readonly maxWaiting: number;
  /** The thread's compiled file. Default: the file beside this one. */
  readonly file?: URL;
}

/** The additional time for a map whose thread has to be started first. */
const START_MS = 15_000;
/** A thread that is idle for this long is ended, to free its memory. */
const IDLE_MS = 60_000;
/** The bounds of JavaScript's memory in a thread; the thread's own code bounds the library's memory. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

function uncomputable(message: string, cause?: unknown): AppError {
  return new AppError('upstream_changed', message, { params: { what: 'osu_file' }, cause });
}

const REFUSALS: Readonly<Record<Refusal, () => AppError>> = {
  unreadable: () => uncomputable('the file holds no map'),
  suspicious: () => uncomputable('the map was made to test limits, not to be played'),
  ruleset: () => invalidRequest('mode', 'this map cannot be played in that ruleset'),
  mods: () => invalidRequest('mods', 'the library knows no such mods', { reason: 'unknown' }),
};

/** Threads that calculate one map at a time each; a thread that takes too long or breaks is replaced. */
export function createDifficultyWorkerPool(options: DifficultyWorkerPoolOptions) {
  const { log, threads, deadlineMs, maxWaiting } = options;
  const file = options.file ?? new URL('./difficulty-worker.js', import.meta.url);
  /**
   * Aborted when the pool is closed, or when a thread cannot start, since another thread would fail for the same
   * reason.
   */
  const closing = new AbortController();
  const enter = createSemaphore({
    atOnce: threads,
    maxWaiting,
    name: 'the difficulty',
    full: () => new AppError('rate_limited', 'too many maps wait', { params: { reason: 'busy' } }),
  });
  const pool = new Piscina<DifficultyJob, DifficultyAnswer>({
    filename: fileURLToPath(file),
    name: 'answer',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    execArgv: [],
  });
  pool.on('error', (cause: unknown) => {
    log.error({ err: cause }, 'a difficulty thread could not be started');
    closing.abort(new AppError('internal', 'the difficulty cannot be computed', { cause }));
  });
  let running = 0;

  /** Calculates up to the deadline, even if the caller gave up earlier, because ending the thread would cost more. */
  async function compute(job: DifficultyJob): Promise<DifficultyAnswer> {
    running += 1;
    const isCold = pool.threads.length < running;
    // V8 may optimize the WebAssembly modules that are compiled from now on. In a thread that calculates this pays off,
    // because the thread lives long.
    if (isCold) optimizeWasm();
    const over = joinSignals([closing.signal], isCold ? START_MS + deadlineMs : deadlineMs);
    try {
      return await pool.run(job, { signal: over.signal });
    } catch (cause) {
      if (closing.signal.aborted) throw closing.signal.reason;
      log.warn({ err: cause }, 'a difficulty thread is replaced');
      const why = over.signal.aborted
        ? `the map took longer than ${deadlineMs} ms`
        : 'the thread did not outlive the map';
      throw uncomputable(why, cause);
    } finally {
      over.release();
      running -= 1;
    }
  }

  return {
    /**
     * @throws AppError `upstream_changed` (params.what `osu_file`) for a file that cannot be computed,
     * `invalid_request` (params.what `mods` or `mode`), `rate_limited` (params.reason `busy`) when too many wait, the
     * signal's reason
     */
    async run(job: DifficultyJob, signal: AbortSignal): Promise<DifficultyFigures> {
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      const wait = joinSignals([signal, closing.signal]);
      const leave = await enter(wait.signal)
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw error;
        })
        .finally(wait.release);
      const answer = await abortable(compute(job).finally(leave), signal);
      if (typeof answer === 'string') throw REFUSALS[answer]();
      return answer;
    },
    async close() {
      closing.abort(new AppError('upstream_unavailable', 'the difficulty is closed'));
      await pool.destroy();
    },
  };
}
