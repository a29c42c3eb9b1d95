/** Whatever is asked for, the indexes find the same sets as looking at each one. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Catalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import { packBody, parseBody, renderBody, unpackBody } from '../../../src/beatmaps/catalogue/set-body.ts';
import type { Beatmapset, Status } from '../../../src/beatmaps/model/beatmapset.ts';
import { parseQuery } from '../../../src/beatmaps/query/query.ts';
import { matches } from '../../../src/beatmaps/query/query-match.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createGenerator, createRandom } from '../../bench/generated-sets.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

const STATUSES: readonly Status[] = ['graveyard', 'wip', 'pending', 'ranked', 'approved', 'qualified', 'loved'];
let catalogue: Catalogue;
let sets: readonly Beatmapset[];

/** Figures of all kinds, unknown ones too. */
function makeSets(): readonly Beatmapset[] {
  const generator = createGenerator(11);
  const random = createRandom(12);
  const below = (limit: number) => Math.floor(random() * limit);
  const orNull = <T>(value: T) => (random() < 0.1 ? null : value);
  const date = () => new Date(Date.UTC(2008 + below(18), below(12), 1 + below(28))).toISOString();
  return Array.from({ length: 900 }, () => {
    const set = generator.next();
    return {
      ...set,
      status: STATUSES[below(STATUSES.length)] ?? 'ranked',
      bpm: orNull(60 + below(3_000) / 10),
      favourite_count: orNull(below(20_000)),
      genre_id: orNull(1 + below(14)),
      language_id: orNull(1 + below(14)),
      video: random() < 0.2,
      nsfw: random() < 0.05,
      spotlight: orNull(random() < 0.1),
      submitted_date: orNull(date()),
      last_updated: orNull(date()),
      ranked_date: orNull(date()),
      beatmaps: set.beatmaps.map(map => ({
        ...map,
        difficulty_rating: below(1_200_000) / 100_000,
        ar: orNull(below(111) / 10),
        od: orNull(below(111) / 10),
        cs: orNull(map.mode === 'mania' ? 1 + below(10) : below(101) / 10),
        hp: orNull(below(101) / 10),
        bpm: orNull(60 + below(400_000) / 1_000),
        total_length: below(1_200),
        count_circles: orNull(below(3_000)),
        count_sliders: orNull(below(1_000)),
      })),
    };
  });
}

beforeAll(async () => {
  sets = makeSets();
  catalogue = createCatalogueHere({
    store: openStore(':memory:'),
    onFailure: error => expect.unreachable(String(error)),
  });
  catalogue.remember(sets);
  await catalogue.flush();
});
afterAll(() => catalogue.close());

const operator = fc.constantFrom('=', '<', '<=', '>', '>=');
const figure = (key: string, max: number, step: number) =>
  fc
    .tuple(operator, fc.nat(Math.round(max / step)))
    .map(([sign, value]) => `${key}${sign}${+(value * step).toFixed(3)}`);
