import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/beatmaps/query/query.ts';
import { matches } from '../../../src/beatmaps/query/query-match.ts';
import { parseSort, parseStatusFilter, parseStatusWord, statusesOf } from '../../../src/beatmaps/query/query-words.ts';
import { sortSets } from '../../../src/beatmaps/query/search.ts';
import { madeUpBeatmap, madeUpSet } from '../made-up-sets.ts';

const set = madeUpSet({
  id: 901,
  artist: 'Paper Lanterns',
  artist_unicode: '紙灯籠',
  title: "Don't Stop: Café Night",
  title_unicode: '夜明けの珈琲',
  creator: 'Some_One',
  user_id: 77,
  source: 'Harbour Tales',
  tags: 'jazzy rain streams',
  genre_id: 14,
  language_id: 3,
  video: true,
  beatmaps: [
    madeUpBeatmap({ id: 1, version: 'Easy', difficulty_rating: 2, ar: 9.5, bpm: 100, total_length: 90 }),
    madeUpBeatmap({
      id: 2,
      version: 'Light Insane',
      difficulty_rating: 5,
      ar: 8,
      bpm: 200,
      owners: [{ id: 88, username: 'Guest Mapper' }],
    }),
    madeUpBeatmap({ id: 3, version: '4K Hard', mode: 'mania', cs: 4, difficulty_rating: 3.5, ar: null, bpm: null }),
  ],
});

describe('matches', () => {
  it.each([
    '',
    'paper',
    'PAPER lant',
    'night paper',
    'cafe',
    'café',
    'dont',
    "don't",
    'don’t stop',
    '灯籠',
    '珈琲',
    '"paper lanterns"',
    'some one',
    'harbour',
    'rain',
    'insane',
    'guest',
    '901',
    '!!!',
    'stars=5',
    'stars>1 stars<3',
    'stars=5 ar=8',
    'stars=5 bpm=200 mode=osu',
    'mode=mania',
    'keys=4',
    'keys=4 bpm=180',
    'length=1:30',
    'status=ranked',
    'status<=loved',
    'ranked=2020',
    'ranked=2020-05-04',
    'created=2019',
    'updated<2021',
    'year=2020',
    'artist=paper',
    'artist="lanterns paper"',
    'artist=""paper lanterns""',
    'artist=紙',
    'title=珈琲',
    'creator=some_one',
    'creator="some one"',
    'creator="guest mapper"',
    'creator=77',
    'creator=88',
    'source=tales',
    'difficulty=insane',
    'difficulty="insane light" stars=5',
    'tag=rain',
    '-tag=rock',
    '-creator=guest',
    '-difficulty=easy',
    'rain -artist=kite -tag=rock',
    'genre=jazz language=jp video=yes nsfw=no',
    'spotlight=no',
    'favourites>=100',
  ])('finds the set for %s', text => {
    expect(matches(parseQuery(text), set)).toBe(true);
  });

  it.each([
    'plastic',
    'paper plastic',
    'aper',
    '"lanterns paper"',
    '"paper lant"',
    '90',
    'stars=4',
    'stars=5 ar=9.5',
    'stars=2 mode=mania',
    'mode=taiko',
    'keys=7',
    'keys=4 stars=5',
    'keys=4 ar<99',
    'bpm=150',
    'length=10m',
    'status=loved',
    'ranked<2020',
    'created>2019',
    'year=2019',
    'artist=kite',
    'artist=""lanterns paper""',
    'title=paper',
    'creator=guest',
    'creator=99',
    'source=paper',
    'difficulty=insane stars=2',
    '-artist=paper',
    '-creator=some_one',
    '-creator="guest mapper"',
    '-tag=rain',
    '-title=珈琲',
    'tag=rock',
    'genre=rock',
    'language=en',
    'video=no',
    'nsfw=yes',
    'spotlight=yes',
    'favourites>100',
    'featured_artist=4',
  ])('does not find it for %s', text => {
    expect(matches(parseQuery(text), set)).toBe(false);
  });

  it('is content with one word when asked to be', () => {
    expect(matches(parseQuery('paper plastic'), set, 'any')).toBe(true);
    expect(matches(parseQuery('rubber plastic'), set, 'any')).toBe(false);
  });

  it('finds what is unknown in no range', () => {
    const silent = madeUpSet({ ranked_date: null, submitted_date: null, favourite_count: null, status: 'graveyard' });
    for (const text of ['ranked>1950', 'created>1950', 'year>0', 'favourites>=0']) {
      expect(matches(parseQuery(text), silent)).toBe(false);
    }
  });
});

describe('sortSets', () => {
  const sets = [
    madeUpSet({ id: 1, title: 'b', play_count: 5, ranked_date: '2021-01-01T00:00:00Z' }),
    madeUpSet({ id: 2, title: 'A', play_count: null, ranked_date: null }),
    madeUpSet({ id: 3, title: 'c', play_count: 9, ranked_date: '2019-01-01T00:00:00Z' }),
    madeUpSet({
      id: 4,
      title: 'c',
      play_count: 5,
      ranked_date: '2020-01-01T00:00:00Z',
      beatmaps: [madeUpBeatmap({ difficulty_rating: 1 })],
    }),
  ];

  it.each([
    ['title_asc', [2, 1, 3, 4]],
    ['title_desc', [4, 3, 1, 2]],
    ['plays_desc', [3, 4, 1, 2]],
    ['plays_asc', [1, 4, 3, 2]],
    ['ranked', [1, 4, 3, 2]],
    ['difficulty_asc', [4, 1, 2, 3]],
    ['relevance', [1, 2, 3, 4]],
  ])('sorts by %s', (text, ids) => {
    const sort = parseSort(text);
    expect(sort && sortSets(sets, sort).map(one => one.id)).toEqual(ids);
  });

  it('knows no other sort', () => {
    expect(['', 'stars', 'title_up', 'title_asc_asc'].map(parseSort)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('statusesOf', () => {
  it('groups statuses as osu! does', () => {
    expect(statusesOf('leaderboard')).toEqual(['ranked', 'approved', 'loved']);
    expect(statusesOf('ranked')).toEqual(['ranked', 'approved']);
    expect(statusesOf('wip')).toEqual(['wip']);
    expect(parseStatusFilter('All')).toBe('any');
    expect(['l', 'r', 'a', 'grave'].map(parseStatusWord)).toEqual(['loved', 'ranked', 'ranked', 'graveyard']);
    expect(['nope', '', 'rankedd'].map(parseStatusWord)).toEqual([undefined, undefined, undefined]);
    expect(parseStatusFilter('l')).toBeUndefined();
  });
});
