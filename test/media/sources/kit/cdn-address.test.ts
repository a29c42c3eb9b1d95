import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressExpiry,
  addressTag,
  META_MEDIA_HOSTS,
  readAddress,
} from '../../../../src/media/sources/kit/cdn-address.ts';

describe('readAddress', () => {
  it.each(META_MEDIA_HOSTS)('reads addresses below %s and no others', host => {
    expect(readAddress(`https://a.${host}/x.mp4`)).toBe(`https://a.${host}/x.mp4`);
    expect(readAddress(`https://a.${host}.example/x.mp4`)).toBeNull();
    expect(readAddress({ href: `https://a.${host}/x.mp4` })).toBeNull();
  });

  it.each(['null.jpg', 'null.mp4', 'v4/yR/r/icon.png'])('takes the site’s own file %s for no file of a post', name => {
    expect(readAddress(`https://static.cdninstagram.com/rsrc.php/${name}`)).toBeNull();
  });
});

describe('addressExpiry', () => {
  it('reads the hex seconds of oe=', () => {
    expect(addressExpiry('https://a.fbcdn.net/x.mp4?oh=1&oe=670E7C02')).toBe(Date.UTC(2024, 9, 15, 14, 28, 18));
  });

  it('reads the old path form', () => {
    expect(addressExpiry('https://a.cdninstagram.com/vp/0a1b2c/5CA4F5B5/t51/a.jpg')).toBe(0x5ca4f5b5 * 1000);
  });

  it.each(['https://a.fbcdn.net/x.mp4', 'https://a.fbcdn.net/x?oe=zz', 'https://a.fbcdn.net/x?oe=', 'not an address'])(
    'is null for %s',
    url => {
      expect(addressExpiry(url)).toBeNull();
    },
  );
});

describe('addressTag', () => {
  const tagged = (tag: unknown) =>
    `https://a.fbcdn.net/x.mp4?efg=${encodeURIComponent(Buffer.from(JSON.stringify(tag)).toString('base64'))}`;

  it('reads encoding, duration and short side', () => {
    const url = tagged({ vencode_tag: 'vts_vod_urlgen.clips.c2.720.baseline', duration_s: 17, bitrate: '512000' });
    expect(addressTag(url)).toEqual({
      encoding: 'vts_vod_urlgen.clips.c2.720.baseline',
      durationMs: 17_000,
      shortSide: 720,
      bitrate: 512_000,
    });
  });

  it('has no short side for audio', () => {
    expect(addressTag(tagged({ vencode_tag: 'xpv_progressive.X..C3.0.progressive_audio_48' })).shortSide).toBeNull();
  });

  it.each([[[]], ['text'], [null], [{ vencode_tag: 7, duration_s: 'soon' }]])('is null all over for %j', tag => {
    expect(addressTag(tagged(tag))).toEqual({ encoding: null, durationMs: null, shortSide: null, bitrate: null });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        expect(addressTag(`https://a.fbcdn.net/x?efg=${text}`)).toHaveProperty('durationMs');
        expect(addressTag(text)).toHaveProperty('encoding');
      }),
    );
  });
});
