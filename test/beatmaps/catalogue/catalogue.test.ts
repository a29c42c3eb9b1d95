import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Catalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import {
  type Feed,
  type FillOptions,
  type FillProgress,
  fillCatalogue,
  PACE_OF_COMMAND,
  searchFeed,
} from '../../../src/beatmaps/catalogue/catalogue-fill.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import type { Beatmapset } from '../../../src/beatmaps/model/beatmapset.ts';
import { parseQuery } from '../../../src/beatmaps/query/query.ts';
import { parseSort, type StatusFilter } from '../../../src/beatmaps/query/query-words.ts';
import { AppError } from '../../../src/errors.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

const open: { store: Store; catalogue: Catalogue }[] = [];
afterEach(async () => {
  for (const { store, catalogue } of open.splice(0)) {
    await catalogue.close();
    store.close();
  }
});

async function createFilled(sets: readonly Beatmapset[]) {
  const store = openStore(':memory:');
  const failures: unknown[] = [];
  const catalogue = createCatalogueHere({ store, onFailure: error => failures.push(error), writeDelayMs: 5 });
  open.push({ store, catalogue });
  catalogue.remember(sets);
  await catalogue.flush();
  const search = (
    text: string,
    more: { status?: StatusFilter; sort?: string; limit?: number; offset?: number } = {},
  ) => {
    const { status = 'any', sort = 'relevance', limit = 20, offset = 0 } = more;
    const order = parseSort(sort) ?? { field: 'relevance', order: 'desc' };
    return catalogue.search({ query: parseQuery(text), status, sort: order }, { limit, offset });
  };
  const ids = async (...args: Parameters<typeof search>) => (await search(...args)).sets.map(set => set.id);
  return { store, catalogue, failures, search, ids };
}

const SETS = [
  madeUpSet({
    id: 1,
    title: 'Kite Season',
    play_count: 10,
    tags: 'wind',
    beatmaps: [
      madeUpBeatmap({ id: 11, difficulty_rating: 2, ar: 9, version: 'Light' }),
      madeUpBeatmap({ id: 12, difficulty_rating: 6, ar: 5, version: 'Heavy', owners: [{ id: 5, username: 'Guesty' }] }),
    ],
  }),
  madeUpSet({ id: 2, title: 'Kite Workshop', title_unicode: '凧工房', play_count: 1_000, status: 'loved' }),
  madeUpSet({
    id: 3,
    artist: 'Harbour Choir',
    title: 'Lighthouse',
    play_count: 500,
    creator: 'Mapsmith',
    status: 'graveyard',
    ranked_date: null,
    beatmaps: [madeUpBeatmap({ id: 31, mode: 'mania', cs: 4 })],
  }),
];

