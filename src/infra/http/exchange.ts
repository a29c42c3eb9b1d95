import type { Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import type { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/abortable.ts';
import type { ResolveHost } from './address-guard.ts';
import type { Overrides } from './host-list.ts';
import type { OutgoingAddress } from './outgoing.ts';

/** One request and its answer on one connection: no redirects, no retries. Never rejects. */
export type Exchange = (options: ExchangeOptions) => Promise<Exchanged | ExchangeFailure>;

export interface ExchangeOptions {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: string[];
  readonly body: string | undefined;
  readonly deadline: Deadline;
  /** For `collect`. */
  readonly maxBytes: number;
  /** Set when the body may flow: bounds the pause between chunks; headers are then bounded by the deadline. */
  readonly flowTimeoutMs: number | undefined;
  readonly use: (head: ExchangeHead) => BodyUse;
  /** Called once when a flowing body has ended, failed or been destroyed. */
  readonly onFlowClosed: () => void;
}

export interface ExchangeHead {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
}

/** A body is collected in memory, handed on as it flows, or thrown away. */
export type BodyUse = 'collect' | 'flow' | 'discard';

export interface Exchanged {
  readonly head: ExchangeHead;
  readonly use: BodyUse;
  /** Empty unless collected. */
  readonly bytes: Buffer;
  /** Only when it flows. Its errors are AppErrors. */
  readonly flow: Readable | undefined;
}

export interface ExchangeFailure {
  readonly error: AppError;
  /** False when no byte of the request can have reached the server. */
  readonly sent: boolean;
  /** True when the connection failed in a way that the next attempt may not. */
  readonly transient: boolean;
}

export interface TransportOptions {
  readonly overrides?: Overrides | undefined;
  readonly resolve: ResolveHost;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly pauseTimeoutMs: number;
}

/** How one host is reached. */
export interface Route {
  /** Overridden hosts are asked without a throttle. */
  readonly overridden: boolean;
  /**
   * Checks that come before anything is sent and that the connection cannot make. Undefined when there are none.
   *
   * @throws AppError `forbidden`; `upstream_unavailable` with `params.what` when the transport cannot be used here; the deadline's failure
   */
  prepare(deadline: Deadline): Promise<void> | undefined;
  readonly exchange: Exchange;
}

/** One way of sending requests. Connections by different outgoing addresses, and to overridden hosts, never mix. */
export interface Transport {
  route(host: string, outgoing: OutgoingAddress): Route;
  close(): Promise<void>;
}

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
