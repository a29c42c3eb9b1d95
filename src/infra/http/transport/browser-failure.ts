import { AppError } from '../../../errors.ts';
import { type Failure, readFailure } from './read-failure.ts';

/** Errors of the package have no codes, only words. */
const CONNECT = /client error \((?:Proxy)?Connect\)/;
const TIMED_OUT = /timed out/;
const MISUSE = /builder error/;
/** The connection itself, not what was said on it: no certificate that is refused, no answer that cannot be read. */
const TRANSIENT =
  /Connect\): .*(?:os error|unexpected EOF|timed out)|SendRequest\): .*(?:closed|reset|refused|broken pipe|stream error)|reading a body/;

/**
 * Reads an error of the browser transport. Its words are kept, the request's address is not.
 *
 * @param wasSent whether the request had been handed over
 */
export function readBrowserFailure(
  cause: Error,
  origin: string,
  wasSent: boolean,
): Failure & { readonly sent: boolean } {
  if (!wasSent) return { ...readFailure(cause, origin), sent: false };
  if (cause instanceof AppError) return { error: cause, transient: false, sent: true };
  const reason = cause.message
    .replace(/^Error: /, '')
    .replace(/^[A-Z]+ \S+: /, '')
    .replace(/ for uri \(\S*\)/g, '');
  const code = MISUSE.test(reason) ? 'internal' : TIMED_OUT.test(reason) ? 'timeout' : 'upstream_unavailable';
  return {
    error: new AppError(code, `${origin}: ${reason}`, { cause: new Error(reason) }),
    transient: TRANSIENT.test(reason),
    sent: !CONNECT.test(reason) && code !== 'internal',
  };
}
