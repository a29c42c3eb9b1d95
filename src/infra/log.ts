import { pino } from 'pino';
import { openLogDestination } from './log-destination.ts';
import { cleanDetails, scrub } from './log-redaction.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * A log of events, one line each. `details` may be an Error; secrets in it are removed at any depth. Errors are
 * summarized in a few hundred characters, and written with their stacks where the level is `debug` or below.
 */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** A logger that writes the same lines as this one, with the values of `bindings` added to each. */
  child(bindings: Readonly<Record<string, unknown>>): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Receives the lines. Default: stderr. */
  readonly destination?: { write(line: string): void };
}

/** Creates a log of JSON lines `{ level, time, ...details, msg }`; `level` is a word, `time` ISO 8601. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // `details` have been cleaned already; pino's own serialiser would look for Error objects.
    serializers: { err: (value: unknown) => value },
  };
  return wrap(pino(options, destination ?? openLogDestination()));
}

type Lines = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'child' | 'isLevelEnabled'>;

function wrap(lines: Lines): Logger {
  // At `debug` errors are logged with their stacks; at other levels as one short line.
  const isBrief = !lines.isLevelEnabled('debug');
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (details: object, message: string) => {
    if (!lines.isLevelEnabled(level)) return;
    lines[level](cleanDetails(details, isBrief), scrub(message));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: bindings => wrap(lines.child(cleanDetails(bindings))),
  };
}
