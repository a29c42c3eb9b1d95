import { describe, expect, it } from 'vitest';
import { simulate } from '../../../src/beatmaps/plays/simulated-play.ts';
import { madeUpBeatmap } from '../made-up-sets.ts';

const MAP = madeUpBeatmap({ count_circles: 400, count_sliders: 100, count_spinners: 0, max_combo: 700 });
const statisticsOf = (play: Parameters<typeof simulate>[0], map = MAP, ruleset = map.mode) =>
  simulate(play, map, ruleset).request.play?.statistics;

describe('a play that did not happen', () => {
  it('is as good as it can be where nothing is said', () => {
    expect(statisticsOf({ n100: 20, misses: 2 })).toMatchObject({ great: 478, ok: 20, meh: 0, miss: 2 });
  });

  it.each([
    [{ n300: 450 }, { great: 450, ok: 50, meh: 0, miss: 0 }],
    [
      { n300: 450, n100: 30 },
      { great: 450, ok: 30, meh: 20, miss: 0 },
    ],
    [
      { n300: 450, n100: 30, n50: 10 },
      { great: 450, ok: 30, meh: 10, miss: 10 },
    ],
    [
      { n300: 450, n100: 50, n50: 0, misses: 0 },
      { great: 450, ok: 50, meh: 0, miss: 0 },
    ],
  ])('has a result for every object: %j', (play, statistics) => {
    expect(statisticsOf(play)).toMatchObject(statistics);
  });

  it('fills taiko with what it has, and mania with perfect hits', () => {
    const drums = madeUpBeatmap({ mode: 'taiko', count_circles: 300, count_sliders: 5 });
    expect(statisticsOf({ n300: 280, n100: 10 }, drums)).toMatchObject({ great: 280, ok: 10, meh: 0, miss: 10 });
    const keys = madeUpBeatmap({ mode: 'mania', count_circles: 300, count_sliders: 100, count_spinners: 0 });
    expect(statisticsOf({ n300: 100, misses: 1 }, keys)).toMatchObject({ perfect: 299, great: 100, miss: 1 });
  });

  it.each([[{ n300: 501 }], [{ n300: 450, n100: 10, n50: 10, misses: 1 }]])(
    'is refused where the results do not fit: %j',
    play => {
      expect(() => statisticsOf(play)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    },
  );

  it('has the misses that are left where all other results are counted, and no more than objects', () => {
    expect(simulate({ n300: 450, n100: 30, n50: 10 }, MAP, 'osu').misses).toBe(10);
    expect(() => simulate({ misses: 501 }, MAP, 'osu')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('has the best accuracy that its misses allow, in mania with the ends of hold notes unless it is of osu!stable', () => {
    const holds = madeUpBeatmap({ mode: 'mania', count_circles: 0, count_sliders: 500, count_spinners: 0 });
    expect(simulate({ misses: 10 }, holds, 'mania').accuracy).toBe(99);
    expect(simulate({ misses: 10 }, holds, 'mania', [{ acronym: 'HD' }, { acronym: 'CL' }]).accuracy).toBe(98);
  });

  it('on a map whose objects are stated as none has the accuracy that is said', () => {
    const empty = { ...MAP, count_circles: 0, count_sliders: 0 };
    expect(simulate({ accuracy: 98, misses: 1 }, empty, 'osu')).toMatchObject({ accuracy: 98, misses: 1 });
    expect(simulate({ combo: 5 }, empty, 'osu').request).toEqual({ accuracies: [100], misses: 0, combo: 5 });
  });

  it('of a convert takes accuracy, and no counts: its objects are others', () => {
    const { accuracy, request } = simulate({ misses: 30 }, MAP, 'mania');
    expect([accuracy, request]).toEqual([100, { accuracies: [100], misses: 30 }]);
    expect(() => simulate({ n100: 3 }, MAP, 'taiko')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
