/** A closed loop of requests: each worker sends its next when the last has been answered in full. */
import { Pool } from 'undici';

export interface LoadRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  readonly requests: number;
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

/**
 * Loads `origin` for `durationMs` or until `maxRequests` were sent.
 * @throws Error on the first answer that is not 200: a fast refusal is no result.
 */
export async function load({ origin, atOnce, durationMs, maxRequests, next }: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: atOnce, pipelining: 1 });
  const times: number[] = [];
  const start = performance.now();
  const end = start + durationMs;
  let sent = 0;
  async function work(): Promise<void> {
    while (performance.now() < end && sent < maxRequests) {
      sent += 1;
      const { path, method, headers, body } = next();
      const from = performance.now();
      const answer = await pool.request({ path, method, headers, ...(body === undefined ? {} : { body }) });
      if (answer.statusCode !== 200) {
        throw new Error(`${answer.statusCode} from ${origin}: ${(await answer.body.text()).slice(0, 300)}`);
      }
      for await (const _chunk of answer.body);
      times.push(performance.now() - from);
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
    perSecond: times.length / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  };
}
