import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addPlays, replacePlay, replacePlays, weightedPp, worthNeeded } from '../../../src/beatmaps/plays/total-pp.ts';

const best = [300, 280, 250, 200, 120];
const standing = { best, total: weightedPp(best) + 100 };

describe('more plays', () => {
  it('push the worse ones down, and say where they stand', () => {
    const { total, gain, place } = addPlays(standing, 260, 1);
    expect(place).toBe(3);
    const pushed = weightedPp([300, 280, 260, 250, 200, 120]) - weightedPp(best);
    expect(gain).toBeGreaterThanOrEqual(pushed);
    // Beside it there is only the bonus for one more ranked play, 2 pp at most.
    expect(gain - pushed).toBeLessThan(2.1);
    expect(total).toBeCloseTo(standing.total + gain);
  });

  it('count as often as they are asked for', () => {
    const once = addPlays(standing, 400, 1);
    const twice = addPlays(standing, 400, 2);
    expect(twice.gain).toBeGreaterThan(once.gain);
    expect(twice.gain).toBeLessThan(once.gain * 2);
    expect(twice.place).toBe(1);
  });

  it('have no place beyond what osu! gives', () => {
    const full = { best: Array.from({ length: 200 }, () => 300), total: 6_100 };
    expect(addPlays(full, 10, 1).place).toBeNull();
  });

  it('take what there is for the total where there is none', () => {
    expect(addPlays({ best: [], total: null }, 100, 1).total).toBeGreaterThanOrEqual(100);
  });
});

describe('a target', () => {
  it('is reached by the plays that it asks for, and hardly passed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 900, noNaN: true }), { maxLength: 30 }),
        fc.integer({ min: 25, max: 400 }),
        fc.constantFrom(1, 3, 10),
        (plays, more, times) => {
          const total = weightedPp(plays.toSorted((a, b) => b - a));
          const needed = worthNeeded({ best: plays, total }, total + more, times);
          if (needed === null) return;
          expect(addPlays({ best: plays, total }, needed, times).total).toBeGreaterThanOrEqual(total + more);
          expect(addPlays({ best: plays, total }, Math.max(0, needed - 0.2), times).total).toBeLessThan(
            total + more + 0.001,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is out of reach where no play is worth so much', () => {
    expect(worthNeeded(standing, 100_000, 1)).toBeNull();
  });
});

describe('a better play on a map', () => {
  it('takes the place of the one that is there, or is one more', () => {
    const better = replacePlay(standing, 4, 260);
    expect(better.place).toBe(3);
    expect(better.gain).toBeCloseTo(weightedPp([300, 280, 260, 250, 200]) - weightedPp(best));
    expect(replacePlay(standing, -1, 260)).toEqual(addPlays(standing, 260, 1));
  });
});

describe('other worths', () => {
  it('change the total by what they change of the sum', () => {
    expect(replacePlays(standing, best)).toBeCloseTo(standing.total);
    expect(replacePlays(standing, [300, 280, 250, 200, 320])).toBeCloseTo(100 + weightedPp([320, 300, 280, 250, 200]));
  });
});
