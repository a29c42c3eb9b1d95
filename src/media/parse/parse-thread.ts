/**
 * A worker thread that parses pages of many megabytes, which would block the main thread. If a page needs too much time
 * or memory, only the thread ends, not the process.
 */

import { fileURLToPath } from 'node:url';
import { AppError, type ErrorData, fromErrorData, toErrorData } from '../../errors.ts';
import { joinSignals } from '../../infra/concurrency/abortable.ts';

const MAX_READ_MS = 8_000;
const IDLE_MS = 60_000;
const MAX_WAITING = 64;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

/** The result of work in the thread: a value, or the failure in a form that can be sent. */
export type ThreadOutcome<Value> = { readonly value: Value } | { readonly failure: ErrorData };

/** Runs the work inside the thread; returns its value or its error. */
export function threadOutcomeOf<Value>(work: () => Value): ThreadOutcome<Value> {
  try {
    return { value: work() };
  } catch (error) {
    return { failure: toErrorData(error) };
  }
}

/** `broken` aborts when a thread cannot be started. The next one could not be started either, so none is tried. */
async function startThread<Task, Value>(file: URL, name: string) {
  const { Piscina } = await import('piscina');
  const broken = new AbortController();
  const pool = new Piscina<Task, ThreadOutcome<Value>>({
    filename: fileURLToPath(file),
    name,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    maxQueue: MAX_WAITING,
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    execArgv: [],
  });
  pool.on('error', (cause: unknown) => {
    broken.abort(new AppError('internal', 'large pages cannot be read', { cause }));
  });
  return { pool, broken: broken.signal };
}

/**
 * Makes a function that calls `name` of the module `file`, which returns a `ThreadOutcome`, in a thread. The first call
 * starts the thread; it ends when idle.
 * @throws AppError the failure of the work; `upstream_changed` for a text that cannot be read within bounds, `timeout`
 * when too many wait, `internal` when the thread cannot be started.
 */
export function createParseThread<Task, Value>(file: URL, name: string): (task: Task) => Promise<Value> {
  let starting: ReturnType<typeof startThread<Task, Value>> | undefined;

  return async function parseInThread(task) {
    starting ??= startThread(file, name);
    const { pool, broken } = await starting;
    broken.throwIfAborted();
    if (pool.queueSize >= MAX_WAITING) throw new AppError('timeout', 'too many large pages wait to be read');
    let outcome: ThreadOutcome<Value>;
    const over = joinSignals([broken], MAX_READ_MS);
    try {
      outcome = await pool.run(task, { signal: over.signal });
    } catch (cause) {
      broken.throwIfAborted();
      throw new AppError('upstream_changed', 'a page that cannot be read within bounds', { cause });
    } finally {
      over.release();
    }
    if ('value' in outcome) return outcome.value;
    throw fromErrorData(outcome.failure);
  };
}
