import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { candidateOf } from '../../../src/beatmaps/catalogue/candidates.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import type { Beatmapset } from '../../../src/beatmaps/model/beatmapset.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createGenerator } from '../../bench/generated-sets.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

const PlanRow = z.object({ detail: z.string() });

async function openPool(sets: readonly Beatmapset[]) {
  const store = openStore(':memory:');
  const catalogue = createCatalogueHere({ store, onFailure: failure => expect.unreachable(String(failure)) });
  onTestFinished(async () => {
    await catalogue.close();
    store.close();
  });
  const keep = async (more: readonly Beatmapset[]) => {
    catalogue.remember(more);
    await catalogue.flush();
  };
  await keep(sets);
  return { draw: catalogue.draw, keep, store };
}

function generate(size: number): readonly Beatmapset[] {
  const generator = createGenerator(7);
  return Array.from({ length: size }, () => generator.next());
}

const WINDOW = { ruleset: 'osu', stars: { low: 4.2, high: 5.6 }, loved: false } as const;

describe('the pool of candidates', () => {
  it('draws every map of the window when there is room, and no other', async () => {
    const sets = generate(300);
    const { draw: drawMaps } = await openPool(sets);
    const window = { ...WINDOW, bpm: { low: 100, high: 180 } };
    const wanted = sets
      .filter(({ status }) => status === 'ranked')
      .flatMap(set => set.beatmaps.map(map => candidateOf(set, map)))
      .filter(({ ruleset, stars, bpm }) => ruleset === 'osu' && stars >= 4.2 && stars <= 5.6 && (bpm ?? 0) >= 100)
      .filter(({ bpm }) => (bpm ?? 0) <= 180);
    expect(wanted.length).toBeGreaterThan(20);
    const drawn = await drawMaps(window, 20_000, 1);
    expect(drawn.toSorted((a, b) => a.id - b.id)).toEqual(wanted.toSorted((a, b) => a.id - b.id));
  });

  it('draws few from all over the window, others each time, the same for the same numbers', async () => {
    const { draw: drawMaps } = await openPool(generate(2_000));
    const draw = (seed: number) => drawMaps(WINDOW, 60, seed);
    const first = await draw(1);
    expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
    expect(first.length).toBeGreaterThan(40);
    expect(first.length).toBeLessThanOrEqual(90);
    const stars = first.map(one => one.stars);
    expect(Math.min(...stars)).toBeLessThan(4.4);
    expect(Math.max(...stars)).toBeGreaterThan(5.4);
    expect(await draw(1)).toEqual(first);
    const again = new Set((await draw(2)).map(({ id }) => id));
    expect(first.filter(({ id }) => again.has(id)).length).toBeLessThan(first.length / 2);
  });

  it('follows a set that is loved, changed, or loses its leaderboard', async () => {
    const set = madeUpSet({ beatmaps: [madeUpBeatmap({ difficulty_rating: 5 })] });
    const { draw: drawMaps, keep } = await openPool([set]);
    const count = async (loved: boolean, low = 4.2) =>
      (await drawMaps({ ...WINDOW, loved, stars: { low, high: low + 1.4 } }, 100, 1)).length;
    expect(await count(false)).toBe(1);
    await keep([{ ...set, status: 'loved' }]);
    expect([await count(false), await count(true)]).toEqual([0, 1]);
    await keep([{ ...set, beatmaps: [madeUpBeatmap({ difficulty_rating: 7 })] }]);
    expect([await count(true), await count(false, 6.5)]).toEqual([0, 1]);
    await keep([{ ...set, status: 'graveyard' }]);
    expect(await count(false, 6.5)).toBe(0);
    await keep([set]);
    expect(await count(false)).toBe(1);
    await keep([{ ...set, download_disabled: true }]);
    expect(await count(false)).toBe(0);
  });

  it('reads a window without a scan of the whole', async () => {
    const { store } = await openPool([]);
    const plan = JSON.stringify(
      store.all(
        `EXPLAIN QUERY PLAN SELECT id FROM catalogue_candidates
          WHERE mode = 0 AND loved = 0 AND step = 90 AND set_id >= 5 ORDER BY set_id, id LIMIT 5`,
        [],
        PlanRow,
      ),
    );
    expect(plan).toContain('USING PRIMARY KEY (mode=? AND loved=? AND step=? AND set_id>?)');
    expect(plan).not.toContain('TEMP B-TREE');
  });
});
