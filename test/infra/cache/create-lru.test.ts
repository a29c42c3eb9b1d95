import { describe, expect, it } from 'vitest';
import { createLru } from '../../../src/infra/cache/cache.ts';

describe('a bounded map', () => {
  it('holds as many as it may, and drops who was used longest ago', () => {
    const dropped: string[] = [];
    const held = createLru<string, number>({ max: 3, dispose: (_, key, reason) => dropped.push(`${key} ${reason}`) });
    for (const [at, key] of ['a', 'b', 'c'].entries()) held.set(key, at);
    held.get('a');
    held.set('b', 7);
    held.set('d', 4);
    expect([...held.keys()]).toEqual(['d', 'b', 'a']);
    expect(dropped).toEqual(['b set', 'c evict']);
    held.delete('a');
    held.set('e', 5);
    expect([...held.entries()]).toEqual([
      ['e', 5],
      ['d', 4],
      ['b', 7],
    ]);
  });

  it('forgets what is too old', () => {
    let now = 1;
    const held = createLru<string, number>({ max: 3, ttl: 100, ttlResolution: 0, perf: { now: () => now } });
    held.set('a', 1);
    now += 99;
    expect(held.has('a')).toBe(true);
    now += 2;
    expect(held.get('a')).toBeUndefined();
  });

  it('takes no memory for what it does not hold', () => {
    const before = process.memoryUsage();
    const many = Array.from({ length: 10 }, () => createLru<string, number>({ max: 1_000_000, ttl: 60_000 }));
    const after = process.memoryUsage();
    expect(many).toHaveLength(10);
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(16 * 1024 * 1024);
  });
});
