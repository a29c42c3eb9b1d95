import { describe, expect, it } from 'vitest';
import { matchTiktokLink } from '../../../../src/media/sources/tiktok/link.ts';

const match = (link: string) => matchTiktokLink(new URL(link));

describe('links of TikTok', () => {
  it.each([
    'https://www.tiktok.com/@scout2015/video/6718335390845095173?is_from_webapp=1',
    'https://tiktok.com/@scout2015/photo/6718335390845095173',
    'https://www.tiktok.com/%40scout2015/video/6718335390845095173',
    'https://www.tiktok.com/@/video/6718335390845095173',
    'https://www.tiktok.com/embed/v2/6718335390845095173',
    'https://www.tiktok.com/embed/6718335390845095173',
    'https://www.tiktok.com/player/v1/6718335390845095173',
    'https://m.tiktok.com/v/6718335390845095173.html?u_code=0',
    'https://www.tiktokv.com/share/video/6718335390845095173/',
    'https://t.tiktok.com/i18n/share/video/6718335390845095173/',
    'https://vxtiktok.com/@scout2015/video/6718335390845095173',
    'https://a.tnktok.com/@scout2015/video/6718335390845095173',
  ])('%s names the post', link => {
    const url = 'https://www.tiktok.com/@_/video/6718335390845095173';
    expect(match(link)).toMatchObject({ kind: 'post', ref: { id: '6718335390845095173', url } });
  });

  it.each([
    ['https://vm.tiktok.com/ZMabc123/', 'https://vm.tiktok.com/ZMabc123/'],
    ['https://vt.tiktok.com/ZSabc123?k=1', 'https://vt.tiktok.com/ZSabc123/'],
    ['https://lite.tiktok.com/t/ZSabc123/', 'https://www.tiktok.com/t/ZSabc123/'],
    ['https://www.tiktok.com/t/ZTabc123/', 'https://www.tiktok.com/t/ZTabc123/'],
    ['https://vm.vxtiktok.com/ZMabc123', 'https://vm.tiktok.com/ZMabc123/'],
  ])('%s is short', (link, url) => {
    expect(match(link)).toMatchObject({ kind: 'short', url });
  });

  it.each([
    [
      'https://www.tiktok.com/login?redirect_url=https%3A%2F%2Fwww.tiktok.com%2F%40a%2Fvideo%2F1',
      { kind: 'wrapper', target: 'https://www.tiktok.com/@a/video/1' },
    ],
    ['https://www.tiktok.com/@scout2015', { kind: 'unsupported', what: 'profile' }],
    ['https://www.tiktok.com/@scout2015/live', { kind: 'unsupported', what: 'live' }],
    ['https://www.tiktok.com/tag/clay', { kind: 'unsupported', what: 'tag' }],
    ['https://www.tiktok.com/music/original-sound-1', { kind: 'unsupported', what: 'audio' }],
    ['https://www.tiktok.com/', { kind: 'unsupported', what: 'page' }],
    ['https://vm.tiktok.com/', { kind: 'unsupported', what: 'page' }],
    ['https://www.tiktok.com/@a/video/123', { kind: 'unsupported', what: 'profile' }],
  ])('%s', (link, expected) => {
    expect(match(link)).toMatchObject(expected);
  });

  it.each([
    'https://tiktok.com.evil.test/@a/video/6718335390845095173',
    'https://eviltiktok.com/@a/video/6718335390845095173',
    'https://v16-webapp-prime.tiktok.com/@a/video/6718335390845095173',
    'ftp://www.tiktok.com/@a/video/6718335390845095173',
  ])('%s is none', link => {
    expect(match(link)).toBeUndefined();
  });
});
