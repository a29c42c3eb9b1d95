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
  /** Most bytes of a body that is collected. */
  readonly maxBytes: number;
  /** Set when the body may be streamed: bounds the pause between chunks; headers are then bounded by the deadline. */
  readonly flowTimeoutMs: number | undefined;
  readonly use: (head: ExchangeHead) => BodyUse;
  /** Called once when a streamed body has ended, failed or been destroyed. */
  readonly onFlowClosed: () => void;
}

export interface ExchangeHead {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
}

/** The body is collected in memory, streamed as it comes, or thrown away. */
export type BodyUse = 'collect' | 'flow' | 'discard';

export interface Exchanged {
  readonly head: ExchangeHead;
  readonly use: BodyUse;
  /** The collected body; empty for other uses. */
  readonly bytes: Buffer;
  /** The streamed body; undefined for other uses. Its errors are AppErrors. */
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

/** One way of sending requests. Connections by different outgoing addresses never mix, nor do those to overridden hosts. */
export interface Transport {
  route(host: string, outgoing: OutgoingAddress): Route;
  close(): Promise<void>;
}

/** A request to one address, and the transport to send it by. */
export interface HttpCall {
  /** Absolute https address on one of `hosts`. */
  readonly url: string | URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Over the `browser` transport these replace the emulated browser's own headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Every address, that of each redirect included, must be on this list; else the call fails with `forbidden`. */
  readonly hosts: readonly string[];
  /** A jar from which the cookies of every request are read and to which new ones are written. */
  readonly cookies?: CookieJar;
  /** Default `plain`. `browser`: a browser's TLS and HTTP/2 fingerprint, for fixed site hosts only; never for `stream`. */
  readonly transport?: 'plain' | 'browser';
}

/** One request on one connection: a call with redirects or retries makes several. */
export interface HttpEvent {
  readonly host: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly failure: AppError | undefined;
  readonly durationMs: number;
}
