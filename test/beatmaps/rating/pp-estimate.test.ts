import { describe, expect, it } from 'vitest';
import { RULESETS } from '../../../src/beatmaps/model/beatmapset.ts';
import { estimateErrors } from '../../bench/estimate-bench.ts';

const MAPS = 60;

describe('estimates from figures alone', () => {
  it.each(RULESETS)('are as near to the library in %s as they say', ruleset => {
    const bands = [...estimateErrors(ruleset, MAPS).values()];
    const off = bands.flatMap(({ pp }) => pp).toSorted((a, b) => a - b);
    const stars = bands.flatMap(each => each.stars).toSorted((a, b) => a - b);
    expect(off.length).toBeGreaterThan(50);
    for (const errors of [off, stars]) {
      expect(errors[Math.floor(errors.length * 0.5)]).toBeLessThan(0.1);
      expect(errors[Math.floor(errors.length * 0.9)]).toBeLessThan(0.25);
    }
  });
});
