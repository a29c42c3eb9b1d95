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

export function isFailure(result: Exchanged | ExchangeFailure): result is ExchangeFailure {
  return 'error' in result;
}

type Header = readonly [name: string, value: string];

/** Headers that a browser opens a page with, in its order (Chrome, 2026); others come where `others` stands. */
const ORDER: readonly string[] = [
  'host',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'upgrade-insecure-requests',
  'user-agent',
  'accept',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-user',
  'sec-fetch-dest',
  'referer',
  'accept-encoding',
  'accept-language',
  'others',
  'cookie',
  'priority',
];
const RANKS: ReadonlyMap<string, number> = new Map(ORDER.map((name, rank) => [name, rank]));

function rankOf([name]: Header): number {
  return RANKS.get(name.toLowerCase()) ?? ORDER.indexOf('others');
}

/** The headers of a request that opens a page, in the order of a browser; those of any other request as they are. */
export function inNavigationOrder(headers: readonly Header[]): readonly Header[] {
  const opensPage = headers.some(([name]) => name.toLowerCase() === 'upgrade-insecure-requests');
  return opensPage ? headers.toSorted((a, b) => rankOf(a) - rankOf(b)) : headers;
}
