import { createLru } from './cache/cache.ts';
import type { Logger } from './log.ts';

/** One kind of failure: what was logged of it, by which cause. */
export interface FailureCount {
  /** The line's own message, which is never made of what people write. */
  readonly message: string;
  /** A code or an error's name. */
  readonly cause: string | undefined;
  readonly count: number;
  /** Unix milliseconds. */
  readonly lastAt: number;
}

export type FailureTally = ReturnType<typeof createFailureTally>;

const MAX_KINDS = 50;
const CODE = /^[\w.-]{1,40}$/;

/** The last failures of this process, by cause, in memory alone. Of details only codes are kept: no secret and no text of people is in them. */
export function createFailureTally(now: () => number = Date.now) {
  const counts = createLru<string, FailureCount>({ max: MAX_KINDS });

  function note(details: object, message: string): void {
    const cause = causeOf(details);
    const key = `${message} ${cause}`;
    const times: unknown = Reflect.get(details, 'times');
    const more = typeof times === 'number' ? times : 1;
    counts.set(key, { message, cause, count: (counts.peek(key)?.count ?? 0) + more, lastAt: now() });
  }

  /** The same log, whose warnings and errors are counted. */
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

  /** The last one first. */
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
