import { describe, expect, it } from 'vitest';
import {
  createLinkFinder,
  findWishes,
  kindOfLink,
  termsBeside,
  withoutWishes,
} from '../../../src/bot/answer/find-links.ts';
import { fakeExtractor, link } from '../sample.ts';

const find = createLinkFinder(fakeExtractor().services);

describe('osu! links in a text', () => {
  it.each([
    ['https://osu.ppy.sh/beatmapsets/12', ['https://osu.ppy.sh/beatmapsets/12']],
    ['see osu.ppy.sh/s/12, nice', ['https://osu.ppy.sh/beatmapsets/12']],
    ['(https://osu.ppy.sh/beatmapsets/12#taiko/34).', ['https://osu.ppy.sh/beatmaps/34?mode=taiko']],
    ['https://osu.ppy.sh/beatmapsets/12#taiko', ['https://osu.ppy.sh/beatmapsets/12#taiko']],
    ['osu.ppy.sh/b/34 and https://old.ppy.sh/b/34', ['https://osu.ppy.sh/beatmaps/34']],
    ['https://osu.ppy.sh/users/lamp%20post/osu', ['https://osu.ppy.sh/users/lamp%20post/osu']],
    ['osu.ppy.sh/scores/5000000001', ['https://osu.ppy.sh/scores/5000000001']],
    ['https://osu.ppy.sh/scores/osu/4000000002', ['https://osu.ppy.sh/scores/osu/4000000002']],
    ['https://osu.ppy.sh/u/31', ['https://osu.ppy.sh/users/31']],
    [`${link('a')} https://osu.ppy.sh/u/31`, [link('a'), 'https://osu.ppy.sh/users/31']],
    ['<https://osu.ppy.sh/u/31> `https://osu.ppy.sh/u/31`', []],
    ['https://osu.ppy.sh/wiki/en/Rules https://osu.ppy.sh.example.org/u/1 https://evil.example/osu.ppy.sh/u/1', []],
    ['get it at catboy.best/d/12 or https://beatconnect.io/b/12/', ['https://osu.ppy.sh/beatmapsets/12']],
    ['play osu://b/34 or OSU://dl/12', ['https://osu.ppy.sh/beatmaps/34', 'https://osu.ppy.sh/beatmapsets/12']],
    ['`osu://b/34` <osu://b/34> osu://edit/00:01:02 osu://mp/1 myosu://b/34', []],
    ['https://catboy.best/ https://osu.direct/browse?q=d/12', []],
    ['no link at all', []],
  ])('%s', (text, expected) => {
    expect(find(text)).toEqual(expected);
  });

  it('read again what they gave', () => {
    for (const text of [
      'osu.ppy.sh/b/34?m=1',
      'osu.ppy.sh/s/12',
      'osu.ppy.sh/beatmapsets/12#ctb',
      'osu.ppy.sh/users/lamp post',
      'osu.ppy.sh/u/31',
      'osu.ppy.sh/scores/osu/7',
    ]) {
      const found = find(text);
      expect(found.flatMap(find)).toEqual(found);
    }
  });

  it.each([
    ['https://osu.ppy.sh/users/1', 'player-link'],
    ['https://osu.ppy.sh/beatmaps/1', 'beatmap-link'],
    ['https://osu.ppy.sh/scores/1', 'score-link'],
    ['https://osu.ppy.sh/scores/taiko/1', 'score-link'],
    ['osu.ppy.sh/wiki', 'beatmap-link'],
    ['https://www.instagram.com/p/a/', 'link'],
    ['https://evil.example/osu.ppy.sh/u/1', 'link'],
  ])('%s is for a command that accepts %s', (url, kind) => {
    expect(kindOfLink(url)).toBe(kind);
  });
});

describe('mods beside a link', () => {
  it.each(['https://osu.ppy.sh/s/12', 'https://catboy.best/d/12', 'osu://s/12'])('are found for %s', address => {
    const beside = { mods: 'HDDT' };
    for (const text of [`${address} +HDDT`, `${address}+HDDT`]) {
      expect(termsBeside(text, find).get('https://osu.ppy.sh/beatmapsets/12'), text).toEqual(beside);
    }
  });
});

describe('what is written beside a link', () => {
  const link = 'https://www.instagram.com/p/AbC/';

  it('is found before and behind it, and nowhere else', () => {
    expect(findWishes(`${link} clip:0:05-0:20`)).toEqual({ clip: '0:05-0:20' });
    expect(findWishes(`View=MEDIA ${link}`)).toEqual({ view: 'media' });
    expect(findWishes(`view:hologram clip:soon preview:1-2 ${link}?clip=1-2`)).toEqual({});
  });

  it('is no word of the person', () => {
    expect(withoutWishes(' view:media clip:1-2 ').trim()).toBe('');
    expect(withoutWishes('look view:media').trim()).toBe('look');
  });
});
