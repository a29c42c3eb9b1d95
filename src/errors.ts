/**
 * The codes of everything that can go wrong and that a person may hear about. The union is closed: the sentences (i18n), the HTTP statuses
 * (api) and the log levels are exhaustive tables over it, so that a forgotten code is a compile error.
 */
export const ERROR_CODES = [
  'invalid_request',
  'unsupported_link',
  'not_found',
  'private',
  'login_required',
  'age_restricted',
  'region_blocked',
  'upstream_rate_limited',
  'upstream_unavailable',
  'upstream_changed',
  'too_large',
  'timeout',
  'rate_limited',
  'credentials_required',
  'forbidden',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** The log level of each failure: people's mistakes are no news to the operator, failures that the operator can mend are. */
export const LOG_LEVELS: Readonly<Record<ErrorCode, 'debug' | 'info' | 'warn' | 'error'>> = {
  invalid_request: 'debug',
  unsupported_link: 'debug',
  not_found: 'debug',
  private: 'debug',
  login_required: 'info',
  age_restricted: 'debug',
  region_blocked: 'info',
  upstream_rate_limited: 'warn',
  upstream_unavailable: 'warn',
  upstream_changed: 'error',
  too_large: 'debug',
  timeout: 'warn',
  rate_limited: 'debug',
  credentials_required: 'info',
  forbidden: 'info',
  internal: 'error',
};

/** Values that a sentence about the error may name; never secrets, never raw upstream text. */
export type ErrorParams = Readonly<Record<string, string | number>>;

export interface AppErrorOptions {
  readonly params?: ErrorParams | undefined;
  readonly cause?: unknown;
  /** Milliseconds after which trying again makes sense. */
  readonly retryAfterMs?: number | undefined;
}

/** The one error type that crosses the border of a module. `message` is for the log; people see the sentence for `code`. */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.params = options.params ?? {};
    this.retryAfterMs = options.retryAfterMs;
    forgetFrames(this);
    forgetFrames(options.cause);
  }
}

/** The store is unreachable, too slow or broken for now. People are not told of it: whatever needs the store is done again later. */
export class StoreAway extends AppError {
  override readonly name = 'StoreAway';

  constructor(message: string, options: AppErrorOptions = {}) {
    super('internal', message, options);
  }
}

/**
 * Reads the error's stack, because until then the error keeps all variables of its functions alive: for a refused answer that is the whole body,
 * kept as long as the failure is remembered.
 */
function forgetFrames(error: unknown): void {
  if (error instanceof Error) void error.stack;
}

/** An AppError unchanged; any other error wrapped as `internal`, as its cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', error instanceof Error ? error.message : 'unknown failure', { cause: error });
}
