import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** What one request came to; status 0 when it failed. */
export interface Seen {
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly body: string;
}

const TIMEOUT_MS = 20_000;
const MAX_BODY = 200_000;

/** Asks on a connection of its own, from an address of loopback. Never rejects. */
export function ask(url: string, from = '127.0.0.99', headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const startedAt = performance.now();
  return new Promise(resolve => {
    let [bytes, body] = [0, ''];
    const end = (status: number) => resolve({ status, ms: performance.now() - startedAt, bytes, body });
    const asked = request(url, { agent: false, localAddress: from, timeout: TIMEOUT_MS, headers }, response => {
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (body.length < MAX_BODY) body += chunk.toString('latin1');
      });
      response.once('end', () => end(response.statusCode ?? 0));
      response.once('error', () => end(0));
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => end(0));
    asked.end();
  });
}

/** What many requests, one after the other, came to. */
export interface Sample {
  readonly p50: number;
  readonly p95: number;
  readonly failed: number;
  readonly count: number;
}

export async function sample(count: number, one: () => Promise<Seen>, pauseMs = 20): Promise<Sample> {
  const times: number[] = [];
  let failed = 0;
  for (let i = 0; i < count; i += 1) {
    const { status, ms } = await one();
    times.push(ms);
    if (status < 200 || status >= 300) failed += 1;
    await pause(pauseMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), failed, count };
}

/** Two figures of a few milliseconds differ by what the machine does besides. */
const NOISE_MS = 15;

/** Prints both and says whether the second is at most twice the first. */
export function compare(say: (line: string) => void, what: string, before: Sample, during: Sample): boolean {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const ratio = during.p95 / before.p95;
  say(
    `${what}: p95 ${ms(before.p95)} before, ${ms(during.p95)} during (x${ratio.toFixed(2)}), ` +
      `p50 ${ms(before.p50)} and ${ms(during.p50)}, failed ${before.failed} and ${during.failed} of ${during.count}`,
  );
  const isQuick = ratio <= 2 || during.p95 - before.p95 <= NOISE_MS;
  return isQuick && during.failed === 0;
}
