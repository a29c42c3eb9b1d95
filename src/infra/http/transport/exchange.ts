import type { Readable } from 'node:stream';
import type { AppError } from '../../../errors.ts';
import type { Deadline } from '../../concurrency/deadline.ts';

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

/** What becomes of a body: all of it in memory, handed on as it flows, or thrown away. */
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
  /** Whether the connection failed in a way that the next attempt may not. */
  readonly transient: boolean;
}

export function isFailure(result: Exchanged | ExchangeFailure): result is ExchangeFailure {
  return 'error' in result;
}
