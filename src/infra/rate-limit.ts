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
  /** True only for the first refusal of a window: one notice a window. */
  readonly firstRefusal: boolean;
}

export interface RateLimiter {
  /** Takes `cost` units from the key's bucket; a refused call takes nothing that was left. */
  consume(rule: RateLimitRule, key: string, cost?: number): Promise<RateLimitState>;
}
