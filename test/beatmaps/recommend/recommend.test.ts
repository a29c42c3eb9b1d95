import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import type { Difficulty } from '../../../src/beatmaps/difficulty/difficulty.ts';
import { createRatings } from '../../../src/beatmaps/rating/ratings.ts';
import { parseModFilter } from '../../../src/beatmaps/recommend/filters.ts';
import { createRecommend, type RecommendOptions } from '../../../src/beatmaps/recommend/recommend.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { AppError } from '../../../src/errors.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { createWorld, type World } from '../../bench/recommend/player-world.ts';
import {
  libraryOf,
  measure,
  openCatalogue,
  openRecommender,
  randomInRange,
  recommendedDifficulty,
  wayOf,
} from '../../bench/recommend/recommend-measure.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { madeUpPlayer } from '../made-up-players.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

let world: World;
let store: Store;
beforeAll(() => {
  world = createWorld({ maps: 4_000, players: 40, seed: 5 });
  store = openStore(':memory:');
});
afterAll(() => store.close());

function open(
  difficulty?: Pick<Difficulty, 'of'>,
  rest: Partial<Pick<RecommendOptions, 'catalogue' | 'ratings' | 'rescoreMs'>> = {},
) {
  return openRecommender(world, store, { difficulty, ...rest });
}

