import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { candidateOf } from '../../../src/beatmaps/catalogue/candidate.ts';
import { createCatalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import type { Beatmapset } from '../../../src/beatmaps/model/beatmapset.ts';
import { CANDIDATES_STEP, createCandidatePool } from '../../../src/beatmaps/recommend/catalogue-candidates.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createGenerator, createRandom } from '../../bench/generated-sets.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

const PlanRow = z.object({ detail: z.string() });

function openPool(sets: readonly Beatmapset[]) {
  const store = openStore(':memory:');
  const catalogue = createCatalogue({ store, onFailure: failure => expect.unreachable(String(failure)) });
  onTestFinished(() => {
    catalogue.close();
    store.close();
  });
  const keep = (more: readonly Beatmapset[]) => {
    catalogue.remember(more);
    catalogue.flush();
  };
  keep(sets);
  return { pool: createCandidatePool(store), keep, store };
}

function generate(size: number): readonly Beatmapset[] {
  const generator = createGenerator(7);
  return Array.from({ length: size }, () => generator.next());
}

const WINDOW = { ruleset: 'osu', stars: { low: 4.2, high: 5.6 }, loved: false } as const;

describe('the pool of candidates', () => {
  it('draws every map of the window when there is room, and no other', () => {
    const sets = generate(300);
    const { pool } = openPool(sets);
    const window = { ...WINDOW, bpm: { low: 100, high: 180 } };
    const wanted = sets
      .filter(({ status }) => status === 'ranked')
      .flatMap(set => set.beatmaps.map(map => candidateOf(set, map)))
      .filter(({ ruleset, stars, bpm }) => ruleset === 'osu' && stars >= 4.2 && stars <= 5.6 && (bpm ?? 0) >= 100)
      .filter(({ bpm }) => (bpm ?? 0) <= 180);
    expect(wanted.length).toBeGreaterThan(20);
    const drawn = pool.draw(window, 20_000, createRandom(1));
    expect(drawn.toSorted((a, b) => a.id - b.id)).toEqual(wanted.toSorted((a, b) => a.id - b.id));
  });

  it('draws few from all over the window, others each time, the same for the same numbers', () => {
    const { pool } = openPool(generate(2_000));
    const draw = (seed: number) => pool.draw(WINDOW, 60, createRandom(seed));
    const first = draw(1);
    expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
    expect(first.length).toBeGreaterThan(40);
    expect(first.length).toBeLessThanOrEqual(90);
    const stars = first.map(one => one.stars);
    expect(Math.min(...stars)).toBeLessThan(4.4);
    expect(Math.max(...stars)).toBeGreaterThan(5.4);
    expect(draw(1)).toEqual(first);
    const again = new Set(draw(2).map(({ id }) => id));
    expect(first.filter(({ id }) => again.has(id)).length).toBeLessThan(first.length / 2);
  });

  it('follows a set that is loved, changed, or loses its leaderboard', () => {
    const set = madeUpSet({ beatmaps: [madeUpBeatmap({ difficulty_rating: 5 })] });
    const { pool, keep } = openPool([set]);
    const count = (loved: boolean, low = 4.2) =>
      pool.draw({ ...WINDOW, loved, stars: { low, high: low + 1.4 } }, 100, createRandom(1)).length;
    expect(count(false)).toBe(1);
    keep([{ ...set, status: 'loved' }]);
    expect([count(false), count(true)]).toEqual([0, 1]);
    keep([{ ...set, beatmaps: [madeUpBeatmap({ difficulty_rating: 7 })] }]);
    expect([count(true), count(false, 6.5)]).toEqual([0, 1]);
    keep([{ ...set, status: 'graveyard' }]);
    expect(count(false, 6.5)).toBe(0);
  });

  it('makes the same of what an older version kept', () => {
    const { pool, store } = openPool(generate(200));
    const draw = () => pool.draw({ ...WINDOW, loved: true }, 20_000, createRandom(1));
    const written = draw();
    store.run('DROP TABLE catalogue_candidates');
    for (const step of CANDIDATES_STEP.split(';\n').filter(part => part.trim() !== '')) store.run(step);
    expect(draw()).toEqual(written);
  });

  it('reads a window without a scan of the whole', () => {
    const { store } = openPool([]);
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
