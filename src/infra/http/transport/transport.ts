import type { Deadline } from '../../concurrency/deadline.ts';
import type { ResolveHost } from './address-guard.ts';
import type { BodyTurns } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { OutgoingAddress } from './outgoing.ts';
import type { Overrides } from './overrides.ts';

export interface TransportOptions {
  readonly overrides?: Overrides | undefined;
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
