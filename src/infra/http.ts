import type { Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import { AppError } from '../errors.ts';

/**
 * Host names a request may reach: `example.com` is exact, `*.example.com` any subdomain (not the bare suffix).
 */
export type HostList = readonly string[];

export interface HttpRequest {
  /** Absolute https address on one of `hosts`. */
  readonly url: string | URL;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Every hop, the first included, must be on this list; else `forbidden`. */
  readonly hosts: HostList;
  /** Whole call, redirects and retries included. Default 10 000. */
  readonly timeoutMs?: number;
  /** Body bytes after decompression beyond which the call fails with `too_large`. Default 8 MiB (ignored by `stream`). */
  readonly maxBytes?: number;
  /** Redirects followed, default 5. 0 hands the 3xx itself back. */
  readonly maxRedirects?: number;
  /** Tries after the first on connection failures, 502, 503, 504 and 429. Default 1 for GET and HEAD, 0 for POST. */
  readonly retries?: number;
  /** Cookies read from and written to it on every hop. */
  readonly cookies?: CookieJar;
  readonly signal?: AbortSignal;
}

export interface HttpHead {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, ` (except `set-cookie`, which only the jar sees). */
  readonly headers: Readonly<Record<string, string>>;
  /** Address of the last hop. */
  readonly url: string;
}

export interface HttpResponse extends HttpHead {
  /** Body decoded as UTF-8. */
  readonly text: string;
}

export interface HttpStream extends HttpHead {
  /** Must be consumed or destroyed; aborting the request's signal destroys it. */
  readonly body: Readable;
}

/**
 * The one door to the outside. Any status is a value, never an error: callers classify. Failures to get an answer are AppErrors:
 * `timeout`, `upstream_unavailable` (connection, TLS, DNS, broken body, redirect loop), `too_large`, `forbidden` (host, scheme or address
 * that is not allowed), each with its cause.
 */
export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Headers now, body as it flows; `timeoutMs` then bounds headers and the pause between chunks, not the whole. */
  stream(request: HttpRequest): Promise<HttpStream>;
  close(): Promise<void>;
}
