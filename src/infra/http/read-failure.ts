import { AppError } from '../../errors.ts';
import type { ExchangeFailure } from './exchange.ts';

/** Params of an error that one of Medley's own limits caused and that says nothing against the site. */
export const OWN_DOING = { params: { own: 1 } } as const;

/** True when Medley's own limit caused the failure: a full queue, a wait that was too long, the byte cap. */
export function isOwnDoing(error: AppError): boolean {
  return error.params.own === 1;
}

const TIMEOUTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);
const MISUSES: ReadonlySet<unknown> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);
const TRANSIENT: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EAI_AGAIN',
]);

/** Turns an error of Node or undici into a failure, by its code. */
export function readFailure(cause: Error, origin: string): Omit<ExchangeFailure, 'sent'> {
  if (cause instanceof AppError) return { error: cause, transient: false };
  const code = 'code' in cause ? cause.code : undefined;
  const message = `${origin}: ${cause.message}`;
  if (MISUSES.has(code)) return { error: new AppError('internal', message, { cause }), transient: false };
  const error = new AppError(TIMEOUTS.has(code) ? 'timeout' : 'upstream_unavailable', message, { cause });
  return { error, transient: TRANSIENT.has(code) };
}

/** The error for an answer that is longer than the byte cap. */
export function tooLarge(origin: string, maxBytes: number): AppError {
  return new AppError('too_large', `${origin} sends more than ${maxBytes} bytes`, OWN_DOING);
}

/** Recognises the message of a failed connection, because errors of the package wreq-js have no codes. */
const CONNECT = /client error \((?:Proxy)?Connect\)/;
const TIMED_OUT = /timed out/;
const MISUSE = /builder error/;
/** Messages of a connection that failed; a refused certificate or an answer that cannot be read is not among them. */
const TRANSIENT_WORDS =
  /Connect\): .*(?:os error|unexpected EOF|timed out)|SendRequest\): .*(?:closed|reset|refused|broken pipe|stream error)|reading a body/;

/**
 * Turns an error of the browser transport into a failure. It keeps the error's message but not the request's address.
 * @param wasSent whether the request had been sent
 */
export function readBrowserFailure(cause: Error, origin: string, wasSent: boolean): ExchangeFailure {
  if (!wasSent) return { ...readFailure(cause, origin), sent: false };
  if (cause instanceof AppError) return { error: cause, transient: false, sent: true };
  const reason = cause.message
    .replace(/^Error: /, '')
    .replace(/^[A-Z]+ \S+: /, '')
    .replace(/ for uri \(\S*\)/g, '');
  const code = MISUSE.test(reason) ? 'internal' : TIMED_OUT.test(reason) ? 'timeout' : 'upstream_unavailable';
  return {
    error: new AppError(code, `${origin}: ${reason}`, { cause: new Error(reason) }),
    transient: TRANSIENT_WORDS.test(reason),
    sent: !CONNECT.test(reason) && code !== 'internal',
  };
}
