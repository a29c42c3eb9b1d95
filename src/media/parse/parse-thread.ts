/**
 * A thread for pages of many megabytes: reading one where everything else runs would hold all the rest for as long. A page that
 * takes too much time or memory costs the thread, not the process.
 */
import type { Piscina } from 'piscina';
import { AppError, type ErrorCode, type ErrorParams, toAppError } from '../../errors.ts';
import { pageScripts } from './page-scripts.ts';

/** The sites' ordinary pages are shorter. */
const LARGE_CHARS = 1024 * 1024;
/** So much JSON is read within a few milliseconds, whatever it holds. */
const MANY_JSON_CHARS = 384 * 1024;

/**
 * Whether reading a text takes long enough for the thread: it is large, or much of its JSON has one of `names` in it, which is what
 * is read first. The way to the thread and back costs more than an ordinary page.
 */
export function isLarge(text: string, names: readonly string[]): boolean {
  if (text.length <= MANY_JSON_CHARS || text.length > LARGE_CHARS) return text.length > LARGE_CHARS;
  if (!text.trimStart().startsWith('<')) return true;
  let named = 0;
  for (const script of pageScripts(text)) {
    if (script.isJson && names.some(name => script.text.includes(name))) named += script.text.length;
  }
  return named > MANY_JSON_CHARS;
}

const MAX_READ_MS = 8_000;
const IDLE_MS = 60_000;
const MAX_WAITING = 64;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

/** What comes back from the thread: errors lose their class on the way. */
export type Outcome<Value> =
  | { readonly value: Value }
  | {
      readonly failure: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly params: ErrorParams;
        readonly retryAfterMs: number | undefined;
      };
    };

/** In the thread: what the work gives, or why it failed. */
export function outcomeOf<Value>(work: () => Value): Outcome<Value> {
  try {
    return { value: work() };
  } catch (error) {
    const { code, message, params, retryAfterMs } = toAppError(error);
    return { failure: { code, message, params, retryAfterMs } };
  }
}

/**
 * Calls `name` of the module `file`, which returns an `Outcome`, in a thread that is started with the first call and ended when idle.
 * @throws AppError what the work failed with; `upstream_changed` for a text that cannot be read within bounds, `timeout` when too
 * many wait.
 */
export function createParseThread<Task, Value>(file: URL, name: string): (task: Task) => Promise<Value> {
  let pool: Promise<Piscina<Task, Outcome<Value>>> | undefined;

  async function start(): Promise<Piscina<Task, Outcome<Value>>> {
    const { Piscina } = await import('piscina');
    return new Piscina<Task, Outcome<Value>>({
      filename: file.href,
      name,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      maxQueue: MAX_WAITING,
      resourceLimits: RESOURCE_LIMITS,
      env: {},
      execArgv: [],
    });
  }

  return async function parseInThread(task) {
    pool ??= start();
    const thread = await pool;
    if (thread.queueSize >= MAX_WAITING) throw new AppError('timeout', 'too many large pages wait to be read');
    let outcome: Outcome<Value>;
    try {
      outcome = await thread.run(task, { signal: AbortSignal.timeout(MAX_READ_MS) });
    } catch (cause) {
      throw new AppError('upstream_changed', 'a page that cannot be read within bounds', { cause });
    }
    if ('value' in outcome) return outcome.value;
    const { code, message, params, retryAfterMs } = outcome.failure;
    throw new AppError(code, message, { params, retryAfterMs });
  };
}
