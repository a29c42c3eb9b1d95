import { describe, expect, it } from 'vitest';
import { createInstagramConstants } from '../../../../src/media/sources/instagram/constants.ts';

describe('createInstagramConstants', () => {
  it('lays the overrides of this source over the defaults', () => {
    const constants = createInstagramConstants({ 'instagram.mediaIdDocId': '12345678', 'facebook.docId': 'ignored' });
    expect(constants.mediaIdDocId).toBe('12345678');
    expect(constants.shortcodeDocId).toBe(createInstagramConstants().shortcodeDocId);
  });

  it.each([
    { 'instagram.mediaIdDocId': 'not digits' },
    { 'instagram.noSuchThing': '1' },
    { 'instagram.mediaIdUrl': 'https://evil.example/graphql' },
    { 'instagram.browserUserAgent': 'two\r\nlines: 1' },
  ])('refuses %j and names the key', overrides => {
    expect(() => createInstagramConstants(overrides)).toThrow(Object.keys(overrides)[0]);
  });
});
