import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../../src/media/extract/find-addresses.ts';
import { matchXLink, xIdOf, xRefOf } from '../../../../src/media/sources/x/link.ts';

const match = (link: string) => {
  const address = parseAddress(link);
  return address && matchXLink(address);
};

describe('a link of X', () => {
  it.each([
    ['https://x.com/pier_lights/status/1970000000000000001', null],
    ['https://twitter.com/pier_lights/status/1970000000000000001?s=20', null],
    ['https://mobile.twitter.com/pier_lights/statuses/1970000000000000001/', null],
    ['x.com/i/status/1970000000000000001', null],
    ['https://x.com/i/web/status/1970000000000000001', null],
    ['https://twitter.com/i/videos/tweet/1970000000000000001', null],
    ['https://x.com/pier_lights/status/1970000000000000001/photo/3', 2],
    ['https://x.com/pier_lights/status/1970000000000000001/video/1?s=46', 0],
    ['https://x.com/i/status/1970000000000000001?img_index=2', 1],
    ['https://x.com/pier_lights/status/1970000000000000001/photo/99', null],
    ['https://x.com/pier_lights/status/1970000000000000001/analytics', null],
    ['https://fxtwitter.com/pier_lights/status/1970000000000000001/en', null],
    ['https://d.fxtwitter.com/pier_lights/status/1970000000000000001.mp4', null],
    ['https://vxtwitter.com/pier_lights/status/1970000000000000001/2', 1],
    ['https://fixupx.com/pier_lights/status/1970000000000000001/photo/2', 1],
    ['https://www.fixvx.com/pier_lights/status/1970000000000000001', null],
    ['https://twittpr.com/pier_lights/status/1970000000000000001', null],
  ])('%s names the post, and item %s', (link, itemIndex) => {
    const url = 'https://x.com/i/status/1970000000000000001';
    const ref = { source: 'x', id: '1970000000000000001', form: 'status', url, itemIndex, parts: {} };
    expect(match(link)).toEqual({ kind: 'post', ref });
  });

  it('is short on t.co, or a login page around another', () => {
    expect(match('https://t.co/AbC123xyz0')).toEqual({
      kind: 'short',
      url: 'https://t.co/AbC123xyz0',
      key: 't.co/AbC123xyz0',
    });
    expect(match('https://x.com/i/flow/login?redirect_after_login=%2Fpier_lights%2Fstatus%2F5')).toEqual({
      kind: 'wrapper',
      target: 'https://x.com/pier_lights/status/5',
    });
  });

  it.each([
    ['https://x.com/', 'page'],
    ['https://x.com/home', 'page'],
    ['https://t.co/', 'page'],
    ['https://x.com/pier_lights', 'profile'],
    ['https://x.com/hashtag/pier', 'tag'],
    ['https://x.com/search?q=pier', 'search'],
    ['https://x.com/i/spaces/1AbC', 'live'],
    ['https://x.com/i/communities/15', 'group'],
    ['https://x.com/pier_lights/status/abc', 'page'],
    ['https://x.com/pier_lights/status/123456789012345678901', 'page'],
    ['https://cdn.syndication.twimg.com/tweet-result?id=5', 'page'],
  ])('%s leads to a %s', (link, what) => {
    expect(match(link)).toEqual({ kind: 'unsupported', what });
  });

  it('is on its hosts alone', () => {
    for (const host of [
      'notx.com',
      'x.com.example',
      'xx.com',
      'evil-twitter.com',
      'fxtwitter.com.example',
      't.co.example',
    ]) {
      expect(match(`https://${host}/a/status/5`), host).toBeUndefined();
    }
  });

  it('gives ids that are ids', () => {
    expect(xRefOf('20')?.url).toBe('https://x.com/i/status/20');
    for (const id of ['', 'a', '-1', '1/2', '123456789012345678901']) expect(xRefOf(id)).toBeUndefined();
    expect(xIdOf('https://x.com/a/status/5/photo/1')).toBe('5');
    expect(xIdOf('https://example.com/a/status/5')).toBeNull();
  });
});
