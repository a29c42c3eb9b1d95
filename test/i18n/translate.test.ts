import { describe, expect, it } from 'vitest';
import { series } from '../../src/bot/contract/reply-parts.ts';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { createTranslator } from '../../src/i18n/translate.ts';

describe('createTranslator', () => {
  it.each([
    [['id'], 'id'],
    [['id-ID'], 'id'],
    [['in'], 'id'],
    [['en-GB', 'id'], 'en'],
    [['qaa-CA', 'id-ID', 'en'], 'id'],
    [['en_US'], 'en'],
    [['ID'], 'id'],
    [['qaa', 'qab'], 'en'],
    [[], 'en'],
    [['', '*', 'not a tag', 'constructor', '__proto__'], 'en'],
  ])('answers %j in %s', (locales, expected) => {
    expect(createTranslator(locales).locale).toBe(expected);
  });

  it('writes numbers in the way of the language', () => {
    const en = createTranslator(['en']);
    const id = createTranslator(['id']);
    expect([en.number(1_234_567), id.number(1_234_567)]).toEqual(['1,234,567', '1.234.567']);
    expect([en.compact(1234), en.compact(999), en.compact(5_600_000)]).toEqual(['1.2K', '999', '5.6M']);
    expect(id.compact(1234)).toMatch(/^1,2\srb$/);
  });

  it.each([
    ['ru', 4821, '4,8 тыс. лайков'],
    ['ru', 921, '921 лайк'],
    ['ru', 1_000, '1 тыс. лайков'],
    ['pl', 120_334, '120,3 tys. polubień'],
    ['pl', 43, '43 polubienia'],
    ['fr', 1_200_000, '1,2 M de j’aime'],
    ['es', 4821, '4,8 mil me gusta'],
    ['en', 1, '1 like'],
    ['en', 1_234, '1.2K likes'],
    ['en', 0, '0 likes'],
  ])('counts in %s by what is shown of %i: %s', (tag, value, words) => {
    const t = createTranslator([tag]);
    expect(t.messages.post.likes(t.counted(value)).replaceAll(/\s/g, ' ')).toBe(words);
  });

  it.each([
    ['en', '98.3%', '98.34%', '98.00%'],
    ['tr', '%98,3', '%98,34', '%98,00'],
    ['fr', '98,3 %', '98,34 %', '98,00 %'],
    ['zh-CN', '98.3%', '98.34%', '98.00%'],
  ])('writes a share in %s with its sign where it belongs', (tag, short, long, even) => {
    const t = createTranslator([tag]);
    const shown = [t.percent(0.9834, 1), t.percent(0.9834, 2), t.percent(0.98, 2, 2)];
    expect(shown.map(each => each.replace(/\s/, ' '))).toEqual([short, long, even]);
  });

  it.each([
    [0, '0:00'],
    [400, '0:00'],
    [42_000, '0:42'],
    [59_600, '1:00'],
    [3_723_000, '1:02:03'],
    [36_000_000, '10:00:00'],
  ])('writes %d ms as %s', (ms, expected) => {
    expect(createTranslator([]).duration(ms)).toBe(expected);
  });

  it('names a country in the language, or as it is given', () => {
    const german = createTranslator(['de']);
    expect(german.country({ code: 'KR', name: 'South Korea' })).toBe('Südkorea');
    expect(createTranslator(['en']).country({ code: 'HK', name: 'Hong Kong' })).toBe('Hong Kong');
    for (const code of ['XX', 'X1', '']) expect(german.country({ code, name: 'Unknown' })).toBe('Unknown');
  });

  it('writes a day', () => {
    expect(createTranslator(['en']).date(Date.UTC(2026, 4, 3))).toBe('May 3, 2026');
    expect(createTranslator(['id']).date(Date.UTC(2026, 4, 3))).toBe('3 Mei 2026');
  });

  it.each([
    [0, 'in 1 second'],
    [1000, 'in 1 second'],
    [19_001, 'in 20 seconds'],
    [99_000, 'in 99 seconds'],
    [100_000, 'in 2 minutes'],
    [3_600_000, 'in 60 minutes'],
    [3 * 3_600_000, 'in 3 hours'],
  ])('never asks people to come back too early: %d ms is %s', (ms, expected) => {
    expect(createTranslator([]).wait(ms)).toBe(expected);
  });

  it('names every language in itself, each differently', () => {
    expect(LANGUAGES).toContainEqual({ tag: 'en', name: 'English' });
    expect(LANGUAGES).toContainEqual({ tag: 'id', name: 'Bahasa Indonesia' });
    expect(new Set(LANGUAGES.map(({ name }) => name)).size).toBe(LANGUAGES.length);
  });

  it.each(LANGUAGES)('answers $tag in $tag', ({ tag }) => {
    expect(Intl.getCanonicalLocales(tag)).toEqual([tag]);
    expect(createTranslator([tag]).locale).toBe(tag);
  });
});

describe('what code puts together', () => {
  it.each([
    ['en', 'Threads, X, or Reddit'],
    ['ja', 'Threads、X、またはReddit'],
    ['zh-CN', 'Threads、X 或 Reddit'],
  ])('names sites as %s does', (tag, expected) => {
    const sites = ['Threads', 'X', 'Reddit'].map(name => ({ id: name.toLowerCase(), name }));
    expect(createTranslator([tag]).sites(sites)).toBe(expected);
  });

  it.each([
    ['en', 'Anna: 3, 4 (osu!); 5', '1.5 MB'],
    ['fr', 'Anna\u00a0: 3, 4 (osu!)\u202f; 5', '1,5\u202fMo'],
    ['ja', 'Anna: 3、4（osu!） / 5', '1.5 MB'],
    ['ko', 'Anna: 3, 4 (osu!) / 5', '1.5MB'],
    ['ru', 'Anna: 3, 4 (osu!); 5', '1,5 МБ'],
    ['zh-CN', 'Anna：3、4（osu!）；5', '1.5 MB'],
  ])('is written as %s writes it', (tag, expected, size) => {
    const t = createTranslator([tag]);
    const { labelled, aside } = t.messages.joining;
    const first = aside({ words: ['3', '4'].join(t.comma), aside: 'osu!' });
    expect(labelled({ name: 'Anna', value: series([first, '5'], t) })).toBe(expected);
    expect(t.megabytes(1.5)).toBe(size);
  });
});
