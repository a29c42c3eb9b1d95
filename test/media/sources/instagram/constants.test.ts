import { describe, expect, it } from 'vitest';
import { createInstagramConstants } from '../../../../src/media/sources/instagram/constants.ts';

describe('createInstagramConstants', () => {
  it('lays the overrides of this source over the defaults', () => {
    const constants = createInstagramConstants({ 'instagram.mediaIdDocId': '12345678', 'facebook.docId': 'ignored' });
    expect(constants.mediaIdDocId).toBe('12345678');
    expect(constants.shortcodeDocId).toBe(createInstagramConstants().shortcodeDocId);
  });

  it('lays them over single fields of a profile', () => {
    const { profiles } = createInstagramConstants({
      'instagram.embed/crawler.timeoutMs': '9000',
      'instagram.media-id-query/browser.userAgent': 'Mozilla/5.0 (X11)',
      'instagram.browserUserAgent': 'Mozilla/5.0 (Plan 9)',
      'instagram.appId': '123456',
    });
    expect(profiles['embed/crawler']).toMatchObject({ timeoutMs: 9_000, userAgent: 'facebookexternalhit/1.1' });
    expect(profiles['media-id-query/browser'].userAgent).toBe('Mozilla/5.0 (X11)');
    expect(profiles['shortcode-query/browser']).toMatchObject({
      userAgent: 'Mozilla/5.0 (Plan 9)',
      headers: { 'x-ig-app-id': '123456' },
    });
    expect(
      createInstagramConstants({ 'instagram.page/crawler.userAgent': 'own' }).profiles['page/crawler'].userAgent,
    ).toBe(null);
  });

  it('names every wrong key at once', () => {
    const wrong = {
      'instagram.appId': 'x',
      'instagram.page/crawler.userAgent': '',
      'instagram.page/crawler.color': 'red',
      'instagram.pages/crawler.userAgent': 'x',
    };
    for (const key of Object.keys(wrong)) expect(() => createInstagramConstants(wrong)).toThrow(key);
  });

  it.each([
    { 'instagram.mediaIdDocId': 'not digits' },
    { 'instagram.noSuchThing': '1' },
    { 'instagram.mediaIdUrl': 'https://evil.example/graphql' },
    { 'instagram.browserUserAgent': 'two\r\nlines: 1' },
    { 'instagram.oembed.session': 'mine' },
    { 'instagram.oembed.headers': '{"accept":"two\\r\\nlines: 1"}' },
    { 'instagram.oembed.headers': 'accept' },
    { 'instagram.oembed.timeoutMs': '5' },
    { 'instagram.oembed': 'x' },
  ])('refuses %j and names the key', overrides => {
    expect(() => createInstagramConstants(overrides)).toThrow(Object.keys(overrides)[0]);
  });
});
