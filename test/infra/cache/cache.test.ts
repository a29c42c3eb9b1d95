import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CachePolicy, createMemoryCache, type MemoryCacheOptions } from '../../../src/infra/cache/cache.ts';
import { cacheContract, createGate } from '../../contracts/cache.ts';

function create(options: Partial<MemoryCacheOptions<string>> = {}) {
  let time = 1_700_000_000_000;
  const cache = createMemoryCache<string>({ maxEntries: 100, now: () => time, ...options });
  const advance = async (ms: number) => {
    time += ms;
  };
  return { cache, advance };
}

const MINUTE: CachePolicy<string> = { ttlMs: () => 60_000 };

cacheContract('the memory cache', () => create());

describe('createMemoryCache', () => {
  it('holds no more than maxEntries, the least recently used go first', async () => {
    const { cache } = create({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await cache.set(key, key, 60_000);
    await cache.get('a');
    await cache.set('d', 'd', 60_000);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(key => cache.get(key)))).toEqual(['a', undefined, 'c', 'd']);
  });

  it('holds no more than maxSize; what is larger alone is answered, not kept', async () => {
    const { cache } = create({ maxSize: 10, sizeOf: value => value.length });
    await cache.set('a', 'aaaaa', 60_000);
    await cache.set('b', 'bbbbb', 60_000);
    await cache.set('c', 'c', 60_000);
    expect(await cache.get('a')).toBeUndefined();
    expect(await cache.get('b')).toBe('bbbbb');
    const large = 'x'.repeat(11);
    expect(await cache.wrap('large', async () => large, MINUTE)).toEqual({ value: large, from: 'load' });
    expect(await cache.get('large')).toBeUndefined();
    expect(await cache.get('c')).toBe('c');
  });

  it('bounds remembered failures too', async () => {
    const { cache } = create({ maxEntries: 2 });
    const policy: CachePolicy<string> = { ...MINUTE, errorTtlMs: () => 60_000 };
    const failing = (text: string) => async (): Promise<string> => {
      throw new Error(text);
    };
    for (const key of ['a', 'b', 'c']) await expect(cache.wrap(key, failing('first'), policy)).rejects.toThrow('first');
    await expect(cache.wrap('c', failing('second'), policy)).rejects.toThrow('first');
    await expect(cache.wrap('a', failing('second'), policy)).rejects.toThrow('second');
  });

  it('remembers no failure for longer because the clock was set back', async () => {
    const { cache, advance } = create();
    const policy: CachePolicy<string> = { ...MINUTE, errorTtlMs: () => 5_000 };
    await expect(cache.wrap('a', () => Promise.reject(new Error('away')), policy)).rejects.toThrow('away');
    await advance(-3_600_000);
    expect(await cache.wrap('a', async () => 'value', policy)).toEqual({ value: 'value', from: 'load' });
  });

  it.each(['set', 'delete'] as const)('does not let a load that began earlier undo a %s', async change => {
    const { cache } = create();
    const gate = createGate();
    const slow = cache.wrap('key', () => gate.promise, MINUTE);
    if (change === 'set') await cache.set('key', 'newer', 60_000);
    else await cache.delete('key');
    gate.resolve('older');
    expect((await slow).value).toBe('older');
    expect(await cache.get('key')).toBe(change === 'set' ? 'newer' : undefined);
  });

  it('starts a new load after the old one was abandoned, even when that one never ends', async () => {
    const { cache } = create();
    const caller = new AbortController();
    const hanging = cache.wrap('key', () => new Promise<string>(() => {}), MINUTE, caller.signal);
    caller.abort(new Error('left'));
    await expect(hanging).rejects.toThrow('left');
    expect(await cache.wrap('key', async () => 'value', MINUTE)).toEqual({ value: 'value', from: 'load' });
  });

  it('gives up its listeners on a signal that outlives the calls', async () => {
    const { cache } = create();
    const { signal } = new AbortController();
    for (let i = 0; i < 20; i++) await cache.wrap(`key ${i}`, async () => 'value', MINUTE, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('never answers with a value older than its time, whatever the order of calls', async () => {
    const step = fc.oneof(
      fc.record({ op: fc.constant('wait' as const), ms: fc.nat(3_000) }),
      fc.record({ op: fc.constant('load' as const), key: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() }),
    );
    const policy: CachePolicy<string> = { ttlMs: () => 1_000, staleIfErrorMs: () => 2_000, errorTtlMs: () => 500 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
        const { cache, advance } = create({ maxEntries: 2 });
        let time = 0;
        for (const step of steps) {
          if (step.op === 'wait') {
            time += step.ms;
            await advance(step.ms);
            continue;
          }
          const loaded = time;
          const load = async () => (step.fails ? Promise.reject(new Error('down')) : String(loaded));
          const hit = await cache.wrap(step.key, load, policy).catch(() => undefined);
          const age = hit === undefined ? 0 : time - Number(hit.value);
          expect(age).toBeLessThan(hit?.from === 'stale' ? 3_000 : 1_000);
          if (hit?.from === 'load') expect(age).toBe(0);
        }
      }),
      { numRuns: 200 },
    );
  });
});
