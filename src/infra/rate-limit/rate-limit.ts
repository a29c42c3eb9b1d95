import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { createLru } from '../cache/cache.ts';

export interface RateLimitRule {
  /** Names the bucket family; keys of two rules never meet. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** `clock`: windows start at multiples of windowMs since the epoch. `first`: at a key's first use. */
  readonly window: 'clock' | 'first';
}

export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Unix milliseconds when the bucket is full again. */
  readonly resetAt: number;
}

export interface RateLimiter {
  /** Takes `cost` units from the key's bucket; a refused call takes nothing that was left. */
  consume(rule: RateLimitRule, key: string, cost?: number): Promise<RateLimitState>;
}

export interface MemoryRateLimiterOptions {
  /** Buckets held at once; beyond it the one used longest ago is forgotten and starts full. Default 100 000. */
  readonly maxKeys?: number;
}

/** Node's timers, which end a bucket, hold no more than a 32-bit number of milliseconds. */
const MAX_WINDOW_MS = 2 ** 31 - 1;

/** A RateLimiter in this process. Its timers never keep the process alive. */
export function createMemoryRateLimiter({ maxKeys = 100_000 }: MemoryRateLimiterOptions = {}): RateLimiter {
  const counter = new RateLimiterMemory(UNLIMITED);
  /** The running window of each bucket. */
  const windows = createLru<string, string>({ max: maxKeys, dispose: name => void counter.delete(name) });

  return {
    async consume(rule, key, cost = 1) {
      const window = openWindow(rule, key, cost);
      windows.set(window.bucket, window.name);
      return takeFrom(counter, window, cost);
    },
  };
}

/** Rules differ by call, so counters only count and forget, and the limit is compared here. */
export const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' };

/** The window that a call falls into. */
export interface RateLimitWindow {
  /** The bucket whose window it is. */
  readonly bucket: string;
  /** The name of its counter. */
  readonly name: string;
  readonly limit: number;
  /** Until it ends, if it begins now. */
  readonly lengthMs: number;
  /** Unix milliseconds; undefined when it ends by its first use. */
  readonly endsAt: number | undefined;
}

/** @throws RangeError when no limiter can go by this */
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

/** Counts a call; what does not fit is given back at once. */
export async function takeFrom(
  counter: RateLimiterAbstract,
  { name, limit, lengthMs, endsAt }: RateLimitWindow,
  cost: number,
): Promise<RateLimitState> {
  const now = Date.now();
  const customDuration = lengthMs / 1_000;
  // More than the whole fits no better.
  const taken = Math.min(cost, limit + 1);
  const { consumedPoints, msBeforeNext } = await counter.consume(name, taken, { customDuration });
  const allowed = consumedPoints <= limit;
  if (!allowed) await counter.reward(name, taken, { customDuration });
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - (allowed ? consumedPoints : consumedPoints - taken)),
    resetAt: endsAt ?? Math.ceil(now + msBeforeNext),
  };
}
