import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery, type Query, renderQuery } from '../../../src/beatmaps/query/query.ts';
import { anyText } from '../../any-text.ts';
import { cpuMsOf } from '../../cpu-time.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const ranges = (fields: Query['ranges'], text = '') => ({ ...EMPTY, text, ranges: fields });
const texts = (key: string, value: string, isPhrase = false, text = '') => ({
  ...EMPTY,
  text,
  texts: { [key]: { text: value, isPhrase } },
});
const words = (text: string) => ({ ...EMPTY, text });
const extra = (fields: Partial<Query>, text = '') => ({ ...EMPTY, ...fields, text });
const EMPTY: Query = { text: '', ranges: {}, texts: {}, tags: [] };

const NUMBERS: readonly (readonly [string, Query])[] = [
  ['stars=5', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['stars:5', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['star=5', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['sr=5', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['STARS=5', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['stars<5', ranges({ stars: { lt: 4.995 } })],
  ['stars<=5', ranges({ stars: { lt: 5.005 } })],
  ['stars<:5', ranges({ stars: { lt: 5.005 } })],
  ['stars>5', ranges({ stars: { gte: 5.005 } })],
  ['stars>=5', ranges({ stars: { gte: 4.995 } })],
  ['stars>:5', ranges({ stars: { gte: 4.995 } })],
  ['stars=5.25', ranges({ stars: { gte: 5.245, lt: 5.255 } })],
  ['stars=.5', ranges({ stars: { gte: 0.495, lt: 0.505 } })],
  ['stars=5,5', ranges({ stars: { gte: 5.495, lt: 5.505 } })],
  ['length=1,5m', ranges({ length: { gte: 60, lt: 120 } })],
  ['stars=5.', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['stars="5"', ranges({ stars: { gte: 4.995, lt: 5.005 } })],
  ['stars=0', ranges({ stars: { gte: 0, lt: 0.005 } })],
  ['stars>=5 stars<6', ranges({ stars: { gte: 4.995, lt: 5.995 } })],
  ['stars<6 stars>=5', ranges({ stars: { gte: 4.995, lt: 5.995 } })],
  ['stars>6 stars<5', ranges({ stars: { gte: 6.005, lt: 4.995 } })],
  ['stars=1 stars=9', ranges({ stars: { gte: 8.995, lt: 9.005 } })],
  ['stars>4 stars>3', ranges({ stars: { gte: 3.005 } })],
  ['star>4 stars<5', ranges({ stars: { gte: 4.005, lt: 4.995 } })],
  ['stars=5-6', ranges({ stars: { gte: 4.995, lt: 6.005 } })],
  ['stars=5-', ranges({ stars: { gte: 4.995 } })],
  ['stars=-6', ranges({ stars: { lt: 6.005 } })],
  ['stars:5.5-6.5', ranges({ stars: { gte: 5.495, lt: 6.505 } })],
  ['ar=9', ranges({ ar: { gte: 8.95, lt: 9.05 } })],
  ['ar>9', ranges({ ar: { gte: 9.05 } })],
  ['ar<9', ranges({ ar: { lt: 8.95 } })],
  ['ar>=9.5', ranges({ ar: { gte: 9.45 } })],
  ['ar<=9.5', ranges({ ar: { lt: 9.55 } })],
  ['od=8', ranges({ od: { gte: 7.95, lt: 8.05 } })],
  ['od<8', ranges({ od: { lt: 7.95 } })],
  ['cs=4.2', ranges({ cs: { gte: 4.15, lt: 4.25 } })],
  ['cs>:4', ranges({ cs: { gte: 3.95 } })],
  ['hp=6', ranges({ hp: { gte: 5.95, lt: 6.05 } })],
  ['dr=6', ranges({ hp: { gte: 5.95, lt: 6.05 } })],
  ['dr=1 dr=9', ranges({ hp: { gte: 8.95, lt: 9.05 } })],
  ['dr=1 hp<9', ranges({ hp: { gte: 0.95, lt: 8.95 } })],
  ['bpm=180', ranges({ bpm: { gte: 179.995, lt: 180.005 } })],
  ['bpm>180', ranges({ bpm: { gte: 180.005 } })],
  ['bpm>=180 bpm<=200', ranges({ bpm: { gte: 179.995, lt: 200.005 } })],
  ['bpm=180-200', ranges({ bpm: { gte: 179.995, lt: 200.005 } })],
  ['circles=500', ranges({ circles: { gte: 500, lt: 501 } })],
  ['circles>500', ranges({ circles: { gte: 501 } })],
  ['circles>=500', ranges({ circles: { gte: 500 } })],
  ['circles<500', ranges({ circles: { lt: 500 } })],
  ['circles<=500', ranges({ circles: { lt: 501 } })],
  ['sliders=0', ranges({ sliders: { gte: 0, lt: 1 } })],
  ['sliders<0', ranges({ sliders: { lt: 0 } })],
  ['sliders=10-20', ranges({ sliders: { gte: 10, lt: 21 } })],
  ['keys=4', ranges({ keys: { gte: 4, lt: 5 } })],
  ['key=7', ranges({ keys: { gte: 7, lt: 8 } })],
  ['keys>=4 keys<7', ranges({ keys: { gte: 4, lt: 7 } })],
  ['favourites>100', ranges({ favourites: { gte: 101 } })],
  ['favorites>100', ranges({ favourites: { gte: 101 } })],
  ['year=2020', ranges({ year: { gte: 2020, lt: 2021 } })],
  ['year=2019-2021', ranges({ year: { gte: 2019, lt: 2022 } })],
];

const LENGTHS: readonly (readonly [string, Query])[] = [
  ['length=90', ranges({ length: { gte: 89.5, lt: 90.5 } })],
  ['length=90s', ranges({ length: { gte: 89.5, lt: 90.5 } })],
  ['length=3m', ranges({ length: { gte: 150, lt: 210 } })],
  ['length=1.5m', ranges({ length: { gte: 60, lt: 120 } })],
  ['length=2h', ranges({ length: { gte: 5_400, lt: 9_000 } })],
  ['length=500ms', ranges({ length: { gte: 0.4995, lt: 0.5005 } })],
  ['length=1h2m3s', ranges({ length: { gte: 3_722.5, lt: 3_723.5 } })],
  ['length=1m30s', ranges({ length: { gte: 89.5, lt: 90.5 } })],
  ['length=1M30S', ranges({ length: { gte: 89.5, lt: 90.5 } })],
  ['length=1h30m', ranges({ length: { gte: 5_370, lt: 5_430 } })],
  ['length=1:30', ranges({ length: { gte: 89.5, lt: 90.5 } })],
  ['length=1:02:03', ranges({ length: { gte: 3_722.5, lt: 3_723.5 } })],
  ['length=90:00', ranges({ length: { gte: 5_399.5, lt: 5_400.5 } })],
  ['length<1:30', ranges({ length: { lt: 89.5 } })],
  ['length>3m', ranges({ length: { gte: 210 } })],
  ['length>=3m', ranges({ length: { gte: 150 } })],
  ['length<=3m', ranges({ length: { lt: 210 } })],
  ['length=1:30-3:00', ranges({ length: { gte: 89.5, lt: 180.5 } })],
  ['length=1m-90', ranges({ length: { gte: 30, lt: 90.5 } })],
  ['length=2-3m', ranges({ length: { gte: 90, lt: 210 } })],
  ['length=90-120s', ranges({ length: { gte: 89.5, lt: 120.5 } })],
  ['length<2min', ranges({ length: { lt: 90 } })],
  ['length=1min30sec', ranges({ length: { gte: 89.5, lt: 90.5 } })],
  ['length=0m', ranges({ length: { gte: 0, lt: 30 } })],
];

const STATUSES_AND_DATES: readonly (readonly [string, Query])[] = [
  ['status=ranked', ranges({ status: { gte: 1, lt: 2 } })],
  ['status=r', ranges({ status: { gte: 1, lt: 2 } })],
  ['status=R', ranges({ status: { gte: 1, lt: 2 } })],
  ['status=a', ranges({ status: { gte: 2, lt: 3 } })],
  ['status=q', ranges({ status: { gte: 3, lt: 4 } })],
  ['status=l', ranges({ status: { gte: 4, lt: 5 } })],
  ['status=p', ranges({ status: { gte: 0, lt: 1 } })],
  ['status=w', ranges({ status: { gte: -1, lt: 0 } })],
  ['status=grave', ranges({ status: { gte: -2, lt: -1 } })],
  ['status<ranked', ranges({ status: { lt: 1 } })],
  ['status<=ranked', ranges({ status: { lt: 2 } })],
  ['status>ranked', ranges({ status: { gte: 2 } })],
  ['status>=ranked', ranges({ status: { gte: 1 } })],
  ['status>=r status<l', ranges({ status: { gte: 1, lt: 4 } })],
  ['status<g', ranges({ status: { lt: -2 } })],
  ['status>l', ranges({ status: { gte: 5 } })],
  ['created=2020', ranges({ created: { gte: day('2020-01-01'), lt: day('2021-01-01') } })],
  ['submitted=2020', ranges({ created: { gte: day('2020-01-01'), lt: day('2021-01-01') } })],
  ['created=2020-05', ranges({ created: { gte: day('2020-05-01'), lt: day('2020-06-01') } })],
  ['created=2020.5', ranges({ created: { gte: day('2020-05-01'), lt: day('2020-06-01') } })],
  ['created=202012', ranges({ created: { gte: day('2020-12-01'), lt: day('2021-01-01') } })],
  ['created=2020-05-04', ranges({ created: { gte: day('2020-05-04'), lt: day('2020-05-05') } })],
  ['created=2020/05/04', ranges({ created: { gte: day('2020-05-04'), lt: day('2020-05-05') } })],
  ['created=2020.05.04', ranges({ created: { gte: day('2020-05-04'), lt: day('2020-05-05') } })],
  ['created=20200504', ranges({ created: { gte: day('2020-05-04'), lt: day('2020-05-05') } })],
  ['created=2020-02-29', ranges({ created: { gte: day('2020-02-29'), lt: day('2020-03-01') } })],
  ['updated>2020', ranges({ updated: { gte: day('2021-01-01') } })],
  ['updated>=2020', ranges({ updated: { gte: day('2020-01-01') } })],
  ['updated<2020', ranges({ updated: { lt: day('2020-01-01') } })],
  ['updated<=2020', ranges({ updated: { lt: day('2021-01-01') } })],
  ['ranked>2020-05', ranges({ ranked: { gte: day('2020-06-01') } })],
  ['ranked>=2019 ranked<2021', ranges({ ranked: { gte: day('2019-01-01'), lt: day('2021-01-01') } })],
  ['ranked=2019-2021', ranges({ ranked: { gte: day('2019-01-01'), lt: day('2022-01-01') } })],
  ['ranked>"2020-05-04T10:00:00Z"', ranges({ ranked: { gte: Date.parse('2020-05-04T10:00:01Z') } })],
  ['ranked>="2020-05-04 10:00:00"', ranges({ ranked: { gte: Date.parse('2020-05-04T10:00:00Z') } })],
  ['ranked<"2020-05-04T10:00:00+02:00"', ranges({ ranked: { lt: Date.parse('2020-05-04T08:00:00Z') } })],
  ['ranked>="2020-05-04T10:00"', ranges({ ranked: { gte: Date.parse('2020-05-04T10:00:00Z') } })],
];

const TEXTS: readonly (readonly [string, Query])[] = [
  ['artist=lanterns', texts('artist', 'lanterns')],
  ['artist:lanterns', texts('artist', 'lanterns')],
  ['Artist=Lanterns', texts('artist', 'Lanterns')],
  ['artist="paper lanterns"', texts('artist', 'paper lanterns')],
  ['artist=""paper lanterns""', texts('artist', 'paper lanterns', true)],
  ['artist="say \\"hi\\" now"', texts('artist', 'say "hi" now')],
  ['artist=paper lanterns', texts('artist', 'paper', false, 'lanterns')],
  ['artist=a artist=b', texts('artist', 'b')],
  ['title=kite', texts('title', 'kite')],
  ['title="kite season" wind', texts('title', 'kite season', false, 'wind')],
  ['title=re:zero', texts('title', 're:zero')],
  ['creator=mappy', texts('creator', 'mappy')],
  ['mapper=mappy', texts('creator', 'mappy')],
  ['source=game', texts('source', 'game')],
  ['difficulty=insane', texts('difficulty', 'insane')],
  ['diff="Light Insane"', texts('difficulty', 'Light Insane')],
  ['artist="broken', texts('artist', '"broken')],
  ['artist="broken stars>3', { ...texts('artist', '"broken'), ranges: { stars: { gte: 3.005 } } }],
  ['artist="paper"lanterns', texts('artist', 'paper', false, 'lanterns')],
  ['artist=夜明け', texts('artist', '夜明け')],
  ['tag=streams', extra({ tags: [{ text: 'streams', isPhrase: false }] })],
  [
    'tag=a tag=""b c""',
    extra({
      tags: [
        { text: 'a', isPhrase: false },
        { text: 'b c', isPhrase: true },
      ],
    }),
  ],
  ['featured_artist=12', extra({ featuredArtist: 12 })],
  ['Some One - Paper Kite \u2013 x', words('Some One Paper Kite x')],
  ['-', words('-')],
  ['a-b -c "d - e"', words('a-b -c "d e"')],
  ['divisor=4 kite', { ...words('kite'), refused: ['divisor=4'] }],
  ['kite -tag=rain', { ...words('kite'), excluded: [{ key: 'tag', filter: { text: 'rain', isPhrase: false } }] }],
  ['-mapper=""some one""', extra({ excluded: [{ key: 'creator', filter: { text: 'some one', isPhrase: true } }] })],
  ['-stars>5 -mode=osu kite', { ...words('kite'), refused: ['-stars>5', '-mode=osu'] }],
];

const EXTRAS: readonly (readonly [string, Query])[] = [
  ['mode=osu', extra({ ruleset: 'osu' })],
  ['mode=std', extra({ ruleset: 'osu' })],
  ['mode=0', extra({ ruleset: 'osu' })],
  ['mode=t', extra({ ruleset: 'taiko' })],
  ['mode=ctb', extra({ ruleset: 'fruits' })],
  ['mode=catch', extra({ ruleset: 'fruits' })],
  ['mode=MANIA', extra({ ruleset: 'mania' })],
  ['mode=3', extra({ ruleset: 'mania' })],
  ['genre=electronic', extra({ genre: 10 })],
  ['genre="video game"', extra({ genre: 2 })],
  ['genre=hip-hop', extra({ genre: 9 })],
  ['genre=14', extra({ genre: 14 })],
  ['language=japanese', extra({ language: 3 })],
  ['language=jp', extra({ language: 3 })],
  ['lang=instr', extra({ language: 5 })],
  ['video=yes', extra({ video: true })],
  ['video=0', extra({ video: false })],
  ['nsfw=no', extra({ nsfw: false })],
  ['spotlight=yes', extra({ spotlight: true })],
  ['spotlights=no', extra({ spotlight: false })],
];

const STAYS_TEXT: readonly string[] = [
  'kite season',
  'stars>abc',
  'stars=',
  'stars= 5',
  'stars > 5',
  'stars==5',
  'stars!=5',
  'stars=>5',
  'stars=5..6',
  'stars=1e3',
  'stars=-',
  'stars=5-x',
  'stars=9999999999',
  'cs=nope',
  'circles=1.5',
  'keys=4k',
  'length=abc',
  'length=1:99',
  'length=3m2h',
  'status=nope',
  'status=',
  'created=20',
  'created=2020-13',
  'created=2021-02-29',
  'created=2020-05/04',
  'created=1066',
  'updated=yesterday',
  'artist<b',
  'artist>=b',
  'artist=',
  'artist=""',
  'artist=" "',
  'featured_artist=x',
  'featured_artist>1',
  'divisor=x',
  '-stars=x',
  '-artist=',
  'mode=chess',
  'genre=8',
  'language=klingon',
  'video=maybe',
  're:zero',
  'https://example.com/?a=b',
  'who=what stars?',
  '<3',
  '=',
  '"quoted phrase" kite',
  '"never closed',
  'foo="stars>5"',
  'a:stars>5',
  '>:( :) <=>',
];

describe('parseQuery', () => {
  it.each([...NUMBERS, ...LENGTHS, ...STATUSES_AND_DATES, ...TEXTS, ...EXTRAS])('reads %s', (text, expected) => {
    expect(parseQuery(text)).toEqual(expected);
  });

  it.each(STAYS_TEXT)('leaves %s as text', text => {
    expect(parseQuery(text)).toEqual(words(text));
  });

  it.each([
    ['', ''],
    ['  kite \n season ', 'kite season'],
    ['kite stars>5 season', 'kite season'],
    ['(stars>5)', '(stars>5)'],
    ['kite-stars>5', 'kite-'],
    ['kite,ar=9 season', 'kite, season'],
  ])('takes filters out of %j', (text, rest) => {
    expect(parseQuery(text).text).toBe(rest);
  });

  it('combines everything in one query', () => {
    expect(parseQuery('paper mapper="some one" stars=5-6 status=r kite mode=t ar>9')).toEqual({
      ...EMPTY,
      text: 'paper kite',
      ranges: { stars: { gte: 4.995, lt: 6.005 }, status: { gte: 1, lt: 2 }, ar: { gte: 9.05 } },
      texts: { creator: { text: 'some one', isPhrase: false } },
      ruleset: 'taiko',
    });
  });

  it.each(['"', '""', '\\"', '=', 'a=', 'a="', 'a=""', 'stars>', 'x', ' ', '>:', 'artist="\\'])(
    'reads a megabyte of %j at once',
    piece => {
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const tookMs = cpuMsOf(() => {
        parseQuery(text);
      });
      expect(tookMs).toBeLessThan(10_000);
    },
  );
});

const PIECES = [
  ...['stars', 'ar', 'hp', 'length', 'keys', 'status', 'created', 'ranked', 'artist', 'title', 'tag', 'mode', 'genre'],
  ...[
    '=',
    ':',
    '<',
    '>',
    '<=',
    '>:',
    '"',
    '""',
    '\\',
    '\\"',
    ' ',
    '  ',
    '-',
    'r',
    'loved',
    '5',
    '0',
    '9.5',
    '1:30',
    '3m',
    '2ms',
  ],
  ...[
    '2020',
    '2020-05',
    '20200504',
    '"2020-05-04T10:00:00Z"',
    '"2020-05-04T10:00:00.5+02:00"',
    '2999',
    '1900',
    'kite',
    '夜',
  ],
  ...['divisor', 'featured_artist', 'video', 'nsfw', 'spotlight', 'yes', 'year', '\n', '\ufeff', 'x=', 'ctb'],
];
const someQuery = fc.oneof(
  fc.string({ maxLength: 60 }),
  anyText({ maxLength: 60 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map(pieces => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map(pieces => pieces.join(' ')),
);

describe('renderQuery', () => {
  it('writes what parseQuery reads as the same query, whatever was typed', () => {
    fc.assert(
      fc.property(someQuery, text => {
        const query = parseQuery(text);
        expect(parseQuery(renderQuery(query))).toEqual(query);
      }),
      { numRuns: 3_000 },
    );
  });

  it('writes a query in one way only', () => {
    fc.assert(
      fc.property(someQuery, text => {
        const rendered = renderQuery(parseQuery(text));
        expect(renderQuery(parseQuery(rendered))).toBe(rendered);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['kite stars=5-6 mapper="some one"', 'stars>=5 stars<=6 creator="some one" kite'],
    ['dr=6', 'hp=6'],
    ['length=1:30', 'length=90'],
    ['created=2020-05', 'created=2020-05'],
    ['ranked>2020', 'ranked>=2021-01-01'],
    ['status<ranked', 'status<=pending'],
    ['mode=2 genre=10 video=y', 'mode=fruits genre=10 video=yes'],
  ])('writes %s as %s', (text, rendered) => {
    expect(renderQuery(parseQuery(text))).toBe(rendered);
  });

  it('keeps to the keys of osu! when asked to', () => {
    expect(
      renderQuery(parseQuery('kite mode=ctb genre=10 year=2020 nsfw=no spotlight=yes ar=9'), { osuOnly: true }),
    ).toBe('ar=9 kite');
  });
});