describe('createCatalogue', () => {
  it('finds words by their beginnings, the most popular first', async () => {
    const { ids } = await createFilled(SETS);
    expect(await ids('kite')).toEqual([2, 1]);
    expect(await ids('ki se')).toEqual([1]);
    expect(await ids('')).toEqual([2, 3, 1]);
    expect(await ids('凧')).toEqual([2]);
    expect(await ids('工房')).toEqual([2]);
    expect(await ids('wind')).toEqual([1]);
    expect(await ids('plastic')).toEqual([]);
    expect(await ids('3')).toEqual([3]);
  });

  it('narrows by everything the language knows', async () => {
    const { ids } = await createFilled(SETS);
    expect(await ids('stars>5.5 ar=5')).toEqual([1]);
    expect(await ids('stars>5.5 ar=9')).toEqual([]);
    expect(await ids('difficulty=light stars>5')).toEqual([]);
    expect(await ids('difficulty=heavy stars>5')).toEqual([1]);
    expect(await ids('keys=4')).toEqual([3]);
    expect(await ids('mode=osu')).toEqual([2, 1]);
    expect(await ids('creator=mapsmith')).toEqual([3]);
    expect(await ids('creator=guesty')).toEqual([1]);
    expect(await ids('creator=5')).toEqual([1]);
    expect(await ids('title=kite status=loved')).toEqual([2]);
    expect(await ids('kite', { status: 'ranked' })).toEqual([1]);
    expect(await ids('', { status: 'leaderboard' })).toEqual([2, 1]);
    expect(await ids('year=2020')).toEqual([2, 1]);
  });

  it('finds what hardly any set has, in any order, among very many', async () => {
    const many = Array.from({ length: 10_100 }, (_, index) => {
      const id = index + 1;
      const bpm = id % 3_000 === 0 ? 401 : 180;
      return madeUpSet({
        id,
        title: id % 50 === 0 ? 'Kite Workshop' : 'Kite',
        play_count: 20_000 - id,
        beatmaps: [madeUpBeatmap({ id: id * 10, bpm, difficulty_rating: 3 + (id % 40) / 10 })],
      });
    });
    const { catalogue, ids } = await createFilled([]);
    for (let start = 0; start < many.length; start += 4_000) {
      catalogue.remember(many.slice(start, start + 4_000));
      await catalogue.flush();
    }
    expect(await ids('bpm>400')).toEqual([3_000, 6_000, 9_000]);
    expect(await ids('kite bpm>400')).toEqual([3_000, 6_000, 9_000]);
    expect(await ids('kite workshop bpm>400 stars<2')).toEqual([]);
    expect(await ids('kite bpm>400', { sort: 'plays_asc' })).toEqual([9_000, 6_000, 3_000]);
    expect(await ids('bpm>400', { sort: 'plays_asc', offset: 1 })).toEqual([6_000, 3_000]);
    expect(await ids('workshop stars>6.7', { limit: 2 })).toEqual([]);
    expect(await ids('workshop stars>3.9', { limit: 2 })).toEqual([50, 100]);
    expect(await ids('stars>6.8', { limit: 2 })).toEqual([39, 79]);
  });

  it('sorts, and gives pages of any size', async () => {
    const { ids, search } = await createFilled(SETS);
    expect(await ids('', { sort: 'title_asc' })).toEqual([1, 2, 3]);
    expect(await ids('', { sort: 'plays_asc' })).toEqual([1, 3, 2]);
    expect(await ids('', { sort: 'difficulty_desc' })).toEqual([1, 3, 2]);
    expect(await ids('', { limit: 2 })).toEqual([2, 3]);
    expect(await ids('', { limit: 2, offset: 2 })).toEqual([1]);
    expect((await search('', { limit: 2 })).total).toBeNull();
    expect((await search('', { limit: 2, offset: 2 })).total).toBe(3);
    expect(await ids('creator=mappy', { limit: 1, offset: 1 })).toEqual([1]);
  });

  it('corrects words when nothing is found for them', async () => {
    const { catalogue, ids, search } = await createFilled(SETS);
    await catalogue.warm();
    expect(await ids('lighthuose')).toEqual([3]);
    expect(await ids('workhsop kite')).toEqual([2]);
    expect((await search('lighthuose')).corrected).toBe(true);
    expect((await search('lighthouse')).corrected).toBe(false);
    expect(await ids('zzzzzzzz')).toEqual([]);
    catalogue.remember([madeUpSet({ id: 4, title: 'Marzipan' })]);
    await catalogue.flush();
    expect(await ids('marzpian')).toEqual([4]);
  });

  it('suggests all that begins so, however long the beginning, and whoever wrote it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'medley-catalogue-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [here, there] = [openStore(join(folder, 'catalogue.db')), openStore(join(folder, 'catalogue.db'))];
    const catalogue = createCatalogueHere({ store: here, onFailure: () => {}, writeDelayMs: 5 });
    const other = createCatalogueHere({ store: there, onFailure: () => {}, writeDelayMs: 5 });
    open.push({ store: here, catalogue }, { store: there, catalogue: other });
    const long = 'lanternlighthousekeepers';
    const titles = ['Lantern', 'Lanterns', 'Lanternlight', `${long}s Song`, `${long} ${long}`, 'Harbour'];
    const keep = async (file: Catalogue, ids: readonly number[]) => {
      file.remember(
        ids.map(id =>
          madeUpSet({ id, artist: 'Quiet Hours', title: titles[id % titles.length] ?? '', play_count: 1_000 - id }),
        ),
      );
      await file.flush();
    };
    // Where several words are found together, none is taken for a mistyped one.
    const found = async (typed: string) => (await catalogue.suggest(`quiet ${typed}`, 50)).map(({ id }) => id);
    await keep(catalogue, [0, 1, 3, 5]);
    // Until the words are read, the index alone is asked.
    expect(await found('lantern')).toEqual([0, 1, 3]);
    await catalogue.warm();
    expect(await found('lantern')).toEqual([0, 1, 3]);
    expect(await found('lanternl')).toEqual([3]);
    expect(await found(long.slice(0, 23))).toEqual([3]);
    await keep(catalogue, [2, 4]);
    expect(await found('lantern')).toEqual([0, 1, 2, 3, 4]);
    expect(await found('lanternl')).toEqual([2, 3, 4]);
    expect(await found(`${long} lanternl`)).toEqual([3, 4]);
    await keep(other, [6, 8]);
    expect(await found('lanternl')).toEqual([2, 3, 4, 8]);
    expect(await found('"lantern"')).toEqual([0, 6]);
    // More words than are written out.
    catalogue.remember(
      Array.from({ length: 30 }, (_, id) =>
        madeUpSet({
          id: 100 + id,
          artist: 'Quiet Hours',
          title: `Meadowland${String.fromCharCode(97 + id)}`,
          play_count: 100 - id,
        }),
      ),
    );
    await catalogue.flush();
    expect(await found('meadowl')).toHaveLength(30);
  });

  it('suggests in one line', async () => {
    const { catalogue } = await createFilled(SETS);
    expect(await catalogue.suggest('kite s', 5)).toEqual([
      {
        id: 1,
        artist: 'Paper Lanterns',
        title: 'Kite Season',
        creator: 'Mappy McMapface',
        status: 'ranked',
        min_stars: 2,
        max_stars: 6,
        length: 180,
      },
    ]);
    expect((await catalogue.suggest('', 2)).map(one => one.id)).toEqual([2, 3]);
    expect((await catalogue.suggest('wind', 5)).map(one => one.id)).toEqual([1]);
    expect((await catalogue.suggest('kite stars>5.5', 5)).map(one => one.id)).toEqual([1]);
  });

  it.each(['"', '* OR', 'a" OR "b', 'NEAR(', '-', '^', '{artist}:x', "'; DROP TABLE", 'artist="', 'x'.repeat(10_000)])(
    'takes %j for nothing but text',
    async text => {
      const { catalogue, search } = await createFilled(SETS);
      await expect(Promise.all([search(text), catalogue.suggest(text, 5)])).resolves.toBeDefined();
    },
  );

  it('gives sets by their number and that of a difficulty', async () => {
    const { catalogue } = await createFilled(SETS);
    expect(await catalogue.set(1)).toEqual(SETS[0]);
    expect(await catalogue.setOfMap(31)).toEqual(SETS[2]);
    expect(await catalogue.set(99)).toBeUndefined();
    expect(await catalogue.setOfMap(99)).toBeUndefined();
    expect(await catalogue.size()).toBe(3);
  });

  it('keeps what a later answer does not say, and takes what it does', async () => {
    const { catalogue, ids } = await createFilled(SETS);
    const disabled = { download_disabled: true, download_disabled_reason: 'withdrawn' };
    catalogue.remember([madeUpSet({ id: 1, ...disabled })]);
    await catalogue.flush();
    const unstated = { tags: '', rating: null, download_disabled: null, download_disabled_reason: null };
    const fresh = madeUpSet({ id: 1, title: 'Kite Weather', play_count: 50_000, ...unstated });
    catalogue.remember([fresh]);
    await catalogue.flush();
    expect(await catalogue.set(1)).toMatchObject({
      title: 'Kite Weather',
      tags: 'wind',
      rating: 9.1,
      play_count: 50_000,
      ...disabled,
    });
    expect(await ids('kite')).toEqual([1, 2]);
    expect(await ids('season')).toEqual([]);
    expect(await catalogue.size()).toBe(3);
    await catalogue.tidy();
    expect(await ids('kite')).toEqual([1, 2]);
  });

  it('writes by itself, a little later, and leaves out sets without difficulties', async () => {
    const { catalogue } = await createFilled([]);
    catalogue.remember([madeUpSet({ id: 7 }), madeUpSet({ id: 8, beatmaps: [] })]);
    expect(await catalogue.size()).toBe(0);
    await expect.poll(() => catalogue.size()).toBe(1);
  });

  it('reports what could not be written', async () => {
    const { catalogue, store, failures } = await createFilled([]);
    store.close();
    catalogue.remember(SETS);
    await expect.poll(() => failures.length).toBe(1);
  });
});