const filter = fc.oneof(
  figure('stars', 12, 0.01),
  ...['ar', 'od', 'cs', 'hp'].map(key => figure(key, 11, 0.1)),
  figure('bpm', 460, 0.5),
  figure('length', 1_250, 1),
  figure('circles', 3_000, 1),
  figure('sliders', 1_000, 1),
  figure('keys', 10, 1),
  figure('favourites', 20_000, 1),
  ...['created', 'updated', 'ranked'].map(key =>
    fc
      .tuple(operator, fc.date({ min: new Date('2007-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }))
      .map(([sign, date]) => `${key}${sign}${date.toISOString().slice(0, 10)}`),
  ),
  ...['created', 'updated', 'ranked', 'year'].map(key =>
    fc.tuple(operator, fc.integer({ min: 2007, max: 2027 })).map(([sign, year]) => `${key}${sign}${year}`),
  ),
  fc.constantFrom('mode=osu', 'mode=taiko', 'mode=mania', 'status=loved', 'status>pending', 'video=yes', 'nsfw=yes'),
  fc.constantFrom('spotlight=yes', 'spotlight=no'),
  fc.constantFrom('genre=rock', 'language=japanese', 'ka', 'mi', 'ra', 'difficulty=hard', 'tag=ka', 'title=ka'),
);

describe('a search by filters', () => {
  it('finds what looking at every set finds, in every order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(filter, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('relevance', 'plays', 'title', 'ranked', 'difficulty'),
        fc.constantFrom('asc', 'desc'),
        async (filters, field, order) => {
          const query = parseQuery(filters.join(' '));
          const wanted = sets.filter(set => matches(query, set)).map(({ id }) => id);
          const search = { query, status: 'any', sort: { field, order } } as const;
          const found = await catalogue.search(search, { limit: 5_000, offset: 0 });
          const ids = found.sets.map(({ id }) => id);
          if (found.atLeast === undefined) {
            expect(ids.toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b));
          } else {
            expect(found).toMatchObject({ total: null, atLeast: ids.length });
            expect(wanted).toEqual(expect.arrayContaining(ids));
          }
        },
      ),
      { numRuns: 300 },
    );
  }, 300_000);

  it('says how many there are at least when it does not look at all', async () => {
    const query = parseQuery('difficulty=hard stars>6');
    const sort = { field: 'relevance', order: 'desc' } as const;
    const found = await catalogue.search({ query, status: 'any', sort }, { limit: 1_000, offset: 0 });
    expect(found).toMatchObject({ total: null, atLeast: found.sets.length });
    expect(found.sets.length).toBeGreaterThan(50);
    expect(found.sets.length).toBeLessThan(sets.filter(set => matches(query, set)).length);
  });
});

/** As it was kept until 2026-11. */
const WITHOUT_SPOTLIGHT = JSON.stringify([
  ...[4, 'Paper Lanterns', null, 'Kite Season', null, 'Mappy McMapface', 77, '', '', 'ranked', 180, 100, 10_000, 9.1],
  ...[false, false, false, 10, 5, '2019-03-01T10:00:00Z', '2020-04-20T10:00:00Z', '2020-05-04T10:00:00Z'],
  ...['https://b.ppy.sh/preview/4.mp3', false, null, 'https://assets.ppy.sh/beatmaps/4/covers/cover.jpg'],
  ...['https://assets.ppy.sh/beatmaps/4/covers/card.jpg', 'https://assets.ppy.sh/beatmaps/4/covers/list.jpg'],
  ...[
    2,
    [41, 42],
    [901],
    ['osu'],
    ['ranked'],
    ['Insane', 'Hard'],
    [5.2],
    [180],
    [170],
    [180],
    [9],
    [8],
    [4],
    [5],
    [900],
  ],
  ...[[400], [200], [1], [10_000], [2_000], [null], [[]], [77]],
]);

describe('a kept set', () => {
  it('comes back as it was', () => {
    for (const set of sets.slice(0, 200)) expect(parseBody(unpackBody(packBody(renderBody(set))))).toEqual(set);
  });

  it('of a version that knew no spotlights can still be read, and learns of its own', async () => {
    const set = madeUpSet({ id: 4, beatmaps: [madeUpBeatmap({ id: 41 }), madeUpBeatmap({ id: 42, version: 'Hard' })] });
    expect(parseBody(WITHOUT_SPOTLIGHT)).toEqual(set);
    const store = openStore(':memory:');
    const { search, remember, flush, close } = createCatalogueHere({
      store,
      onFailure: error => expect.unreachable(String(error)),
    });
    onTestFinished(async () => {
      await close();
      store.close();
    });
    remember([set]);
    await flush();
    store.run('UPDATE catalogue_bodies SET body = ?', [packBody(WITHOUT_SPOTLIGHT)]);
    const asked = { status: 'any', sort: { field: 'plays', order: 'desc' } } as const;
    const found = async (text: string) =>
      (await search({ ...asked, query: parseQuery(text) }, { limit: 5, offset: 0 })).sets;
    expect(await found('spotlight=yes')).toEqual([]);
    expect(await found('kite spotlight=no')).toEqual([set]);
    remember([{ ...set, spotlight: true }]);
    await flush();
    // From an upstream that does not say.
    remember([{ ...set, play_count: 20_000 }]);
    await flush();
    const known = { ...set, play_count: 20_000, spotlight: true };
    for (const text of ['spotlight=yes', 'kite spotlight=yes', 'spotlight=yes stars>1']) {
      expect(await found(text)).toEqual([known]);
    }
    expect(await found('spotlight=no')).toEqual([]);
  });
});
