import type { Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import type { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/abortable.ts';
import type { ResolveHost } from './address-guard.ts';
import type { OutgoingAddress } from './outgoing.ts';

export interface ExchangeOptions {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** The path and query of the address. */
  readonly path: string;
  /** Header names and values, alternating. */
  readonly headers: string[];
  readonly body: string | undefined;
  readonly deadline: Deadline;
  /** The largest body, in bytes, that is collected in memory. */
  readonly maxBytes: number;
  /** Set when the body may be streamed: the longest pause between chunks; the deadline then bounds the headers only. */
  readonly flowTimeoutMs: number | undefined;
  readonly use: (head: ExchangeHead) => BodyUse;
  /** Called once when a streamed body has ended, failed or been destroyed. */
  readonly onFlowClosed: () => void;
}

export interface ExchangeHead {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
}

/** The body is collected in memory, streamed as it comes, or thrown away. */
export type BodyUse = 'collect' | 'flow' | 'discard';

export interface Exchanged {
  readonly head: ExchangeHead;
  readonly use: BodyUse;
  /** The body, if it was collected; else empty. */
  readonly bytes: Buffer;
  /** The body, if it is streamed; else undefined. Its errors are AppErrors. */
  readonly flow: Readable | undefined;
}

export interface ExchangeFailure {
  readonly error: AppError;
  /** False when it is certain that no byte of the request reached the server. */
  readonly sent: boolean;
  /** True when the connection failed in a way that another attempt may avoid. */
  readonly transient: boolean;
}

export interface TransportOptions {
  readonly resolve: ResolveHost;
  /** The longest time to connect, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** The longest wait for the headers after a request was sent; `HttpClient.stream` sets a bound of its own. */
  readonly headersTimeoutMs: number;
  /** The longest pause between two chunks of a body; `HttpClient.stream` sets a bound of its own. */
  readonly pauseTimeoutMs: number;
}

/** The destination of a request. */
export interface Target {
  readonly host: string;
  /** The origin that is asked in place of `host`, without a throttle; undefined if the host is not overridden. */
  readonly override: string | undefined;
  readonly address: OutgoingAddress;
}

/** One way of sending requests. Each outgoing address, and each overridden host, has connections of its own. */
export interface Transport {
  /**
   * Runs the checks that must pass before anything is sent; returns undefined when there are none to wait for.
   * @throws AppError `forbidden`; `upstream_unavailable` with `params.what` when the transport cannot be used on this
   * machine; the deadline's failure
   */
  prepare(target: Target, deadline: Deadline): Promise<void> | undefined;
  /** Sends one request on one connection and receives its answer: no redirects, no retries. Never rejects. */
  exchange(target: Target, options: ExchangeOptions): Promise<Exchanged | ExchangeFailure>;
  close(): Promise<void>;
}

/** A request to one address, and the transport to send it by. */
export interface HttpCall {
  /** An absolute https address on one of `hosts`. */
  readonly url: string | URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Over the `browser` transport these replace the emulated browser's own headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Host names and patterns that the call may reach, redirects included; any other host fails with `forbidden`. */
  readonly hosts: readonly string[];
  /** A cookie jar: every request of the call sends its cookies, and new ones are stored in it. */
  readonly cookies?: CookieJar;
  /**
   * Default `plain`. `browser` has a browser's TLS and HTTP/2 fingerprint. It is meant for requests to the fixed hosts
   * of sites, and `HttpClient.stream` cannot use it.
   */
  readonly transport?: 'plain' | 'browser';
}

/** One request on one connection: a call with redirects or retries makes several. */
export interface HttpEvent {
  readonly host: string;
  /** The HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  readonly failure: AppError | undefined;
  readonly durationMs: number;
}
