import type { CookieJar } from 'tough-cookie';
import type { AppError } from '../../errors.ts';

/** A request to one address, and the transport to send it by. */
export interface HttpCall {
  /** Absolute https address on one of `hosts`. */
  readonly url: string | URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Over the `browser` transport they replace the emulated browser's own of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Every address, that of each redirect included, must be on this list; else `forbidden`. */
  readonly hosts: readonly string[];
  /** Cookies read from and written to it with every request. */
  readonly cookies?: CookieJar;
  /** Default `plain`. `browser`: a browser's TLS and HTTP/2 fingerprint, for fixed site hosts only; never for `stream`. */
  readonly transport?: 'plain' | 'browser';
}

/** One request on one connection: a redirected or repeated call makes several. */
export interface HttpEvent {
  readonly host: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly failure: AppError | undefined;
  readonly durationMs: number;
}
