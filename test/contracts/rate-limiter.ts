import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RateLimiter, RateLimitRule } from '../../src/infra/rate-limit/rate-limit.ts';

export interface RateLimiterUnderTest {
  readonly limiter: RateLimiter;
  /** Unix milliseconds of the limiter's time. */
  now(): number;
  /** Lets that much of the limiter's time pass. */
  advance(ms: number): Promise<void>;
  close?(): Promise<void>;
}

const HOUR = 3_600_000;
const CLOCK: RateLimitRule = { name: 'api', limit: 3, windowMs: HOUR, window: 'clock' };
const FIRST: RateLimitRule = { name: 'user', limit: 5, windowMs: 60_000, window: 'first' };

/** What every RateLimiter promises. Keys differ by test, so one shared backend will do. */
export function rateLimiterContract(
  name: string,
  create: () => RateLimiterUnderTest | Promise<RateLimiterUnderTest>,
): void {
  const withLimiter = (run: (under: RateLimiterUnderTest) => Promise<void>) => async () => {
    const under = await create();
    try {
      await run(under);
    } finally {
      await under.close?.();
    }
  };

  describe(name, () => {
    it(
      'allows up to the limit, then refuses, and counts down to 0',
      withLimiter(async ({ limiter }) => {
        const states = [];
        for (let i = 0; i < 5; i++) states.push(await limiter.consume(CLOCK, 'countdown'));
        expect(states.map(state => [state.allowed, state.remaining])).toEqual([
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
          [false, 0],
        ]);
        expect(states.every(state => state.limit === 3)).toBe(true);
      }),
    );

    it(
      'takes nothing when it refuses, so that a cheaper call still fits',
      withLimiter(async ({ limiter }) => {
        expect(await limiter.consume(FIRST, 'cost', 4)).toMatchObject({ allowed: true, remaining: 1 });
        expect(await limiter.consume(FIRST, 'cost', 2)).toMatchObject({ allowed: false, remaining: 1 });
        expect(await limiter.consume(FIRST, 'cost', 1)).toMatchObject({ allowed: true, remaining: 0 });
        expect(await limiter.consume(FIRST, 'cost', 1)).toMatchObject({ allowed: false });
      }),
    );

    it(
      'always allows what costs nothing and never what costs more than the limit',
      withLimiter(async ({ limiter, now }) => {
        const refused = await limiter.consume(FIRST, 'edge', 6);
        expect(refused).toMatchObject({ allowed: false, remaining: 5 });
        expect(refused.resetAt).toBeGreaterThan(now());
        await limiter.consume(FIRST, 'edge', 5);
        expect(await limiter.consume(FIRST, 'edge', 0)).toMatchObject({ allowed: true, remaining: 0 });
        expect(await limiter.consume({ ...FIRST, name: 'closed', limit: 0 }, 'edge')).toMatchObject({ allowed: false });
      }),
    );

    it(
      'keeps keys and rules apart',
      withLimiter(async ({ limiter }) => {
        await limiter.consume(CLOCK, 'apart', 3);
        expect((await limiter.consume(CLOCK, 'apart')).allowed).toBe(false);
        expect((await limiter.consume(CLOCK, 'apart:2')).allowed).toBe(true);
        expect((await limiter.consume({ ...CLOCK, name: 'web' }, 'apart')).allowed).toBe(true);
      }),
    );

    it(
      'starts clock windows at multiples of their length',
      withLimiter(async ({ limiter, now, advance }) => {
        const untilNext = () => HOUR - (now() % HOUR);
        await advance(untilNext() + HOUR / 2);
        const end = now() + untilNext();
        expect((await limiter.consume(CLOCK, 'clock', 3)).resetAt).toBe(end);
        expect(await limiter.consume(CLOCK, 'clock')).toMatchObject({ allowed: false, resetAt: end });
        await advance(untilNext());
        expect(await limiter.consume(CLOCK, 'clock')).toMatchObject({
          allowed: true,
          remaining: 2,
          resetAt: end + HOUR,
        });
      }),
    );

    it(
      'starts the other windows at the first use and never prolongs them',
      withLimiter(async ({ limiter, now, advance }) => {
        const start = now();
        const { resetAt } = await limiter.consume(FIRST, 'first', 5);
        // Redis counts by its own clock, which goes on while the test's stands still.
        expect(Math.abs(resetAt - start - 60_000)).toBeLessThan(1_000);
        await advance(40_000);
        const refused = await limiter.consume(FIRST, 'first');
        expect(refused.allowed).toBe(false);
        expect(Math.abs(refused.resetAt - resetAt)).toBeLessThan(1_000);
        await advance(20_001);
        expect(await limiter.consume(FIRST, 'first')).toMatchObject({ allowed: true, remaining: 4 });
      }),
    );

    it(
      'gives out exactly the limit to calls that come at once',
      withLimiter(async ({ limiter }) => {
        const rule: RateLimitRule = { name: 'burst', limit: 25, windowMs: HOUR, window: 'clock' };
        const states = await Promise.all(Array.from({ length: 100 }, () => limiter.consume(rule, 'burst')));
        expect(states.filter(state => state.allowed)).toHaveLength(25);
      }),
    );

    it(
      'refuses costs and rules that make no sense',
      withLimiter(async ({ limiter }) => {
        for (const cost of [-1, 0.5, Number.NaN]) {
          await expect(limiter.consume(FIRST, 'nonsense', cost)).rejects.toThrow(RangeError);
        }
        for (const windowMs of [0, -1, 2 ** 40, Number.NaN]) {
          await expect(limiter.consume({ ...FIRST, windowMs }, 'nonsense')).rejects.toThrow(RangeError);
        }
      }),
    );

    it('agrees with a plain count, whatever comes', async () => {
      const call = fc.record({
        key: fc.constantFrom('a', 'b'),
        cost: fc.nat(4),
        wait: fc.constantFrom(0, 0, 0, 30_000),
      });
      const windows = fc.constantFrom('clock' as const, 'first' as const);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(call, { maxLength: 30 }), windows, async (calls, window) => {
          const { limiter, now, advance, close } = await create();
          const rule: RateLimitRule = { name: `model ${run++}`, limit: 7, windowMs: 60_000, window };
          const expected = createPlainCount(rule);
          for (const { key, cost, wait } of calls) {
            await advance(wait);
            expect(await limiter.consume(rule, key, cost)).toMatchObject(expected(key, cost, now()));
          }
          await close?.();
        }),
        { numRuns: 60 },
      );
    });
  });
}

/** The promise in its plainest form. */
function createPlainCount({ limit, windowMs, window }: RateLimitRule) {
  const buckets = new Map<string, { end: number; used: number }>();
  return (key: string, cost: number, now: number) => {
    const end = window === 'clock' ? (Math.floor(now / windowMs) + 1) * windowMs : now + windowMs;
    const known = buckets.get(key);
    const bucket = known !== undefined && now < known.end ? known : { end, used: 0 };
    buckets.set(key, bucket);
    const allowed = bucket.used + cost <= limit;
    if (allowed) bucket.used += cost;
    return { allowed, remaining: limit - bucket.used };
  };
}
