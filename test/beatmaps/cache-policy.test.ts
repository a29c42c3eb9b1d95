import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createMemoryBeatmapCaches, openSharedBeatmapCaches, POLICIES } from '../../src/beatmaps/cache-policy.ts';
import type { SharedCache } from '../../src/infra/cache/cache.ts';
import type { RedisCacheOptions } from '../../src/infra/redis/redis.ts';
import { madeUpSet } from './made-up-sets.ts';

const Stored = z.object({ value: z.unknown(), freshUntil: z.number(), staleUntil: z.number() });

/** Keeps JSON and nothing else, as Redis does. */
function createJsonCaches() {
  const texts = new Map<string, string>();
  const openCache = <V>({ name, parse }: RedisCacheOptions<V>): SharedCache<V> => ({
    async read(key) {
      const { data: entry } = Stored.safeParse(JSON.parse(texts.get(`${name} ${key}`) ?? 'null'));
      const value = parse(entry?.value);
      return entry === undefined || value === undefined ? undefined : { ...entry, value };
    },
    async write(key, entry) {
      texts.set(`${name} ${key}`, JSON.stringify(entry));
    },
    async remove(key) {
      texts.delete(`${name} ${key}`);
    },
  });
  return { texts, openCache };
}

describe('openSharedBeatmapCaches', () => {
  it('lets a second process find sets and pages as the first had them', async () => {
    const sharedCaches = createJsonCaches();
    const [one, two] = [0, 1].map(() => createMemoryBeatmapCaches(undefined, openSharedBeatmapCaches(sharedCaches)));
    const found = { set: madeUpSet(), source: 'osu' as const };
    const page = { sets: [madeUpSet()], total: null, next: 'abc', source: 'hinai' as const, corrected: true };
    await one?.sets.wrap('osu-set:1', async () => found, POLICIES.set);
    await one?.pages.wrap('search:a', async () => page, POLICIES.page);
    expect(await two?.sets.get('osu-set:1')).toEqual(found);
    expect(await two?.pages.get('search:a')).toEqual(page);
    expect(await two?.pages.get('osu-set:1')).toBeUndefined();
  });

  it('asks again for what was kept in another shape, or with an address that no page may show', async () => {
    const sharedCaches = createJsonCaches();
    const times = { freshUntil: Date.now() + 60_000, staleUntil: Date.now() + 60_000 };
    const { title, ...untitled } = madeUpSet();
    sharedCaches.texts.set('beatmapsets 1', JSON.stringify({ value: { set: untitled, source: 'osu' }, ...times }));
    sharedCaches.texts.set('beatmapsets 2', JSON.stringify({ value: { set: madeUpSet(), source: 'gone' }, ...times }));
    const { sets } = createMemoryBeatmapCaches(undefined, openSharedBeatmapCaches(sharedCaches));
    for (const [place, url] of ['javascript:alert(1)', 'http://assets.ppy.sh/x.jpg', 'x'].entries()) {
      const set = { ...madeUpSet(), card_url: url };
      sharedCaches.texts.set(`beatmapsets ${place + 3}`, JSON.stringify({ value: { set, source: 'osu' }, ...times }));
    }
    for (const key of ['1', '2', '3', '4', '5']) expect(await sets.get(key)).toBeUndefined();
    expect(title).not.toBe('');
  });
});