describe('in a world of players with known skills', () => {
  it('hits what they can do, never repeats, mixes mappers, and gains more than filter and chance', async () => {
    const ours = await measure('ours', world, 2, wayOf(world, await open(libraryOf(world))));
    expect(ours.picks).toBeGreaterThan(780);
    expect(ours.hits).toBeGreaterThanOrEqual(0.9);
    expect(ours).toMatchObject({ ownPlays: 0, repeats: 0 });
    expect(ours.ofMapper).toBeLessThanOrEqual(2);
    const filter = await measure('filter', world, 1, recommendedDifficulty(world));
    const chance = await measure('chance', world, 1, randomInRange(world));
    expect(ours.gain).toBeGreaterThan(filter.gain);
    expect(ours.gain).toBeGreaterThan(chance.gain * 2);
  });

  it('prefers maps with the patterns of the own plays', async () => {
    const library = libraryOf(world);
    const catalogue = await openCatalogue(world.sets, store);
    /** How much of the recommended maps has streams, where the own plays have as many as `usual` says. */
    async function shareOfStreams(usual: number): Promise<number> {
      const streamsOf = (id: number, player: World['players'][number]) =>
        player.best.some(play => play.beatmap_id === id) ? usual : id % 2;
      const lists = world.players.slice(0, 8).map(async player => {
        const difficulty: Pick<Difficulty, 'of'> = {
          of: async (request, signal) => ({
            ...(await library.of(request, signal)),
            patterns: { streams: streamsOf(request.beatmap.id, player) },
          }),
        };
        const recommend = await open(difficulty, { catalogue, rescoreMs: 10_000 });
        const { recommendations } = await recommend({ user: player.id, limit: 5, seed: player.id });
        return recommendations.map(({ beatmap }) => beatmap.id % 2);
      });
      const picks = (await Promise.all(lists)).flat();
      return picks.filter(odd => odd === 1).length / picks.length;
    }
    expect(await shareOfStreams(1)).toBeGreaterThan((await shareOfStreams(0)) + 0.25);
  });

  it('asks the library for own plays at the speed at which they were played', async () => {
    const mods = [{ acronym: 'DT', settings: { speed_change: 1.1 } }];
    const players = world.players
      .slice(0, 1)
      .map(each => ({ ...each, best: each.best.map(one => ({ ...one, mods })) }));
    const own = new Set(players.flatMap(({ best }) => best.map(({ beatmap_id }) => beatmap_id)));
    const asked: Parameters<Difficulty['of']>[0]['mods'][] = [];
    const library = libraryOf(world);
    const difficulty: Pick<Difficulty, 'of'> = {
      of(request, signal) {
        if (own.has(request.beatmap.id)) asked.push(request.mods);
        return library.of(request, signal);
      },
    };
    const recommend = await openRecommender({ ...world, players }, store, { difficulty });
    await recommend({ user: players[0]?.id, limit: 5, seed: 1 });
    expect(asked).toEqual([mods, mods, mods]);
  });

  it('is not far off by estimates alone', async () => {
    const ours = await measure('ours', world, 1, wayOf(world, await open()));
    expect(ours.hits).toBeGreaterThan(0.5);
    expect(ours).toMatchObject({ ownPlays: 0, repeats: 0 });
  });

  it('gives pp on osu!’s scale, though the library’s rules give a sixth less', async () => {
    const library = libraryOf(world);
    const older: Pick<Difficulty, 'of'> = {
      async of(request, signal) {
        const found = await library.of(request, signal);
        return { ...found, pp: found.pp.map(each => ({ ...each, pp: each.pp / 1.2 })) };
      },
    };
    const ours = await measure('ours', world, 1, wayOf(world, await open(older)));
    expect(ours.hits).toBeGreaterThanOrEqual(0.9);
  });

  it('gives the same for the same seed, and other maps for another', async () => {
    const recommend = await open();
    const ids = async (seed: number) => (await recommend({ user: 3, seed })).recommendations.map(one => one.beatmap.id);
    const first = await ids(1);
    expect(first).toHaveLength(10);
    expect(await ids(1)).toEqual(first);
    expect((await ids(2)).filter(id => first.includes(id)).length).toBeLessThan(8);
  });

  it('keeps to what was asked for', async () => {
    const recommend = await open();
    const wishes = { mods: parseModFilter('+DT'), ar: { low: 9.3, high: 10.5 }, length: { low: 50, high: 120 } };
    const { recommendations } = await recommend({ user: 3, seed: 1, limit: 20, ...wishes });
    expect(recommendations.length).toBeGreaterThan(5);
    for (const { mods, beatmap, reasons } of recommendations) {
      expect(mods).toContain('DT');
      expect(beatmap.total_length / 1.5).toBeLessThanOrEqual(120);
      expect(beatmap.ar).toBeGreaterThanOrEqual(8);
      expect(reasons.map(({ kind }) => kind)).toContain('stars');
    }
    const plain = await recommend({ user: 3, seed: 1, mods: parseModFilter('NM') });
    expect(new Set(plain.recommendations.flatMap(({ mods }) => mods))).toEqual(new Set());
  });

  it('is easier or harder by steps', async () => {
    const recommend = await open();
    const mean = async (bias: number) => {
      const { recommendations } = await recommend({ user: 3, seed: 1, bias });
      return recommendations.reduce((sum, { pp }) => sum + pp, 0) / recommendations.length;
    };
    const usual = await mean(0);
    expect(await mean(-2)).toBeLessThan(usual * 0.9);
    expect(await mean(2)).toBeGreaterThan(usual * 1.1);
  });

  it('says exactly what a play adds to the total', async () => {
    const { recommendations } = await (await open())({ user: 3, seed: 1 });
    const best = world.players[2]?.best.map(({ pp }) => pp ?? 0) ?? [];
    const sum = (list: readonly number[]) =>
      [...list].sort((a, b) => b - a).reduce((total, pp, index) => total + pp * 0.95 ** index, 0);
    for (const { pp, gain } of recommendations) {
      const exact = sum([...best, pp]) - sum(best);
      expect(gain).toBeGreaterThanOrEqual(exact);
      expect(gain).toBeLessThan(exact + 2.1);
    }
  });

  it('stays with estimates when the maps cannot be computed', async () => {
    const of = () => Promise.reject(new AppError('upstream_unavailable', 'no file'));
    const { recommendations } = await (await open({ of }))({ user: 3, seed: 1 });
    expect(recommendations).toHaveLength(10);
    expect(recommendations.map(({ algorithm }) => algorithm)).toEqual(Array.from({ length: 10 }, () => null));
  });

  it('gives the nearest when the maps themselves are all worth something else', async () => {
    const library = libraryOf(world);
    const of: Difficulty['of'] = async (request, signal) => {
      const found = await library.of(request, signal);
      return { ...found, pp: found.pp.map(each => ({ ...each, pp: each.pp * 0.6 })) };
    };
    const { recommendations, target } = await (await open({ of }))({ user: 3, seed: 1, limit: 5 });
    const beside = recommendations.map(({ pp }) => Math.abs(pp - (target?.middle ?? 0)));
    expect(recommendations).toHaveLength(5);
    expect(beside).toEqual(beside.toSorted((a, b) => a - b));
    const asked = await (await open({ of }))({ user: 3, seed: 1, pp: { low: 100_000, high: 100_001 } });
    expect(asked.recommendations).toEqual([]);
  });

  it('does not wait for maps that take too long', async () => {
    const of: Difficulty['of'] = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    expect((await (await open({ of }, { rescoreMs: 50 }))({ user: 3, seed: 1 })).recommendations).toHaveLength(10);
  });

  it('gives those who ask again what came late, at once, and other maps than before', async () => {
    const library = libraryOf(world);
    const late = new AbortController();
    const isLate = once(late.signal, 'abort');
    const asked = new Set<number>();
    const of: Difficulty['of'] = async (request, signal) => {
      // The files of what is asked for later never come.
      const isNew = late.signal.aborted && !asked.has(request.beatmap.id);
      asked.add(request.beatmap.id);
      await (isNew ? once(signal, 'abort') : isLate);
      return library.of(request, signal);
    };
    const waits: number[] = [];
    const { within } = createRatings({ official: { of: async () => undefined }, difficulty: undefined });
    const ratings: RecommendOptions['ratings'] = {
      within(ms) {
        waits.push(ms);
        return within(ms);
      },
    };
    const known = await openCatalogue(world.sets, store);
    // So large a catalogue that nothing is drawn twice.
    const catalogue: RecommendOptions['catalogue'] = {
      draw: async (...window) =>
        (await known.draw(...window)).filter(({ setId }) => setId % 2 === Number(late.signal.aborted)),
      sets: ids => known.sets(ids),
    };
    const recommend = await open({ of }, { catalogue, ratings, rescoreMs: 50 });
    const ask = async (seed: number) => (await recommend({ user: 3, seed, caller: 'test:1' })).recommendations;
    const first = await ask(1);
    expect(first.map(({ algorithm }) => algorithm)).toEqual(Array.from({ length: 10 }, () => null));
    late.abort();
    await setTimeout(20);
    const second = await ask(2);
    const shown = new Set(first.map(({ beatmap }) => beatmap.id));
    expect(second.filter(({ beatmap }) => shown.has(beatmap.id))).toEqual([]);
    const computed = second.filter(({ algorithm }) => algorithm !== null);
    expect(computed.length).toBeGreaterThan(0);
    expect(computed.every(({ beatmap }) => beatmap.beatmapset_id % 2 === 0)).toBe(true);
    expect(waits[0]).toBeGreaterThan(400);
    expect(waits[1]).toBeLessThanOrEqual(400);
  });
});

