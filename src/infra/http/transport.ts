import type { Deadline } from '../concurrency/deadline.ts';
import type { ResolveHost } from './address-guard.ts';
import type { BodyTurns } from './body-turns.ts';
import type { Exchange } from './exchange.ts';
import type { HttpCall } from './http-call.ts';
import type { Overrides } from './overrides.ts';

export interface TransportOptions {
  readonly overrides?: Overrides | undefined;
  /** `http://user:password@host:port` of a proxy that understands CONNECT. */
  readonly proxyUrl?: string | undefined;
  readonly resolve: ResolveHost;
  readonly turns: BodyTurns;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly pauseTimeoutMs: number;
}

/** How one host is reached. */
export interface Route {
  /** Overridden hosts are asked without a throttle. */
  readonly overridden: boolean;
  /**
   * What must be done before anything is sent and is not the connection's to check. Undefined when there is nothing.
   *
   * @throws AppError `forbidden`; `upstream_unavailable` with `params.what` when the transport cannot be used here; the deadline's failure
   */
  prepare(deadline: Deadline): Promise<void> | undefined;
  readonly exchange: Exchange;
}

/** One way of sending requests. Connections to public, proxied and overridden hosts never mix. */
export interface Transport {
  route(host: string, proxy: HttpCall['proxy']): Route;
  close(): Promise<void>;
}
