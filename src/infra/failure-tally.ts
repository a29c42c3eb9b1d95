import { createLru } from './cache/cache.ts';
import type { Logger } from './log.ts';

/** One kind of failure: the logged message and its cause, with a count. */
export interface FailureCount {
  /** The message of the log line, which never contains what people write. */
  readonly message: string;
  /** An error code or the name of an error; undefined when the log line has neither. */
  readonly cause: string | undefined;
  readonly count: number;
  /** The time of the last failure of this kind, unix milliseconds. */
  readonly lastAt: number;
}

export type FailureTally = ReturnType<typeof createFailureTally>;

const MAX_KINDS = 50;
const CODE = /^[\w.-]{1,40}$/;

/**
 * Counts the latest failures of this process by message and cause, in memory only. Only error codes are kept of a
 * failure's details, so it holds no secret and no text of people.
 */
export function createFailureTally(now: () => number = Date.now) {
  const counts = createLru<string, FailureCount>({ max: MAX_KINDS });

  function note(details: object, message: string): void {
    const cause = causeOf(details);
    const key = `${message} ${cause}`;
    const times: unknown = Reflect.get(details, 'times');
    const more = typeof times === 'number' ? times : 1;
    counts.set(key, { message, cause, count: (counts.peek(key)?.count ?? 0) + more, lastAt: now() });
  }

  /** A logger that writes to the given one and counts its warnings and errors. */
  function watching(log: Logger): Logger {
    const counted = (level: 'warn' | 'error') => (details: object, message: string) => {
      note(details, message);
      log[level](details, message);
    };
    return {
      debug: (details, message) => log.debug(details, message),
      info: (details, message) => log.info(details, message),
      warn: counted('warn'),
      error: counted('error'),
      child: bindings => watching(log.child(bindings)),
    };
  }

  /** All kinds of failures, the most recent first. */
  const list = (): readonly FailureCount[] => [...counts.values()];
  return { list, watching };
}

function causeOf(details: object): string | undefined {
  const error: unknown = details instanceof Error ? details : Reflect.get(details, 'err');
  if (!(error instanceof Error)) return undefined;
  const below = codeOf(error.cause);
  return [codeOf(error), below].filter(code => code !== undefined).join(' < ') || undefined;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code: unknown = 'code' in error ? error.code : undefined;
  return [code, error.name].find(each => typeof each === 'string' && CODE.test(each))?.toString();
}
