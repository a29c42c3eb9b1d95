import { describe, expect, it } from 'vitest';
import type { DifficultyRequest, MapDifficulty } from '../../../src/beatmaps/difficulty/difficulty.ts';
import type { OfficialRating } from '../../../src/beatmaps/rating/official-stars.ts';
import { createRatings, type RatingRequest } from '../../../src/beatmaps/rating/ratings.ts';
import { AppError } from '../../../src/errors.ts';

const never = new AbortController().signal;

const FIGURES: MapDifficulty = {
  stars: 7,
  plainStars: 5,
  maxCombo: 812,
  ...{ ar: 9, od: 8, cs: 4, hp: 5, bpm: 180, clockRate: 1, lengthSeconds: 120 },
  pp: [{ accuracy: 98, pp: 200 }],
  play: { pp: 100, ppIfFullCombo: 150 },
  strains: null,
  algorithm: '2025-03-06',
  isOtherFile: false,
  isExact: false,
};

const mapOf = (id: number, stars: number) => ({ id, checksum: null, mode: 'osu', difficulty_rating: stars }) as const;
const withDt = (id: number, stars: number): RatingRequest => ({ beatmap: mapOf(id, stars), mods: ['DT'] });

function open(official: ReadonlyMap<number, OfficialRating>, figures: (id: number) => MapDifficulty = () => FIGURES) {
  const asked: number[] = [];
  const computed: DifficultyRequest[] = [];
  const ratings = createRatings({
    official: {
      async of({ id }) {
        asked.push(id);
        return official.get(id);
      },
    },
    difficulty: {
      async of(request) {
        computed.push(request);
        return figures(request.beatmap.id);
      },
    },
  });
  return { ratings, asked, computed };
}

const told = (stars: number): OfficialRating => ({ stars, maxCombo: 800 });

