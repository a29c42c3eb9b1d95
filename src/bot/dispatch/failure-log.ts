import type { AppError, ErrorCode } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { Caller } from '../command.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** People's slips are no news; what the owner can mend is. */
const LOG_LEVELS: Readonly<Record<ErrorCode, 'debug' | 'info' | 'warn' | 'error'>> = {
  invalid_request: 'debug',
  unsupported_link: 'debug',
  not_found: 'debug',
  private: 'debug',
  login_required: 'info',
  age_restricted: 'info',
  region_blocked: 'info',
  upstream_rate_limited: 'warn',
  upstream_unavailable: 'warn',
  upstream_changed: 'error',
  too_large: 'info',
  timeout: 'warn',
  rate_limited: 'debug',
  credentials_required: 'warn',
  forbidden: 'debug',
  internal: 'error',
};

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
