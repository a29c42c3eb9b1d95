import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryRateLimiter, type RateLimitRule } from '../../../src/infra/rate-limit/rate-limit.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_123_456 });
});

afterEach(() => {
  vi.useRealTimers();
});

const create = (maxKeys?: number) => ({
  limiter: createMemoryRateLimiter(maxKeys),
  now: () => Date.now(),
  advance: async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
  },
});

rateLimiterContract('the memory rate limiter', () => create());

describe('createMemoryRateLimiter', () => {
  const rule: RateLimitRule = { name: 'api', limit: 1, windowMs: 60_000, window: 'first' };

  it('holds no more than maxKeys buckets and timers', async () => {
    const { limiter } = create(10);
    for (let i = 0; i < 500; i++) await limiter.consume(rule, `key ${i}`);
    expect(vi.getTimerCount()).toBe(10);
    expect((await limiter.consume(rule, 'key 499')).allowed).toBe(false);
    expect((await limiter.consume(rule, 'key 0')).allowed).toBe(true);
  });

  it.each(['clock', 'first'] as const)('forgets ended %s windows by itself', async window => {
    const { limiter, advance } = create();
    for (let i = 0; i < 50; i++) await limiter.consume({ ...rule, window }, `key ${i}`);
    expect(vi.getTimerCount()).toBe(50);
    await advance(60_001);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('states no longer wait than the window has when the clock was set back', async () => {
    const { limiter, now } = create();
    await limiter.consume(rule, 'key');
    vi.setSystemTime(now() - 3_600_000);
    expect(await limiter.consume(rule, 'key')).toMatchObject({ allowed: false, resetAt: now() + 60_000 });
  });

  it('does not keep the process alive', async () => {
    vi.useRealTimers();
    const script = `
      import { createMemoryRateLimiter } from ${JSON.stringify(new URL('../../../src/infra/rate-limit/rate-limit.ts', import.meta.url).href)};
      await createMemoryRateLimiter().consume({ name: 'a', limit: 1, windowMs: 3600000, window: 'first' }, 'key');
    `;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
    await expect(promisify(execFile)(process.execPath, args, { timeout: 60_000 })).resolves.toBeDefined();
  });
});
