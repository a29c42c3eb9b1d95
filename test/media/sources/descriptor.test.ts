import { describe, expect, it } from 'vitest';
import { authorAddress } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';

function profileOf(site: string, author: { readonly id: string | null; readonly username: string | null }) {
  const page = sourceDescriptors.find(({ id }) => id === site)?.authorPage;
  return page && authorAddress(page, author);
}

describe('the page of an author', () => {
  it.each([
    ['instagram', { id: '1', username: 'tari.senja' }, 'https://www.instagram.com/tari.senja/'],
    ['instagram', { id: '1', username: null }, undefined],
    ['instagram', { id: '1', username: '../explore?x=' }, undefined],
    ['facebook', { id: '100001', username: 'harbour.walks' }, 'https://www.facebook.com/harbour.walks'],
    ['facebook', { id: '100001', username: null }, 'https://www.facebook.com/100001'],
    ['facebook', { id: null, username: 'a/../b' }, undefined],
  ])('on %s of %j is %s', (site, author, expected) => {
    expect(profileOf(site, author)).toBe(expected);
  });
});

describe('the colour of a site', () => {
  it('is six digits', () => {
    for (const { colour } of sourceDescriptors) expect(colour).toMatch(/^#[0-9a-f]{6}$/);
  });
});
