import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RULESETS } from '../../../src/beatmaps/model/beatmapset.ts';
import { createTotalPp, weightedPp } from '../../../src/beatmaps/plays/total-pp.ts';
import { figuresWith, modClassOf } from '../../../src/beatmaps/rating/mod-class.ts';
import { estimatePp, starsForPp } from '../../../src/beatmaps/rating/pp-estimate.ts';
import { allowsClass, modsToPlay, parseFilterRange, parseModFilter } from '../../../src/beatmaps/recommend/filters.ts';

const MAP = { ruleset: 'osu', stars: 5, ar: 9, od: 8, cs: 4, bpm: 180, length: 180 } as const;

describe('mods', () => {
  it.each([
    ['', { ar: 9, od: 8, cs: 4, bpm: 180, length: 180, stars: 5 }],
    ['DT', { ar: 10.333, od: 9.778, cs: 4, bpm: 270, length: 120 }],
    ['HT', { ar: 7.667, od: 6.222, bpm: 135, length: 240 }],
    ['HR', { ar: 10, od: 10, cs: 5.2, bpm: 180 }],
    ['EZ', { ar: 4.5, od: 4, cs: 2 }],
    ['DTHR', { ar: 11, bpm: 270 }],
  ])('make of a map with %s what osu! makes of it', (mods, expected) => {
    const figures = figuresWith(MAP, modClassOf(mods.match(/../g) ?? []));
    for (const [name, value] of Object.entries(expected))
      expect(figures).toHaveProperty(name, expect.closeTo(value, 2));
  });

  it('change it less at a slower speed of a play', () => {
    const [slower, usual] = [1.1, 1.5].map(speed_change =>
      figuresWith(MAP, modClassOf([{ acronym: 'NC', settings: { speed_change } }])),
    );
    expect(usual).toEqual(figuresWith(MAP, modClassOf(['DT'])));
    expect(slower).toMatchObject({ bpm: expect.closeTo(198, 6), length: expect.closeTo(163.6, 1) });
    expect(slower?.ar).toBeCloseTo(9.364, 3);
    expect(slower?.stars).toBeCloseTo(5.41, 1);
    expect(modClassOf([{ acronym: 'DT', settings: { speed_change: 1.1 } }]).key).toBe('DT');
  });

  it('leave keys and hit windows of mania alone, and know no approach there', () => {
    const figures = figuresWith({ ...MAP, ruleset: 'mania', cs: 7, ar: null }, modClassOf(['DT', 'HR']));
    expect(figures).toMatchObject({ ar: null, cs: 7, od: 8, bpm: 270 });
    expect(figuresWith({ ...MAP, ruleset: 'taiko' }, modClassOf([]))).toMatchObject({ ar: null, cs: null });
  });

  it('are the same class however they are written', () => {
    expect(modClassOf(['HD', 'NC', 'SD', 'HR', 'CL']).key).toBe('DTHR');
    expect(modClassOf(['HR', 'DT']).key).toBe('DTHR');
    expect(modClassOf(['HD', 'NF']).key).toBe('');
  });
});

describe('wishes of mods', () => {
  it('say what must be, what never, and what alone', () => {
    expect(parseModFilter(' HDNC,-FL')).toEqual({ must: ['HD', 'DT'], never: ['FL'], exact: false });
    expect(parseModFilter('+dt!')).toEqual({ must: ['DT'], never: [], exact: true });
    expect(parseModFilter('nomod')).toEqual({ must: [], never: [], exact: true });
  });

  it.each(['D', 'DTX', '+', '-', 'DT HT', 'NM DT', 'DT -NC', 'CL', 'x'.repeat(80), '✨✨'])('refuse %s', text => {
    expect(() => parseModFilter(text)).toThrow();
  });

  it('choose classes, and HD on top', () => {
    const [plain, fast, both] = [[], ['DT'], ['DT', 'HR']].map(modClassOf);
    if (plain === undefined || fast === undefined || both === undefined) throw new TypeError('three classes');
    const allowed = (text: string) => [plain, fast, both].map(each => allowsClass(parseModFilter(text), each));
    expect(allowed('DT')).toEqual([false, true, true]);
    expect(allowed('DT!')).toEqual([false, true, false]);
    expect(allowed('-HR')).toEqual([true, true, false]);
    expect(allowed('HD')).toEqual([true, true, true]);
    expect(allowed('NM')).toEqual([true, false, false]);
    expect(modsToPlay(parseModFilter('HD'), fast, false)).toEqual(['HD', 'DT']);
    expect(modsToPlay(parseModFilter('-HD'), fast, true)).toEqual(['DT']);
    expect(modsToPlay(parseModFilter('NM'), plain, true)).toEqual([]);
  });

  it('never fail otherwise than with a reason', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), text => {
        try {
          parseModFilter(text);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request', params: { what: 'mods' } });
        }
      }),
    );
  });
});

describe('ranges', () => {
  it.each([
    ['5-6', { low: 4.995, high: 6.005 }],
    ['5..6', { low: 4.995, high: 6.005 }],
    ['5-', { low: 4.995, high: Number.POSITIVE_INFINITY }],
    ['-6', { low: 0, high: 6.005 }],
    ['5', { low: 4.75, high: 5.25 }],
  ])('of stars are read from %s', (text, expected) => {
    expect(parseFilterRange('stars', text)).toEqual({
      low: expect.closeTo(expected.low, 6),
      high: Number.isFinite(expected.high) ? expect.closeTo(expected.high, 6) : expected.high,
    });
  });

  it.each(['', '-', '6-5', 'many', '1e3', '5-6-7'])('are not read from "%s"', text => {
    expect(parseFilterRange('stars', text)).toBeUndefined();
  });
});

describe('pp', () => {
  it('grows with stars and accuracy in every ruleset, and leads back to the stars', () => {
    for (const ruleset of RULESETS) {
      const play = { ruleset, accuracy: 0.98, misses: 0, objects: 700, ar: 9 };
      const pp = estimatePp({ ...play, stars: 5 });
      expect(estimatePp({ ...play, stars: 5.2 })).toBeGreaterThan(pp);
      expect(estimatePp({ ...play, stars: 5, accuracy: 0.96 })).toBeLessThan(pp);
      // In mania a miss costs accuracy, which is the same here, and nothing else.
      if (ruleset !== 'mania') expect(estimatePp({ ...play, stars: 5, misses: 3 })).toBeLessThan(pp);
      expect(starsForPp(pp, play)).toBeCloseTo(5, 4);
    }
  });

  it('in all grows by exactly what the play pushes in', () => {
    const amounts = fc.array(fc.double({ min: 1, max: 900, noNaN: true }), { maxLength: 200 });
    fc.assert(
      fc.property(amounts, fc.double({ min: 1, max: 900, noNaN: true }), (best, pp) => {
        const sorted = [...best].sort((a, b) => b - a);
        const withIt = [...best, pp].sort((a, b) => b - a);
        // A total that holds the whole bonus grows by no more of it.
        const total = createTotalPp(best, weightedPp(sorted) + 500);
        expect(total.gain(pp)).toBeCloseTo(weightedPp(withIt) - weightedPp(sorted), 6);
      }),
    );
    expect(createTotalPp([], null).gain(100)).toBeCloseTo(100 + 416.6667 * 0.005, 4);
  });
});