describe('fillCatalogue', () => {
  const PAGES = [1, 2, 3, 4].map(page => [madeUpSet({ id: page * 10 }), madeUpSet({ id: page * 10 + 1 })]);

  /** Fails once before each page whose number is given. */
  function feedFailingAt(...numbers: readonly number[]): Feed & { readonly asked: (string | undefined)[] } {
    const failing = new Set(numbers);
    const asked: (string | undefined)[] = [];
    return {
      name: 'made up',
      asked,
      async read({ cursor }) {
        asked.push(cursor);
        const page = Number(cursor ?? 0);
        if (failing.delete(page)) throw new AppError('upstream_unavailable', 'away');
        return { sets: PAGES[page] ?? [], total: 8, next: page + 1 < PAGES.length ? String(page + 1) : null };
      },
    };
  }

  function open(options: Pick<FillOptions, 'catalogue'> & Partial<FillOptions>, failureMs: readonly number[]) {
    const progress: FillProgress[] = [];
    const retries: number[] = [];
    const fill = (feed: Feed) =>
      fillCatalogue({
        name: 'feed made up',
        feeds: [feed],
        pace: { ...PACE_OF_COMMAND, failureMs },
        signal: new AbortController().signal,
        onPage: each => progress.push(each),
        onFailure: (_, waitMs) => retries.push(waitMs),
        ...options,
      });
    return { fill, progress, retries };
  }

  it('reads all pages, and a failed one again', async () => {
    const { catalogue } = await createFilled([]);
    const { fill, progress, retries } = open({ catalogue }, [1]);
    await fill(feedFailingAt(2));
    expect(progress.at(-1)).toEqual({ sets: 8, total: 8 });
    expect(progress.map(({ sets }) => sets)).toEqual([2, 4, 6, 8]);
    expect(retries).toEqual([1]);
    expect(await catalogue.size()).toBe(8);
  });

  it('goes on where it was stopped', async () => {
    const { catalogue } = await createFilled([]);
    const stop = new AbortController();
    const onPage = () => stop.abort(new AppError('internal', 'stopped'));
    const first = open({ catalogue, signal: stop.signal, onPage }, []).fill(feedFailingAt());
    await expect(first).rejects.toThrow('stopped');
    expect(await catalogue.size()).toBe(2);
    const feed = feedFailingAt();
    const { fill, progress } = open({ catalogue }, []);
    await fill(feed);
    expect(feed.asked[0]).toBe('1');
    expect(progress.at(-1)?.sets).toBe(8);
    expect(await catalogue.size()).toBe(8);
  });

  it('reads again what could not be written, and not for ever', async () => {
    const { catalogue } = await createFilled([]);
    let failing = 1;
    /** As a full disk takes what was to be written with it. */
    const unsure: FillOptions['catalogue'] = {
      ...catalogue,
      remember: sets => (failing > 0 ? undefined : catalogue.remember(sets)),
      async keepPlace(name, place) {
        failing -= 1;
        if (failing >= 0) throw new AppError('internal', 'the disk is full');
        await catalogue.keepPlace(name, place);
      },
    };
    const { fill, progress, retries } = open({ catalogue: unsure }, [1, 2]);
    await fill(feedFailingAt());
    expect(progress.at(-1)?.sets).toBe(8);
    expect(await catalogue.size()).toBe(8);
    failing = Number.POSITIVE_INFINITY;
    await expect(fill(feedFailingAt())).rejects.toThrow('the disk is full');
    expect(retries).toEqual([1, 1, 2]);
  });

  it('says what failed when the position after a page could not be stored', async () => {
    const { catalogue } = await createFilled([]);
    const search = async () => ({ sets: [madeUpSet({ id: 5 })], total: null, next: '1' });
    const keepPlace = () => Promise.reject(new AppError('internal', 'the disk is full'));
    const { fill } = open({ catalogue: { ...catalogue, keepPlace } }, [1]);
    await expect(fill(searchFeed({ id: 'made up', search }))).rejects.toThrow('the disk is full');
  });

  it('gives up on a source that gives nothing from the start', async () => {
    const { catalogue } = await createFilled([]);
    const { fill, retries } = open({ catalogue }, [1, 2]);
    const read = () => Promise.reject(new AppError('upstream_unavailable', 'away'));
    await expect(fill({ name: 'made up', read })).rejects.toThrow('away');
    expect(retries).toEqual([1]);
  });

  it('gives up on a source whose pages are all the same', async () => {
    const { catalogue } = await createFilled([]);
    const sets = [madeUpSet({ id: 5 })];
    const feed = searchFeed({ id: 'stuck', search: async () => ({ sets, total: null, next: '1' }) });
    await expect(open({ catalogue }, []).fill(feed)).rejects.toMatchObject({ code: 'upstream_changed' });
    expect(await catalogue.size()).toBe(1);
  });
});
