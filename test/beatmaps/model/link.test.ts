import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRuleset, rulesetNumber } from '../../../src/beatmaps/model/beatmapset.ts';
import {
  directLink,
  mapPage,
  matchOsuLink,
  type OsuLink,
  scorePage,
  setPage,
  userPage,
} from '../../../src/beatmaps/model/link.ts';

const LINKS: readonly (readonly [string, OsuLink])[] = [
  ['https://osu.ppy.sh/beatmapsets/12', { kind: 'set', id: 12 }],
  ['https://osu.ppy.sh/beatmapsets/12/', { kind: 'set', id: 12 }],
  ['http://osu.ppy.sh/beatmapsets/12', { kind: 'set', id: 12 }],
  ['osu.ppy.sh/beatmapsets/12', { kind: 'set', id: 12 }],
  ['<https://osu.ppy.sh/beatmapsets/12>', { kind: 'set', id: 12 }],
  ['https://OSU.PPY.SH/Beatmapsets/12', { kind: 'set', id: 12 }],
  ['https://osu.ppy.sh/beatmapsets/12#taiko', { kind: 'set', id: 12, ruleset: 'taiko' }],
  ['https://osu.ppy.sh/beatmapsets/12#taiko/34', { kind: 'map', id: 34, setId: 12, ruleset: 'taiko' }],
  ['https://osu.ppy.sh/beatmapsets/12#fruits/34', { kind: 'map', id: 34, setId: 12, ruleset: 'fruits' }],
  ['https://osu.ppy.sh/beatmapsets/12#34', { kind: 'map', id: 34, setId: 12 }],
  ['https://osu.ppy.sh/beatmapsets/12?x=1#mania/34', { kind: 'map', id: 34, setId: 12, ruleset: 'mania' }],
  ['https://osu.ppy.sh/beatmapsets/12/download', { kind: 'set', id: 12 }],
  ['https://osu.ppy.sh/beatmapsets/12/discussion', { kind: 'set', id: 12 }],
  ['https://osu.ppy.sh/beatmaps/34', { kind: 'map', id: 34 }],
  ['https://osu.ppy.sh/beatmaps/34?mode=taiko', { kind: 'map', id: 34, ruleset: 'taiko' }],
  ['https://osu.ppy.sh/beatmaps/34?ruleset=mania', { kind: 'map', id: 34, ruleset: 'mania' }],
  ['https://osu.ppy.sh/b/34', { kind: 'map', id: 34 }],
  ['https://osu.ppy.sh/b/34?m=1', { kind: 'map', id: 34, ruleset: 'taiko' }],
  ['https://osu.ppy.sh/b/34&m=2', { kind: 'map', id: 34, ruleset: 'fruits' }],
  ['https://osu.ppy.sh/s/12', { kind: 'set', id: 12 }],
  ['https://old.ppy.sh/s/12', { kind: 'set', id: 12 }],
  ['https://old.ppy.sh/d/12', { kind: 'set', id: 12 }],
  ['https://old.ppy.sh/d/12n', { kind: 'set', id: 12 }],
  ['https://old.ppy.sh/p/beatmap?b=34&m=3', { kind: 'map', id: 34, ruleset: 'mania' }],
  ['https://old.ppy.sh/p/beatmap?s=12', { kind: 'set', id: 12 }],
  ['https://osu.ppy.sh/users/56', { kind: 'user', id: 56 }],
  ['https://osu.ppy.sh/users/56/taiko', { kind: 'user', id: 56, ruleset: 'taiko' }],
  ['https://osu.ppy.sh/users/Some_One', { kind: 'user', name: 'Some_One' }],
  ['https://osu.ppy.sh/users/@Some%20One', { kind: 'user', name: 'Some One' }],
  ['https://osu.ppy.sh/u/Some%20One', { kind: 'user', name: 'Some One' }],
  ['https://old.ppy.sh/u/56', { kind: 'user', id: 56 }],
  ['https://osu.ppy.sh/users/[Tag]-x/fruits', { kind: 'user', name: '[Tag]-x', ruleset: 'fruits' }],
  ['https://osu.ppy.sh/scores/78', { kind: 'score', id: 78 }],
  ['https://osu.ppy.sh/scores/osu/78', { kind: 'score', id: 78, ruleset: 'osu' }],
  ['osu://b/34', { kind: 'map', id: 34 }],
  ['osu://s/12', { kind: 'set', id: 12 }],
  [directLink(12), { kind: 'set', id: 12 }],
  ['https://osu.direct/beatmapsets/12', { kind: 'set', id: 12 }],
  ['https://osu.direct/beatmapsets/12#taiko/34', { kind: 'map', id: 34, setId: 12, ruleset: 'taiko' }],
  ['https://osu.direct/api/d/12?noVideo=1', { kind: 'set', id: 12 }],
  ['https://catboy.best/d/12n', { kind: 'set', id: 12 }],
  ['us.catboy.best/d/12', { kind: 'set', id: 12 }],
  ['https://catboy.best/api/v2/b/34', { kind: 'map', id: 34 }],
  ['https://api.nerinyan.moe/d/12?noVideo=true', { kind: 'set', id: 12 }],
  ['https://beatconnect.io/b/12/', { kind: 'set', id: 12 }],
  ['https://beatmaps.download/d/12', { kind: 'set', id: 12 }],
  ['https://osu.gatari.pw/b/34', { kind: 'map', id: 34 }],
  ['https://mirror.nekoha.moe/api4/download/12', { kind: 'set', id: 12 }],
  ['https://mirror.hinamizawa.ai/api/v1/hinai/d/12?noVideo=1', { kind: 'set', id: 12 }],
  ['https://dl.sayobot.cn/beatmaps/download/novideo/12', { kind: 'set', id: 12 }],
];

