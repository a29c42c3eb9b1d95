import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';

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

interface Bucket {
  /** Name of the running window's counter. */
  counter: string;
  /** Settles when the calls that came before have taken their share. */
  turn: Promise<unknown>;
}

/** A RateLimiter in this process. Its timers never keep the process alive. */
export function createMemoryRateLimiter({ maxKeys = 100_000 }: MemoryRateLimiterOptions = {}): RateLimiter {
  // It only counts and forgets: rules differ by call, so the limit is compared here.
  const counters = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' });
  const buckets = new LRUCache<string, Bucket>({
    max: maxKeys,
    dispose: bucket => void counters.delete(bucket.counter),
  });

  function openBucket(name: string): Bucket {
    const known = buckets.get(name);
    if (known !== undefined) return known;
    const bucket: Bucket = { counter: name, turn: Promise.resolve() };
    buckets.set(name, bucket);
    return bucket;
  }

  async function take(bucket: Bucket, name: string, rule: RateLimitRule, cost: number): Promise<RateLimitState> {
    const now = Date.now();
    const clockWindow = Math.floor(now / rule.windowMs);
    const isClock = rule.window === 'clock';
    bucket.counter = isClock ? `${name}@${clockWindow}` : name;
    const customDuration = (isClock ? (clockWindow + 1) * rule.windowMs - now : rule.windowMs) / 1_000;
    // Taking nothing reads the bucket and, unlike a plain read, opens its window.
    const before = await counters.consume(bucket.counter, 0, { customDuration });
    const allowed = before.consumedPoints + cost <= rule.limit;
    const after = allowed ? await counters.consume(bucket.counter, cost, { customDuration }) : before;
    return {
      allowed,
      limit: rule.limit,
      remaining: Math.max(0, rule.limit - after.consumedPoints),
      resetAt: isClock ? (clockWindow + 1) * rule.windowMs : Math.ceil(now + before.msBeforeNext),
    };
  }

  return {
    consume(rule, key, cost = 1) {
      const unsound = findUnsound(rule, cost);
      if (unsound !== undefined) return Promise.reject(unsound);
      const name = bucketName(rule, key);
      const bucket = openBucket(name);
      // One at a time per bucket: between reading and taking no other request may take.
      const mine = bucket.turn.then(() => take(bucket, name, rule, cost));
      bucket.turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** Why no limiter can go by this, or undefined. */
export function findUnsound({ name, limit, windowMs }: RateLimitRule, cost: number): RangeError | undefined {
  const isWindow = Number.isSafeInteger(windowMs) && windowMs > 0 && windowMs <= MAX_WINDOW_MS;
  const isSound = isWindow && Number.isSafeInteger(limit) && limit >= 0 && Number.isSafeInteger(cost) && cost >= 0;
  return isSound ? undefined : new RangeError(`rule ${name} or cost ${cost} is out of range`);
}

export function bucketName({ name, window, windowMs }: RateLimitRule, key: string): string {
  return `${name}:${window}:${windowMs}:${key}`;
}
