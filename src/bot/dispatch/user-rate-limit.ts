import { AppError } from '../../errors.ts';
import type { RateLimiter, RateLimitRule } from '../../infra/rate-limit/rate-limit.ts';
import type { Caller, Command } from '../command.ts';

export interface UserRateLimitOptions {
  readonly limiter: RateLimiter;
  /** Cost units per window that one person has, across chats. */
  readonly userLimit: { readonly units: number; readonly windowMs: number };
  readonly now: () => number;
}

export interface Refusal {
  /** `rate_limited`, with the time to wait. */
  readonly error: AppError;
  /** False for all but the first of a window. */
  readonly firstRefusal: boolean;
}

/** Takes a command's cost from the caller's limit; what goes over it is answered by a refusal. */
export type UserRateLimit = (command: Command, caller: Caller) => Promise<Refusal | undefined>;

export function createUserRateLimit({ limiter, userLimit, now }: UserRateLimitOptions): UserRateLimit {
  const rule: RateLimitRule = { name: 'user', limit: userLimit.units, windowMs: userLimit.windowMs, window: 'first' };
  return async ({ cost }, { platform, rateKey }) => {
    if (cost === 0) return undefined;
    const { allowed, resetAt, firstRefusal } = await limiter.consume(rule, `${platform}:${rateKey}`, cost);
    if (allowed) return undefined;
    const retryAfterMs = Math.max(0, resetAt - now());
    return { error: new AppError('rate_limited', 'over the limit of one person', { retryAfterMs }), firstRefusal };
  };
}
