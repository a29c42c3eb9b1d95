import { describe, expect, it } from 'vitest';
import { findWishes, withoutWishes } from '../../../src/bot/answer/beside-links.ts';

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