async function openEmpty(
  own: Partial<RecommendOptions['beatmaps']> = {},
  sets = [madeUpSet()],
  instead?: RecommendOptions['catalogue'],
) {
  const store = openStore(':memory:');
  const catalogue = createCatalogueHere({ store, onFailure: failure => expect.unreachable(String(failure)) });
  onTestFinished(async () => {
    await catalogue.close();
    store.close();
  });
  catalogue.remember(sets);
  await catalogue.flush();
  const fresh = { source: 'osu', stale: false } as const;
  const log = createRecordingLog();
  const nowhere = () => Promise.reject(new AppError('not_found', 'nothing here', { params: { what: 'beatmap' } }));
  const recommend = createRecommend({
    beatmaps: {
      user: async () => ({ ...fresh, user: madeUpPlayer(1, 0) }),
      userScores: async () => ({ ...fresh, scores: [], cursor: null }),
      search: async () => ({ ...fresh, sets: [], total: 0, cursor: null, corrected: false }),
      set: nowhere,
      setOfMap: nowhere,
      ...own,
    },
    catalogue: instead ?? catalogue,
    history: createRecommendationHistory({ records: embeddedRecords(store) }),
    log,
  });
  return { recommend, log };
}

const EASY = madeUpSet({ id: 55, beatmaps: [madeUpBeatmap({ id: 551, difficulty_rating: 1.8, beatmapset_id: 55 })] });

