import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBackgroundFill } from '../../../src/beatmaps/catalogue/background-fill.ts';
import type { FillPace } from '../../../src/beatmaps/catalogue/catalogue-fill.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { RULESETS } from '../../../src/beatmaps/model/beatmapset.ts';
import type { Search } from '../../../src/beatmaps/query/search.ts';
import { AppError } from '../../../src/errors.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { madeUpSet } from '../made-up-sets.ts';

const PACE: FillPace = {
  startMs: 0,
  firstMs: 1,
  firstPages: 80,
  pageMs: 1,
  pagesADay: 100,
  failureMs: Array.from({ length: 12 }, (_, index) => 2 ** index),
  maxWaitMs: 60_000,
  isPatient: true,
  againMs: 30 * 86_400_000,
};
const PAGES = 5;

/** Two sets a page; what was asked of whom. */
function playMirrors() {
  const asked: string[] = [];
  /** Mirrors, or `MIRROR RULESET PAGE`. */
  const broken = new Set<string>();
  const empty = new Set<string>();
  const mirror = (id: 'osu.direct' | 'hinai') => ({
    id,
    async search({ query: { ruleset = 'osu' }, sort }: Search, next: string | undefined) {
      const page = Number(next ?? 0);
      asked.push(`${id} ${ruleset} ${page} ${sort.field}`);
      const isAny = (names: ReadonlySet<string>) =>
        [id, `${id} ${ruleset} ${page}`, `${ruleset} ${page}`].some(name => names.has(name));
      if (isAny(broken)) throw new AppError('upstream_unavailable', 'away');
      if (page >= PAGES || isAny(empty)) return { sets: [], total: null, next: null };
      const first = 1_000 * (1 + RULESETS.indexOf(ruleset)) + 2 * page;
      return {
        sets: [madeUpSet({ id: first }), madeUpSet({ id: first + 1 })],
        total: null,
        next: page + 1 < PAGES ? String(page + 1) : null,
      };
    },
  });
  return { asked, broken, empty, mirrors: [mirror('osu.direct'), mirror('hinai')] };
}

function open() {
  const store = openStore(':memory:');
  const catalogue = createCatalogueHere({ store, onFailure: error => expect.unreachable(String(error)) });
  onTestFinished(async () => {
    await catalogue.close();
    store.close();
  });
  const played = playMirrors();
  const clock = { ms: Date.UTC(2026, 10, 1) };
  const size = async () => {
    await catalogue.flush();
    return catalogue.size();
  };
  const start = (pace: Partial<FillPace> = {}, isFiller = () => true) => {
    const fill = createBackgroundFill({
      ...{ mirrors: played.mirrors, catalogue, isFiller, log: createRecordingLog(), now: () => clock.ms },
      pace: { ...PACE, ...pace },
    });
    fill.start();
    onTestFinished(() => fill.stop());
    return fill;
  };
  return { ...played, clock, size, start };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isTrue()); waited += 5) {
    if (waited > 30_000) throw new Error('it did not come to that');
    await sleep(5);
  }
}

describe('the fill in the background', () => {
  it('reads the most played of every ruleset in turns, from the mirrors in turns', async () => {
    const { asked, size, start } = open();
    start();
    await until(async () => (await size()) === 2 * PAGES * RULESETS.length);
    expect(asked.slice(0, 5)).toEqual([
      'osu.direct osu 0 plays',
      'osu.direct taiko 0 plays',
      'osu.direct fruits 0 plays',
      'osu.direct mania 0 plays',
      'hinai osu 1 plays',
    ]);
    // That there are no more, both mirrors said.
    const all = (PAGES + 2) * RULESETS.length;
    await until(() => asked.length === all);
    await sleep(30);
    expect(asked).toHaveLength(all);
  });

  it('goes on where it was', async () => {
    const { asked, size, start } = open();
    const first = start();
    await until(async () => (await size()) >= 12);
    await first.stop();
    const before = asked.length;
    start();
    await until(async () => (await size()) === 2 * PAGES * RULESETS.length);
    expect(asked.length - before).toBeLessThanOrEqual((PAGES + 2) * RULESETS.length - 6);
  });

  it('asks another mirror where one is away, and waits while all are', async () => {
    const { asked, broken, size, start } = open();
    broken.add('osu.direct').add('hinai');
    start();
    await until(() => asked.length >= 4);
    broken.delete('hinai');
    await until(async () => (await size()) === 2 * PAGES * RULESETS.length);
  });

  it('reads no more than so many pages a day', async () => {
    const { asked, clock, size, start } = open();
    const first = start({ pagesADay: 3 });
    await until(async () => (await size()) === 6);
    await sleep(20);
    expect(asked).toHaveLength(3);
    await first.stop();
    start({ pagesADay: 3 });
    await sleep(20);
    expect(asked).toHaveLength(3);
    clock.ms += 86_400_000;
    start({ pagesADay: 3 });
    await until(async () => (await size()) === 12);
  });

  it('does not believe one mirror that there is no more, nor any that there is nothing', async () => {
    const { asked, empty, size, start } = open();
    empty.add('osu.direct').add('hinai mania 0');
    start();
    await until(async () => (await size()) === 2 * PAGES * (RULESETS.length - 1));
    await until(() => asked.filter(each => each === 'hinai mania 0 plays').length > 2);
    empty.clear();
    await until(async () => (await size()) === 2 * PAGES * RULESETS.length);
  });

  it('goes on with the other rulesets while a page of one cannot be had', async () => {
    const { asked, broken, size, start } = open();
    broken.add('osu 1');
    start({ failureMs: [500] });
    await until(async () => (await size()) === 2 * PAGES * (RULESETS.length - 1) + 2);
    const tries = () => asked.filter(each => each.includes(' osu 1 ')).length;
    expect(tries()).toBeLessThan(20);
    broken.clear();
    await until(async () => (await size()) === 2 * PAGES * RULESETS.length);
  });

  it('is done by the filler alone', async () => {
    const { asked, start } = open();
    start({}, () => false);
    await sleep(20);
    expect(asked).toEqual([]);
  });
});
