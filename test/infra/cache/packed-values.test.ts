import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryCache, createPacking } from '../../../src/infra/cache/cache.ts';
import { cacheContract } from '../../contracts/cache.ts';

interface Note {
  readonly text: string;
  readonly parts: readonly (number | null)[];
}

cacheContract('memory, packed', () => {
  let time = 1_000_000;
  return {
    cache: createMemoryCache<string>({
      maxEntries: 100,
      maxSize: 100_000,
      hold: createPacking(2, 100_000),
      now: () => time,
    }),
    advance: async ms => {
      time += ms;
    },
  };
});

describe('packed values', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(createPacking<unknown>(1, 100_000)(value).read()).toEqual(plain);
      }),
    );
  });

  it('are counted by their bytes, whatever they are written in', () => {
    const hold = createPacking<Note>(1, 100_000);
    const short = hold({ text: '', parts: [] }).size;
    expect(hold({ text: 'é'.repeat(1_000), parts: [] }).size - short).toBe(2_000);
  });

  it('are the same object as long as they are asked for more often than others', () => {
    const hold = createPacking<Note>(2, 100_000);
    const [first, second, third] = ['one', 'two', 'three'].map(text => hold({ text, parts: [1, null] }));
    const known = first?.read();
    expect(first?.read()).toBe(known);
    second?.read();
    third?.read();
    expect(first?.read()).not.toBe(known);
    expect(first?.read()).toEqual(known);
  });

  it('are held twice only as far as their bytes allow', () => {
    const hold = createPacking<Note>(10, 12_000);
    const [first, second] = ['one', 'two'].map(text => hold({ text: text.repeat(2_000), parts: [] }));
    const known = first?.read();
    expect(first?.read()).toBe(known);
    second?.read();
    expect(first?.read()).not.toBe(known);
  });

  it('fill a cache up to its bytes', async () => {
    const cache = createMemoryCache<Note>({
      maxEntries: 1_000,
      maxSize: 100_000,
      hold: createPacking(1, 100_000),
    });
    for (let at = 0; at < 100; at += 1) await cache.set(`note ${at}`, { text: 'x'.repeat(5_000), parts: [at] }, 60_000);
    const kept = Array.from({ length: 100 }, (_, at) => cache.peek(`note ${at}`)).filter(note => note !== undefined);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept.length * 5_000).toBeLessThan(100_000);
    expect(kept.at(-1)?.parts).toEqual([99]);
  });
});
