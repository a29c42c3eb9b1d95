import { type AppError, LOG_LEVELS } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Caller } from '../contract/caller.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** Logs each failure once, with its cause, at the level of its code; a failure that several people share is one line. */
export type FailureLog = (error: AppError, doing: string, caller: Caller) => void;

export function createFailureLog(log: Log): FailureLog {
  const logged = new WeakSet<AppError>();
  return (error, doing, { platform }) => {
    if (logged.has(error)) return;
    logged.add(error);
    log[LOG_LEVELS[error.code]]({ err: error, code: error.code, platform, doing }, 'a request failed');
  };
}
