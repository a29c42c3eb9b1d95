import { RateLimiterRedis } from 'rate-limiter-flexible';
import {
  createMemoryRateLimiter,
  openWindow,
  type RateLimiter,
  takeFrom,
  UNLIMITED,
} from '../rate-limit/rate-limit.ts';
import { type RedisLink, redisKey } from './redis-link.ts';

/** Buckets shared by all processes, ended to the second. While Redis is away each process counts for itself. */
export function createRedisRateLimiter(link: RedisLink): RateLimiter {
  const insurance = createMemoryRateLimiter();
  let counter: RateLimiterRedis | undefined;

  return {
    async consume(rule, key, cost = 1) {
      const window = openWindow(rule, key, cost);
      // Redis counts whole seconds.
      const shared = {
        ...window,
        name: redisKey('limit', window.name),
        lengthMs: Math.ceil(window.lengthMs / 1_000) * 1_000,
      };
      const state = await link.ask('write', client => {
        counter ??= new RateLimiterRedis({ ...UNLIMITED, storeClient: client });
        return takeFrom(counter, shared, cost);
      });
      return state ?? insurance.consume(rule, key, cost);
    },
  };
}
