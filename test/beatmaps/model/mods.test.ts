import { describe, expect, it } from 'vitest';
import { changeMods, clockRateOf, parseMods, parseModWishes } from '../../../src/beatmaps/model/mods.ts';

describe('mods as people write them', () => {
  it.each([
    ['+HDDT', ['HD', 'DT']],
    ['hd dt', ['HD', 'DT']],
    ['HDDT', ['HD', 'DT']],
    ['HD,DT', ['HD', 'DT']],
    ['+HD +DT', ['HD', 'DT']],
    ['hdhd', ['HD']],
    ['', []],
    ['nm', []],
    ['+NoMod', []],
    ['NCDT', ['NC']],
    ['ezhtnfflso', ['EZ', 'HT', 'FL', 'NF', 'SO']],
    ['hrcl', ['HR', 'CL']],
  ])('reads %j', (text, mods) => {
    expect(parseMods(text)).toEqual(mods);
  });

  it.each([
    ['XX', 'unknown', 'XX'],
    ['HDD', 'unknown', 'D'],
    ['<@everyone>', 'unknown', undefined],
    ['HD'.repeat(40), 'unknown', undefined],
    ['ezhr', 'clash', 'EZ HR'],
    ['dtht', 'clash', 'DT HT'],
    ['nfsd', 'clash', 'NF SD'],
    ['4K7K', 'clash', '4K 7K'],
  ])('refuses %j', (text, reason, mods) => {
    const params = { what: 'mods', reason, ...(mods === undefined ? {} : { mods }) };
    expect(() => parseMods(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => parseMods(text)).toThrow(expect.objectContaining({ params: expect.objectContaining(params) }));
  });

  it('knows which rulesets have them', () => {
    expect(parseMods('4K', 'mania')).toEqual(['4K']);
    expect(() => parseMods('4K', 'osu')).toThrow(
      expect.objectContaining({ params: { what: 'mods', reason: 'ruleset', mods: '4K' } }),
    );
    expect(() => parseMods('SO', 'taiko')).toThrow();
    // osu!lazer mirrors maps in every ruleset but taiko.
    for (const ruleset of ['osu', 'fruits', 'mania'] as const) expect(parseMods('MR', ruleset)).toEqual(['MR']);
    expect(() => parseMods('MR', 'taiko')).toThrow();
  });

  it('knows the speed', () => {
    expect(clockRateOf([])).toBe(1);
    expect(clockRateOf(['HD', 'NC'])).toBe(1.5);
    expect(clockRateOf(['HT'])).toBe(0.75);
    expect(clockRateOf([{ acronym: 'DT', settings: { speed_change: 1.3 } }])).toBe(1.3);
  });

  it.each([
    ['+HR', 'DT HR CL'],
    ['+EZ -DT', 'EZ CL'],
    ['HD!', 'HD CL'],
    ['NM', 'CL'],
    ['+HT', 'HT HR CL'],
    ['+HDDT', 'HD DT HR CL'],
    ['-NC', 'HR CL'],
  ])('are those of a play with %s in their place, in the usual order', (text, after) => {
    const fast = { acronym: 'DT', settings: { speed_change: 1.3 } };
    const played = text === '+HR' ? [{ acronym: 'CL' }, fast] : [{ acronym: 'CL' }, { acronym: 'HR' }, fast];
    const mods = changeMods(played, parseModWishes(text));
    expect(mods.map(({ acronym }) => acronym).join(' ')).toBe(after);
    if (after.includes('DT')) expect(mods).toContain(fast);
  });
});
