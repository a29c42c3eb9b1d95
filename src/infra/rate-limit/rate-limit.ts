import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { createLru } from '../cache/cache.ts';

export interface RateLimitRule {
  /** Names the rule; the buckets of two rules are always separate. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  /** `clock`: windows start at multiples of windowMs since the epoch. `first`: at a key's first use. */
  readonly window: 'clock' | 'first';
}

export interface RateLimitState {
  readonly allowed: boolean;
  readonly limit: number;
  /** Units that are left, never below 0. */
  readonly remaining: number;
  /** Unix milliseconds when the bucket is full again. */
  readonly resetAt: number;
}

export interface RateLimiter {
  /** Takes `cost` units from the key's bucket; a refused call leaves the bucket as it was. */
  consume(rule: RateLimitRule, key: string, cost?: number): Promise<RateLimitState>;
}

export interface MemoryRateLimiterOptions {
  /** Buckets held in memory at once; beyond this the one used longest ago is forgotten and starts full. Default 100 000. */
  readonly maxKeys?: number;
}

/** Node's timers, which end a window, hold at most a 32-bit number of milliseconds. */
const MAX_WINDOW_MS = 2 ** 31 - 1;

/** A RateLimiter in this process. Its timers never keep the process alive. */
export function createMemoryRateLimiter({ maxKeys = 100_000 }: MemoryRateLimiterOptions = {}): RateLimiter {
  const counter = new RateLimiterMemory(UNLIMITED);
  /** The current window of each bucket. */
  const windows = createLru<string, string>({ max: maxKeys, dispose: name => void counter.delete(name) });

  return {
    async consume(rule, key, cost = 1) {
      const window = openWindow(rule, key, cost);
      windows.set(window.bucket, window.name);
      return takeFrom(counter, window, cost);
    },
  };
}

/** Options for counters that only count and expire: rules differ from call to call, so `takeFrom` compares the limit itself. */
export const UNLIMITED = { points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' };

/** The window that a call falls into. */
export interface RateLimitWindow {
  /** The bucket whose window it is. */
  readonly bucket: string;
  /** The name of the window's counter. */
  readonly name: string;
  readonly limit: number;
  /** Milliseconds until the window ends, if it begins now. */
  readonly lengthMs: number;
  /** Unix milliseconds; undefined when the window ends a fixed time after its first use. */
  readonly endsAt: number | undefined;
}

/**
 * The window that a call falls into.
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

/** Counts a call; units beyond the limit are given back at once. */
export async function takeFrom(
  counter: RateLimiterAbstract,
  { name, limit, lengthMs, endsAt }: RateLimitWindow,
  cost: number,
): Promise<RateLimitState> {
  const now = Date.now();
  const customDuration = lengthMs / 1_000;
  // A cost above the limit never fits, so one unit too many is enough.
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
