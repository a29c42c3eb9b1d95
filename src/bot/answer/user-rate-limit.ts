import { AppError } from '../../errors.ts';
import type { RateLimiter, RateLimitRule } from '../../infra/rate-limit/rate-limit.ts';
import type { Caller } from '../contract/caller.ts';
import type { Command } from '../contract/command.ts';

export interface UserRateLimitOptions {
  readonly limiter: RateLimiter;
  /** Cost units per window that one person has, across chats. */
  readonly userLimit: { readonly units: number; readonly windowMs: number };
  readonly now: () => number;
}

/** People behind one shared key, such as those of a household or a school, may have so many times what one person has. */
const SHARED_FACTOR = 10;

/** Takes a command's cost from the caller's limit; resolves with `rate_limited` and the time to wait when that does not hold it. */
export type UserRateLimit = (command: Command, caller: Caller) => Promise<AppError | undefined>;

export function createUserRateLimit({ limiter, userLimit, now }: UserRateLimitOptions): UserRateLimit {
  const { units, windowMs } = userLimit;
  const own: RateLimitRule = { name: 'user', limit: units, windowMs, window: 'first' };
  const shared: RateLimitRule = { ...own, name: 'address', limit: units * SHARED_FACTOR };

  async function take(rule: RateLimitRule, key: string, cost: number): Promise<AppError | undefined> {
    const { allowed, resetAt } = await limiter.consume(rule, key, cost);
    if (allowed) return undefined;
    const retryAfterMs = Math.max(0, resetAt - now());
    return new AppError('rate_limited', `over the limit of one ${rule.name}`, { retryAfterMs });
  }

  return async ({ cost }, { platform, rateKey, sharedRateKey }) => {
    if (cost === 0) return undefined;
    // First their own: who is over it takes nothing from those beside them.
    const refusal = await take(own, `${platform}:${rateKey}`, cost);
    if (refusal !== undefined || sharedRateKey === undefined) return refusal;
    return take(shared, `${platform}:${sharedRateKey}`, cost);
  };
}
