import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maniaHits, maniaShares } from '../../../src/beatmaps/difficulty/mania-hits.ts';

describe('the results of a mania play', () => {
  it('have the accuracy asked for, and every object once', () => {
    const accuracies = fc.double({ min: 0.8, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        accuracies,
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 20 }),
        (accuracy, od, misses) => {
          const { nGeki, n300, nKatu, n100, n50, misses: missed } = maniaHits(2_000, accuracy, misses, od);
          expect(nGeki + n300 + nKatu + n100 + n50 + missed).toBe(2_000);
          const worth = (nGeki + n300 + (nKatu * 2) / 3 + n100 / 3 + n50 / 6) / 2_000;
          expect(Math.abs(worth - Math.min(accuracy, 1 - misses / 2_000))).toBeLessThan(0.002);
        },
      ),
    );
  });

  it('are more perfect the more accurate the play is', () => {
    const [good, better, best] = [0.93, 0.97, 1].map(accuracy => maniaShares(accuracy, 8).nGeki);
    expect(good).toBeLessThan(better ?? 0);
    expect(better).toBeLessThan(best ?? 0);
    expect(best).toBe(1);
  });
});