describe('without much to go by', () => {
  it('starts a new player gently', async () => {
    const { recommend } = await openEmpty({}, [madeUpSet(), EASY]);
    const { recommendations } = await recommend({ user: 1, seed: 1 });
    expect(recommendations.map(({ beatmap }) => beatmap.id)).toEqual([551]);
    expect(recommendations[0]?.reasons[0]).toEqual({ kind: 'start' });
    expect(recommendations[0]?.gain).toBeGreaterThan(0);
  });

  it('promises nothing for loved maps', async () => {
    const loved = madeUpSet({ ...EASY, status: 'loved' });
    const { recommendations } = await (await openEmpty({}, [loved])).recommend({ user: 1, seed: 1, loved: true });
    expect(recommendations.map(({ beatmap, gain }) => [beatmap.id, gain])).toEqual([[551, 0]]);
  });

  it('takes stars, pp or an approach rate for a player', async () => {
    const { recommend } = await openEmpty({}, [madeUpSet(), EASY]);
    const ids = async (wishes: object) =>
      (await recommend({ seed: 1, ...wishes })).recommendations.map(({ beatmap, gain }) => [beatmap.id, gain]);
    expect(await ids({ stars: { low: 5, high: 6 } })).toEqual([[9_010, null]]);
    expect(await ids({ pp: { low: 150, high: 260 } })).toEqual([[9_010, null]]);
    expect(await ids({ ar: { low: 8.9, high: 9.1 } })).toEqual([[9_010, null]]);
    expect(await ids({ stars: { low: 8, high: 9 } })).toEqual([]);
  });

  it('finds maps like another, and not that one', async () => {
    const twin = madeUpSet({ id: 77, beatmaps: [madeUpBeatmap({ id: 771, beatmapset_id: 77 })] });
    const set = madeUpSet();
    const beatmap = set.beatmaps[0] ?? madeUpBeatmap();
    const { recommend } = await openEmpty({ setOfMap: async () => ({ set, beatmap, source: 'osu', stale: false }) }, [
      set,
      twin,
      EASY,
    ]);
    const { recommendations } = await recommend({ like: 9_010, seed: 1 });
    expect(recommendations.map(one => one.beatmap.id)).toEqual([771]);
    expect(recommendations[0]?.reasons[0]).toMatchObject({ kind: 'like', beatmap: { id: 9_010 } });
  });

  it('distinguishes a missing map from a missing player', async () => {
    const { recommend } = await openEmpty();
    await expect(recommend({ like: 5, seed: 1 })).rejects.toMatchObject({
      code: 'not_found',
      params: { what: 'beatmap' },
    });
    await expect(recommend({ like: 'x', seed: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
      params: { what: 'like' },
    });
  });

  it('asks the upstreams when the catalogue knows too little', async () => {
    const search = async () =>
      ({ sets: [EASY], total: 1, cursor: null, source: 'osu', stale: false, corrected: false }) as const;
    const { recommend } = await openEmpty({ search }, []);
    expect((await recommend({ seed: 1 })).recommendations.map(({ beatmap }) => beatmap.id)).toEqual([551]);
  });

  it('asks them for loved maps too where these are wanted, and not otherwise', async () => {
    const loved = madeUpSet({
      ...EASY,
      id: 56,
      status: 'loved',
      beatmaps: [madeUpBeatmap({ ...EASY.beatmaps[0], id: 561 })],
    });
    const search: RecommendOptions['beatmaps']['search'] = async ({ status }) => {
      const sets = status === 'leaderboard' ? [EASY, loved] : [EASY];
      return { sets, total: sets.length, cursor: null, source: 'osu', stale: false, corrected: false };
    };
    const { recommend } = await openEmpty({ search }, []);
    const ids = async (wishes: object) =>
      (await recommend({ seed: 1, ...wishes })).recommendations.map(({ beatmap }) => beatmap.id).sort();
    expect(await ids({})).toEqual([551]);
    expect(await ids({ loved: true })).toEqual([551, 561]);
    expect(await ids({})).toEqual([551]);
  });

  it('asks them alone when the catalogue is away', async () => {
    const search = async () =>
      ({ sets: [EASY], total: 1, cursor: null, source: 'osu', stale: false, corrected: false }) as const;
    const away = () => Promise.reject(new AppError('upstream_unavailable', 'the catalogue is closed'));
    const { recommend } = await openEmpty({ search }, [], { draw: away, sets: away });
    expect((await recommend({ seed: 1 })).recommendations.map(({ beatmap }) => beatmap.id)).toEqual([551]);
  });

  it('does not fail with them', async () => {
    const { recommend, log } = await openEmpty(
      {
        search: () => Promise.reject(new AppError('upstream_unavailable', 'down')),
        userScores: async (_, type) => {
          if (type === 'recent') throw new AppError('timeout', 'slow');
          return { scores: [], cursor: null, source: 'osu', stale: false };
        },
      },
      [EASY],
    );
    const { recommendations } = await recommend({ user: 1, seed: 1 });
    expect(recommendations.map(({ beatmap }) => beatmap.id)).toEqual([551]);
    expect(log.lines.length).toBe(2);
  });

  it('says that they cannot be asked, not that nothing fits, when the catalogue knows nothing', async () => {
    const down = new AppError('upstream_unavailable', 'no way there', { params: { what: 'offline' } });
    const { recommend } = await openEmpty({ search: () => Promise.reject(down) }, []);
    await expect(recommend({ user: 1, seed: 1 })).rejects.toBe(down);
    await expect(recommend({ stars: { low: 5, high: 6 }, seed: 1 })).rejects.toBe(down);
    const { recommend: asked } = await openEmpty({}, []);
    expect((await asked({ user: 1, seed: 1 })).recommendations).toEqual([]);
  });
});

describe('what was recommended', () => {
  it('is told apart from what does not fit', async () => {
    const { recommend } = await openEmpty({}, [EASY]);
    const ask = (stars?: { low: number; high: number }) => recommend({ user: 1, caller: 'test:1', stars });
    expect(await ask()).toMatchObject({ recommendations: [{ beatmap: { id: 551 } }], isOver: false });
    expect(await ask()).toMatchObject({ recommendations: [], isOver: true });
    expect(await ask({ low: 20, high: 30 })).toMatchObject({ recommendations: [], isOver: false });
  });

  it('does not come again for 28 days, or until it is forgotten', async () => {
    const store = openStore(':memory:');
    onTestFinished(() => store.close());
    const clock = { ms: 1e12 };
    const now = () => clock.ms;
    const history = createRecommendationHistory({ records: embeddedRecords(store, now), now });
    await history.add('web:1', [1, 2]);
    await history.add('web:1', [4]);
    await history.add('web:1', []);
    await history.add('web:2', [3]);
    expect(await history.mapsOf('web:1')).toEqual(new Set([1, 2, 4]));
    clock.ms += 27 * 86_400_000;
    expect((await history.mapsOf('web:1')).size).toBe(3);
    await history.forgetUser('web:1');
    expect((await history.mapsOf('web:1')).size).toBe(0);
    clock.ms += 86_400_000;
    expect((await history.mapsOf('web:2')).size).toBe(0);
  });
});
