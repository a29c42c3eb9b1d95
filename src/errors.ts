/**
 * The codes of all failures that a person may be told of. The sentences (i18n), HTTP statuses (api) and log levels are
 * tables over this list, so that a missing code is a compile error.
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

/** The log level of each code: what the operator can change is a warning or an error, mistakes of people are not. */
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

/** Values that a sentence about the error may contain; never secrets, never raw text of an upstream. */
export type ErrorParams = Readonly<Record<string, string | number>>;

export interface AppErrorOptions {
  readonly params?: ErrorParams | undefined;
  readonly cause?: unknown;
  /** Milliseconds after which another attempt makes sense; undefined when that is not known. */
  readonly retryAfterMs?: number | undefined;
}

/** The one error type between modules. `message` is for the log; people see the sentence for `code`. */
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

/** The store cannot be reached, is too slow or broken for now. People are not told: the failed work is repeated. */
export class StoreAway extends AppError {
  override readonly name = 'StoreAway';

  constructor(message: string, options: AppErrorOptions = {}) {
    super('internal', message, options);
  }
}

/**
 * Reads the error's stack. Until it is read, an error keeps all variables of its functions in memory: for a refused
 * answer that is the whole body, for as long as the failure is remembered.
 */
function forgetFrames(error: unknown): void {
  if (error instanceof Error) void error.stack;
}

/** The error for a request whose part `what` cannot be understood or fulfilled. */
export function invalidRequest(what: string, message: string, params: ErrorParams = {}, cause?: unknown): AppError {
  return new AppError('invalid_request', message, { params: { what, ...params }, cause });
}

/** Returns an AppError unchanged; wraps any other error as `internal`, with it as the cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', error instanceof Error ? error.message : 'unknown failure', { cause: error });
}

/** An error as plain data, because errors that are sent between threads lose their class. */
export type ErrorData = Pick<AppError, 'code' | 'message' | 'params' | 'retryAfterMs'>;

export function toErrorData(error: unknown): ErrorData {
  const { code, message, params, retryAfterMs } = toAppError(error);
  return { code, message, params, retryAfterMs };
}

export function fromErrorData({ code, message, params, retryAfterMs }: ErrorData): AppError {
  return new AppError(code, message, { params, retryAfterMs });
}
