import { describe, expect, it } from 'vitest';
import { withMods } from '../../../src/beatmaps/model/mods.ts';
import { madeUpBeatmap } from '../made-up-sets.ts';

const map = madeUpBeatmap({ ar: 9, od: 8, cs: 4, hp: 5, bpm: 180, total_length: 180, hit_length: 150 });

function settings(mods: readonly string[], own: Parameters<typeof madeUpBeatmap>[0] = {}) {
  const { ar, od, cs, hp, bpm, total_length } = withMods({ ...map, ...own }, mods);
  return [ar, od, cs, hp, bpm, total_length].map(value => (value === null ? null : Math.round(value * 100) / 100));
}

describe('a difficulty with mods', () => {
  it.each([
    [[], {}, [9, 8, 4, 5, 180, 180]],
    [['HD'], {}, [9, 8, 4, 5, 180, 180]],
    [['HR'], {}, [10, 10, 5.2, 7, 180, 180]],
    [['EZ'], {}, [4.5, 4, 2, 2.5, 180, 180]],
    [['DT'], {}, [10.33, 9.78, 4, 5, 270, 120]],
    [['NC'], {}, [10.33, 9.78, 4, 5, 270, 120]],
    [['HT'], {}, [7.67, 6.22, 4, 5, 135, 240]],
    [['HR', 'DT'], {}, [11, 11.11, 5.2, 7, 270, 120]],
    [['EZ', 'DT'], {}, [7.4, 7.11, 2, 2.5, 270, 120]],
    [['DT'], { mode: 'taiko', od: 5 }, [10.33, 8.89, 4, 5, 270, 120]],
    [['DT', 'HR'], { mode: 'mania', cs: 7 }, [9, 8, 7, 7, 270, 120]],
    [['DT'], { ar: null, od: null, cs: null, hp: null, bpm: null }, [null, null, null, null, null, 120]],
  ] as const)('%j of %j', (mods, own, expected) => {
    expect(settings(mods, own)).toEqual(expected);
  });

  it('keeps stars and combo', () => {
    expect(withMods(map, ['DT'])).toMatchObject({ difficulty_rating: 5.2, max_combo: 900, hit_length: 100 });
  });
});
