import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { createLru } from '../cache/cache.ts';

export interface RateLimitRule {
  /** The rule's name; two rules never share a bucket. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** The beginning of a window. `clock`: a multiple of windowMs since the epoch; `first`: the first use of a key. */
  readonly window: 'clock' | 'first';
}

export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  /** Units that are left in the window, never below 0. */
  readonly remaining: number;
  /** The time at which the bucket is full again, unix milliseconds. */
  readonly resetAt: number;
}

export interface RateLimiter {
  /** Takes `cost` units from the key's bucket; a refused call takes none. */
  consume(rule: RateLimitRule, key: string, cost?: number): Promise<RateLimitState>;
}

/** The timers that end a window take at most a signed 32-bit number of milliseconds. */
const MAX_WINDOW_MS = 2 ** 31 - 1;

/**
 * A RateLimiter in this process. Its timers never keep the process alive.
 * @param maxKeys the most buckets in memory; if there are more, the least recently used one is forgotten, and is full
 * when it is used again
 */
export function createMemoryRateLimiter(maxKeys = 100_000): RateLimiter {
  const counter = new RateLimiterMemory(UNLIMITED);
  /** The name of each bucket's current window. */
  const windows = createLru<string, string>({ max: maxKeys, dispose: name => void counter.delete(name) });

  return {
    async consume(rule, key, cost = 1) {
      const window = openWindow(rule, key, cost);
      windows.set(window.bucket, window.name);
      return takeFrom(counter, window, cost);
    },
  };
}

/** Options for counters without a limit, because `takeFrom` compares the count with the limit of each rule. */
export const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' };

/** The window of time in which a call counts. */
export interface RateLimitWindow {
  /** The bucket to which the window belongs. */
  readonly bucket: string;
  /** The name of the window's counter. */
  readonly name: string;
  readonly limit: number;
  /** Milliseconds until the window ends; its whole length if it begins with its first use. */
  readonly lengthMs: number;
  /** When the window ends, unix milliseconds; undefined when it ends a fixed time after its first use. */
  readonly endsAt: number | undefined;
}

/**
 * The window in which a call counts.
 * @throws RangeError when the rule or the cost makes no sense to a limiter
 */
export function openWindow(rule: RateLimitRule, key: string, cost: number): RateLimitWindow {
  const { name, limit, windowMs } = rule;
  const isWindow = Number.isSafeInteger(windowMs) && windowMs > 0 && windowMs <= MAX_WINDOW_MS;
  const isSound = isWindow && Number.isSafeInteger(limit) && limit >= 0 && Number.isSafeInteger(cost) && cost >= 0;
  if (!isSound) throw new RangeError(`rule ${name} or cost ${cost} is out of range`);
  const bucket = `${name}:${rule.window}:${windowMs}:${key}`;
  if (rule.window === 'first') return { bucket, name: bucket, limit, lengthMs: windowMs, endsAt: undefined };
  const now = Date.now();
  const index = Math.floor(now / windowMs);
  const endsAt = (index + 1) * windowMs;
  return { bucket, name: `${bucket}@${index}`, limit, lengthMs: endsAt - now, endsAt };
}

/** Counts a call in a window; when it exceeds the limit, its units are given back at once. */
export async function takeFrom(
  counter: RateLimiterAbstract,
  { name, limit, lengthMs, endsAt }: RateLimitWindow,
  cost: number,
): Promise<RateLimitState> {
  const now = Date.now();
  const customDuration = lengthMs / 1_000;
  // A cost above the limit never fits, so taking one unit more than the limit is enough to refuse it.
  const taken = Math.min(cost, limit + 1);
  const { consumedPoints, msBeforeNext } = await counter.consume(name, taken, { customDuration });
  const allowed = consumedPoints <= limit;
  if (!allowed) await counter.reward(name, taken, { customDuration });
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - (allowed ? consumedPoints : consumedPoints - taken)),
    // After the clock was set back the counter believes that a longer time is left than the window has.
    resetAt: endsAt ?? Math.ceil(now + Math.min(msBeforeNext, lengthMs)),
  };
}