const OTHERS: readonly string[] = [
  '',
  '12',
  'Some_One',
  'https://osu.ppy.sh',
  'https://osu.ppy.sh/',
  'https://osu.ppy.sh/beatmapsets',
  'https://osu.ppy.sh/beatmapsets/0',
  'https://osu.ppy.sh/beatmapsets/-1',
  'https://osu.ppy.sh/beatmapsets/12abc',
  'https://osu.ppy.sh/beatmapsets/99999999999999999999',
  'https://osu.ppy.sh/beatmapsets/discussions/9',
  'https://osu.ppy.sh/users/a%2Fb',
  'https://osu.ppy.sh/users/%00',
  'https://osu.ppy.sh/wiki/en/Main_page',
  'https://osu.ppy.sh/scores/chess/78',
  'https://osu.ppy.sh:8080/beatmapsets/12',
  'https://me@osu.ppy.sh/beatmapsets/12',
  'https://osu.ppy.sh.example.com/beatmapsets/12',
  'https://example.com/osu.ppy.sh/beatmapsets/12',
  'https://notosu.ppy.sh/beatmapsets/12',
  'ftp://osu.ppy.sh/beatmapsets/12',
  'osu://edit/00:12:345',
  'https://osu.direct/',
  'https://osu.direct/api/osu/34',
  'https://osu.direct/users/56',
  'https://catboy.best/api/v2/search?q=12',
  'https://catboy.best.example.com/d/12',
  'https://notcatboy.best/d/12',
  'https://example.com/d/12',
  'look https://osu.ppy.sh/beatmapsets/12',
];

describe('matchOsuLink', () => {
  it.each(LINKS)('reads %s', (text, expected) => {
    expect(matchOsuLink(text)).toEqual(expected);
  });

  it.each(OTHERS)('takes %j for no osu! address', text => {
    expect(matchOsuLink(text)).toBeUndefined();
  });

  it('never throws', () => {
    const piece = fc.constantFrom(
      'https://',
      'osu.ppy.sh',
      '/',
      'b',
      'users',
      'scores',
      '#',
      '%',
      '%zz',
      '?m=',
      '12',
      'osu',
      '&',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map(pieces => pieces.join('')),
        ),
        text => {
          matchOsuLink(text);
        },
      ),
    );
  });

  it('reads the pages that it writes', () => {
    expect(matchOsuLink(setPage(12))).toEqual({ kind: 'set', id: 12 });
    expect(matchOsuLink(setPage(12, { id: 34, mode: 'mania' }))).toMatchObject({
      kind: 'map',
      id: 34,
      ruleset: 'mania',
    });
    expect(matchOsuLink(mapPage(34))).toEqual({ kind: 'map', id: 34 });
    expect(matchOsuLink(userPage(56, 'taiko'))).toEqual({ kind: 'user', id: 56, ruleset: 'taiko' });
    expect(matchOsuLink(scorePage(78))).toEqual({ kind: 'score', id: 78 });
  });
});

describe('parseRuleset', () => {
  it.each([
    ['osu', ['osu', 'osu!', 'std', 'standard', 'o', 's', '0', ' OSU ']],
    ['taiko', ['taiko', 't', 'tko', '1']],
    ['fruits', ['fruits', 'ctb', 'catch', 'c', 'fruit', 'f', '2']],
    ['mania', ['mania', 'm', 'mna', '3']],
  ] as const)('knows %s by all its names', (ruleset, names) => {
    expect(names.map(parseRuleset)).toEqual(names.map(() => ruleset));
  });

  it('knows no other', () => {
    expect(['', '4', 'chess', '-1'].map(parseRuleset)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('numbers them as the osu! API does', () => {
    expect((['osu', 'taiko', 'fruits', 'mania'] as const).map(rulesetNumber)).toEqual([0, 1, 2, 3]);
  });
});
