import { describe, expect, it } from 'vitest';
import { matchThreadsLink, threadsRefOf } from '../../../../src/media/sources/threads/link.ts';

const match = (link: string) => matchThreadsLink(new URL(link));

describe('links of Threads', () => {
  it.each([
    'https://www.threads.com/@zuck/post/C8O-JbtAKrp',
    'https://threads.net/@zuck/post/C8O-JbtAKrp/?xmt=AQ&slof=1',
    'http://www.threads.net/%40zuck/post/C8O-JbtAKrp/media',
    'https://www.threads.com/@zuck/post/C8O-JbtAKrp/embed',
    'https://www.threads.com/t/C8O-JbtAKrp',
    'https://vxthreads.net/@zuck/post/C8O-JbtAKrp',
    'https://www.fixthreads.net/@zuck/post/C8O-JbtAKrp',
    'https://www.threads.com/?xmt=AQ&injected_media_ids=%5B%223390920896561588969%22%5D',
  ])('%s names the post', link => {
    expect(match(link)).toMatchObject({
      kind: 'post',
      ref: {
        id: 'C8O-JbtAKrp',
        url: 'https://www.threads.com/t/C8O-JbtAKrp',
        parts: { mediaId: '3390920896561588969' },
      },
    });
  });

  it('keeps the author where the link has one', () => {
    expect(match('https://www.threads.com/@zuck/post/C8O-JbtAKrp')).toMatchObject({ ref: { parts: { user: 'zuck' } } });
    expect(threadsRefOf('C8O-JbtAKrp')?.parts).toEqual({ mediaId: '3390920896561588969' });
  });

  it.each([
    [
      'https://www.threads.net/share/BAxyz_12-3?x=1',
      { kind: 'short', url: 'https://www.threads.com/share/BAxyz_12-3' },
    ],
    [
      'https://www.threads.com/login?next=%2F%40zuck%2Fpost%2FC8O-JbtAKrp',
      { kind: 'wrapper', target: 'https://www.threads.com/@zuck/post/C8O-JbtAKrp' },
    ],
    ['https://l.threads.com/?u=https%3A%2F%2Fx.com%2Fa&e=1', { kind: 'wrapper', target: 'https://x.com/a' }],
    ['https://www.threads.com/@zuck', { kind: 'unsupported', what: 'profile' }],
    ['https://www.threads.com/@zuck/replies', { kind: 'unsupported', what: 'profile' }],
    ['https://www.threads.com/search?q=clay', { kind: 'unsupported', what: 'search' }],
    ['https://www.threads.com/', { kind: 'unsupported', what: 'page' }],
    ['https://www.threads.com/?injected_media_ids=%5B%221%22%2C%222%22%5D', { kind: 'unsupported' }],
    ['https://www.threads.com/?injected_media_ids=%5B%22x%22%5D', { kind: 'unsupported' }],
    ['https://www.threads.com/@zuck/post/C8O-JbtAKrpTooLong', { kind: 'unsupported', what: 'profile' }],
  ])('%s', (link, expected) => {
    expect(match(link)).toMatchObject(expected);
  });

  it.each([
    'https://threads.com.evil.test/t/C8O-JbtAKrp',
    'https://evilthreads.com/t/C8O-JbtAKrp',
    'https://status.threads.com/t/C8O-JbtAKrp',
    'ftp://www.threads.com/t/C8O-JbtAKrp',
  ])('%s is none', link => {
    expect(match(link)).toBeUndefined();
  });
});
