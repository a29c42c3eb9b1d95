import { type DestinationStream, destination as openDestination, pino } from 'pino';
import { cleanDetails, scrub } from './log-redaction.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** One line, one event. `details` may be an Error; secrets in it are taken out, however deep they are. */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** The same log with `bindings` on every line. */
  child(bindings: Readonly<Record<string, unknown>>): Logger;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Default: stderr, written at once so that the last words before an exit are not lost. */
  readonly destination?: DestinationStream;
}

/** JSON lines `{ level, time, ...details, msg }`; `level` is a word, `time` ISO 8601. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // `details` come here cleaned; pino's own error serialiser would only see plain objects.
    serializers: { err: (value: unknown) => value },
  };
  return wrap(pino(options, destination ?? openDestination({ dest: 2, sync: true })));
}

type Lines = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'child' | 'isLevelEnabled'>;

function wrap(lines: Lines): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (details: object, message: string) => {
    if (!lines.isLevelEnabled(level)) return;
    lines[level](cleanDetails(details), scrub(message));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: bindings => wrap(lines.child(cleanDetails(bindings))),
  };
}
