import { AppError } from '../errors.ts';
import { createLru } from './cache/cache.ts';
import type { Logger } from './log.ts';

type Level = 'info' | 'warn' | 'error';

/** Counts the lines of one kind that were not written, and can write the last of them. */
interface Sum {
  readonly write: (details: object) => void;
  times: number;
  last: object;
  readonly timer: NodeJS.Timeout;
}

const MINUTE_MS = 60_000;
/** The most kinds of lines: messages, routes and codes are fixed in Medley's code, so there are not more. */
const MAX_KINDS = 500;

/**
 * A log for events that strangers can cause as often as they like. The first line of a kind is written at once; of the
 * later ones only the latest, once a minute, with their number in `times`. `debug` lines are never held back.
 */
export function createSummedLog(log: Logger) {
  const sums = createLru<string, Sum>({ max: MAX_KINDS, dispose: sum => end(sum) });

  function say(sum: Sum): void {
    if (sum.times > 0) sum.write({ ...fieldsOf(sum.last), times: sum.times });
    sum.times = 0;
  }

  function end(sum: Sum): void {
    clearInterval(sum.timer);
    say(sum);
  }

  function wrap(lines: Logger): Logger {
    const summed = (level: Level) => (details: object, message: string) => {
      const kind = kindOf(level, details, message);
      const sum = sums.get(kind);
      if (sum !== undefined) {
        sum.times += 1;
        sum.last = details;
        return;
      }
      const write = (shown: object) => lines[level](shown, message);
      write(details);
      const timer = setInterval(() => (begun.times === 0 ? sums.delete(kind) : say(begun)), MINUTE_MS).unref();
      const begun: Sum = { write, times: 0, last: details, timer };
      sums.set(kind, begun);
    };
    return {
      debug: (details, message) => lines.debug(details, message),
      info: summed('info'),
      warn: summed('warn'),
      error: summed('error'),
      child: bindings => wrap(lines.child(bindings)),
    };
  }

  return {
    ...wrap(log),
    /** Writes the lines that were so far only counted. */
    flush: () => sums.forEach(say),
  };
}

function fieldsOf(details: object): object {
  return details instanceof Error ? { err: details } : details;
}

function kindOf(level: Level, details: object, message: string): string {
  const fields = fieldsOf(details);
  const error: unknown = Reflect.get(fields, 'err');
  const what = error instanceof AppError ? error.params.what : undefined;
  return JSON.stringify([level, message, Reflect.get(fields, 'route'), Reflect.get(fields, 'code'), what]);
}
