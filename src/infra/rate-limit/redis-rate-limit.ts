import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type RedisLink, redisKey } from '../redis/redis-link.ts';
import {
  bucketName,
  createMemoryRateLimiter,
  findUnsound,
  type RateLimiter,
  type RateLimitRule,
  type RateLimitState,
} from './rate-limit.ts';

/**
 * The library's own script takes first and compares later. This one takes only what fits, and in both cases answers what would
 * be taken then. ARGV: cost, seconds, limit.
 */
const TAKE_WHAT_FITS = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local wanted = redis.call('get', KEYS[1]) + ARGV[1]
if wanted <= tonumber(ARGV[3]) then redis.call('incrby', KEYS[1], ARGV[1]) end
return {wanted, redis.call('pttl', KEYS[1])}
`;

/** Limits that differ: the rules of Medley and those of its API keys. */
const MAX_LIMITS = 1_000;

/** Buckets shared by all processes, ended to the second. While Redis is away each process counts for itself. */
export function createRedisRateLimiter(link: RedisLink): RateLimiter {
  const insurance = createMemoryRateLimiter();
  const counters = new LRUCache<number, RateLimiterRedis>({ max: MAX_LIMITS });

  function counterOf(limit: number, client: Redis): RateLimiterRedis {
    const known = counters.get(limit);
    if (known !== undefined) return known;
    const options = { points: limit, duration: 0, keyPrefix: '', customIncrTtlLuaScript: TAKE_WHAT_FITS };
    const counter = new RateLimiterRedis({ ...options, storeClient: client });
    counters.set(limit, counter);
    return counter;
  }

  async function take(name: string, limit: number, cost: number, windowMs: number) {
    const customDuration = Math.ceil(windowMs / 1_000);
    return link.ask('write', async client => {
      const outcome = await counterOf(limit, client)
        .consume(redisKey('limit', name), cost, { customDuration })
        .catch(refused);
      const { consumedPoints, msBeforeNext } = outcome;
      const allowed = consumedPoints <= limit;
      return { allowed, used: allowed ? consumedPoints : consumedPoints - cost, msBeforeNext };
    });
  }

  async function consume(rule: RateLimitRule, key: string, cost: number): Promise<RateLimitState> {
    const now = Date.now();
    const { limit, windowMs } = rule;
    const clockWindow = Math.floor(now / windowMs);
    const isClock = rule.window === 'clock';
    const clockEnd = (clockWindow + 1) * windowMs;
    const name = isClock ? `${bucketName(rule, key)}@${clockWindow}` : bucketName(rule, key);
    const taken = await take(name, limit, cost, isClock ? clockEnd - now : windowMs);
    if (taken === undefined) return insurance.consume(rule, key, cost);
    const { allowed, used, msBeforeNext } = taken;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - used),
      resetAt: isClock ? clockEnd : Math.ceil(now + msBeforeNext),
    };
  }

  return {
    consume(rule, key, cost = 1) {
      const unsound = findUnsound(rule, cost);
      return unsound === undefined ? consume(rule, key, cost) : Promise.reject(unsound);
    },
  };
}

function refused(outcome: unknown): RateLimiterRes {
  if (outcome instanceof RateLimiterRes) return outcome;
  throw outcome;
}