describe('the rating of a map', () => {
  it('is osu!’s own without mods, for which nobody is asked', async () => {
    const { ratings, asked, computed } = open(new Map());
    const rating = await ratings.of({ beatmap: mapOf(1, 5.43), mods: ['NF', { acronym: 'CL' }] }, never);
    expect(rating).toMatchObject({ stars: 5.43, isEstimate: false });
    expect([asked, computed]).toEqual([[], []]);
  });

  it('is osu!’s own with mods, while pp is the library’s', async () => {
    const { ratings } = open(new Map([[1, told(7.7)]]));
    const rating = await ratings.of({ ...withDt(1, 5), accuracies: [98] }, never);
    expect(rating).toMatchObject({ stars: 7.7, isEstimate: false, ppError: 0.09 });
    expect(rating.pp[0]?.pp).toBe(200);
  });

  it('is else the library’s, in proportion to what osu! says without mods', async () => {
    const { ratings } = open(new Map());
    const rating = await ratings.of(withDt(1, 5.5), never);
    expect(rating).toMatchObject({ isEstimate: true, algorithm: '2025-03-06' });
    expect(rating.stars).toBeCloseTo(7 * 1.1, 6);
  });

  it('takes no proportion from another map under the same number', async () => {
    const { ratings } = open(new Map([[2, told(70)]]));
    expect((await ratings.of(withDt(1, 9), never)).stars).toBe(7);
    const far = await ratings.of({ ...withDt(2, 9), accuracies: [98] }, never);
    expect(far.stars).toBe(70);
    expect(far.pp[0]?.pp).toBe(200);
  });

  it('is of the map’s figures where it cannot be read', async () => {
    const { ratings } = open(new Map(), () => {
      throw new AppError('upstream_unavailable', 'no file');
    });
    const rating = await ratings.of({ ...withDt(1, 5), accuracies: [98] }, never);
    expect(rating).toMatchObject({ isEstimate: true, algorithm: null, pp: [], play: null });
    expect(rating.stars).toBeGreaterThan(6);
  });

  it('puts a play on the scale of what osu! gave for it', async () => {
    const { ratings } = open(new Map([[1, told(7.7)]]));
    const play = { statistics: { great: 10 }, max_combo: 10, lazer: true };
    const known = await ratings.of({ ...withDt(1, 5), play, knownPp: 120 }, never);
    expect(known.play).toEqual({ pp: 120, ppIfFullCombo: 180 });
    expect(known.ppError).toBeNull();
    const unknown = await ratings.of({ ...withDt(1, 5), play, knownPp: null }, never);
    expect(unknown.play?.pp).toBe(100);
  });

  it('is the calculator’s own where that is osu!’s, and osu! is not asked', async () => {
    const asked: number[] = [];
    const ratings = createRatings({
      official: {
        async of({ id }) {
          asked.push(id);
          return told(9);
        },
      },
      difficulty: { of: async () => ({ ...FIGURES, isExact: true }), isExact: () => true },
    });
    const play = { statistics: {}, max_combo: 1, lazer: true };
    const rating = await ratings.of({ ...withDt(1, 5.5), accuracies: [98], play, knownPp: 120 }, never);
    expect(rating).toMatchObject({
      stars: 7,
      isEstimate: false,
      isExact: true,
      ppError: null,
      pp: [{ pp: 200 }],
      play: { pp: 100 },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    ['the map has no file', undefined],
    ['only another version of its file is there', { ...FIGURES, isOtherFile: true }],
    ['the calculator fails on it', FIGURES],
  ])('is asked of osu! where %s, although the calculator works', async (_, figures) => {
    const ratings = createRatings({
      official: { of: async () => told(8) },
      difficulty: {
        async of() {
          if (figures === undefined) throw new AppError('not_found', 'no file');
          return figures;
        },
        isExact: () => true,
      },
    });
    expect(await ratings.of(withDt(1, 5.5), never)).toMatchObject({ stars: 8, isEstimate: false, isExact: false });
  });

  it('is not asked of osu! where the calculator is late, since that answer would be later still', async () => {
    let asked = 0;
    const ratings = createRatings({
      official: {
        async of() {
          asked += 1;
          return told(8);
        },
      },
      difficulty: { of: () => new Promise(() => undefined), isExact: () => true },
      waitMs: 20,
    });
    expect(await ratings.of(withDt(1, 5.5), never)).toMatchObject({ isEstimate: true });
    expect(asked).toBe(0);
  });

  it('is not asked of osu! where estimates are enough', async () => {
    const { ratings, asked } = open(new Map([[1, told(7.7)]]));
    expect(await ratings.of({ ...withDt(1, 5.5), isScan: true }, never)).toMatchObject({ isEstimate: true });
    expect(asked).toEqual([]);
  });

  it('refuses what is wrong with the question', async () => {
    const { ratings } = open(new Map(), () => {
      throw new AppError('invalid_request', 'mods', { params: { what: 'mods' } });
    });
    await expect(ratings.of(withDt(1, 5), never)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('ends with who asked', async () => {
    const reason = new Error('gone');
    const ratings = createRatings({
      official: { of: (_map, _ruleset, _mods, signal) => Promise.reject(signal.reason) },
      difficulty: { of: (_request, signal) => Promise.reject(signal.reason) },
    });
    await expect(ratings.of(withDt(1, 5), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('the ratings of an answer', () => {
  it('ask osu! for the hardest five, and put the others in their proportion', async () => {
    const stars = [1, 2, 3, 4, 5, 6, 7];
    const { ratings, asked } = open(new Map(stars.map(each => [each, told(each * 1.5)])), id => ({
      ...FIGURES,
      stars: id * 1.25,
      plainStars: id,
    }));
    const rated = await ratings.ofMaps(
      stars.map(each => withDt(each, each)),
      never,
    );
    expect(asked.toSorted()).toEqual([3, 4, 5, 6, 7]);
    expect(rated.map(({ isEstimate }) => isEstimate)).toEqual([true, true, false, false, false, false, false]);
    for (const [index, each] of rated.entries()) expect(each.stars).toBeCloseTo((stars[index] ?? 0) * 1.5, 6);
  });

  it('ask for what the answer is about first', async () => {
    const { ratings, asked } = open(new Map());
    const others = [2, 3, 4, 5, 6, 7].map(each => withDt(each, each));
    await ratings.ofMaps([...others, { ...withDt(1, 1), accuracies: [98] }], never);
    expect(asked).toContain(1);
    expect(asked).toHaveLength(5);
  });
});

describe('ratings in a hurry', () => {
  it('leave out what is late, which is there when the same is asked again', async () => {
    let work = 0;
    let finish: (figures: typeof FIGURES) => void = () => undefined;
    const slow = new Promise<typeof FIGURES>(resolve => (finish = resolve));
    const ratings = createRatings({
      official: { of: async () => undefined },
      difficulty: {
        of() {
          work += 1;
          return slow;
        },
      },
    });
    const hurried = ratings.within(10);
    const first = await hurried.ratings.of(withDt(1, 5.5), never);
    expect(first).toMatchObject({ isEstimate: true, algorithm: null });
    expect(hurried.isIncomplete()).toBe(true);
    finish(FIGURES);
    const patient = ratings.within(50_000);
    expect(await patient.ratings.of(withDt(1, 5.5), never)).toMatchObject({ algorithm: '2025-03-06' });
    expect([patient.isIncomplete(), work]).toEqual([false, 2]);
  });

  it('end what is late after a while, and say what is wrong with the question', async () => {
    const ended = new AbortController();
    const ratings = createRatings({
      official: {
        of: (_map, _ruleset, _mods, signal) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              ended.abort();
              reject(signal.reason);
            }),
          ),
      },
      difficulty: { of: () => Promise.reject(new AppError('invalid_request', 'mods')) },
      waitMs: 30,
    });
    await expect(ratings.within(5).ratings.of(withDt(1, 5), never)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect.poll(() => ended.signal.aborted).toBe(true);
  });
});
