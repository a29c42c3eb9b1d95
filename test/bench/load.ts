/** A closed loop of requests: each worker sends its next when the last has been answered in full. */
import { Pool } from 'undici';

export interface LoadRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  /** Those that were answered with 200; the others, lost ones included, are counted apart and are no part of the times. */
  readonly requests: number;
  readonly refused: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface LoadOptions {
  readonly origin: string;
  readonly atOnce: number;
  readonly durationMs: number;
  readonly maxRequests: number;
  next(): LoadRequest;
}

/** Of values in ascending order. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Loads `origin` for `durationMs` or until `maxRequests` were sent. */
export async function load({ origin, atOnce, durationMs, maxRequests, next }: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: atOnce, pipelining: 1 });
  const times: number[] = [];
  const start = performance.now();
  const end = start + durationMs;
  let sent = 0;
  let refused = 0;
  /** @returns the status, or undefined where the connection was lost */
  async function ask(request: LoadRequest): Promise<number | undefined> {
    try {
      const answer = await pool.request(request);
      for await (const _chunk of answer.body);
      return answer.statusCode;
    } catch {
      return undefined;
    }
  }
  async function work(): Promise<void> {
    while (performance.now() < end && sent < maxRequests) {
      sent += 1;
      const request = next();
      const from = performance.now();
      const status = await ask(request);
      // A fast refusal is no result.
      if (status === 200) times.push(performance.now() - from);
      else refused += 1;
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await pool.destroy();
  }
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    refused,
    perSecond: times.length / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}
