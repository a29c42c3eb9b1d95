import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressExpiry, addressTag, META_MEDIA_HOSTS, mediaAddress } from '../../../src/media/parse/media-address.ts';

describe('mediaAddress', () => {
  it.each([
    'https://scontent.cdninstagram.com/v/t51/a.jpg?oh=1',
    'https://cdninstagram.com/a.mp4',
    'https://instagram.fqls1-1.fna.fbcdn.net/o1/v/a.mp4',
    'https://video-qls1-1.xx.fbcdn.net/a.mp4',
  ])('accepts %s', url => {
    expect(mediaAddress(url, META_MEDIA_HOSTS)).toBe(url);
  });

  it.each([
    ['plain http', 'http://scontent.cdninstagram.com/a.jpg'],
    ['a look-alike suffix', 'https://evilcdninstagram.com/a.jpg'],
    ['a suffix that goes on', 'https://cdninstagram.com.evil.example/a.jpg'],
    ['a user name', 'https://me@scontent.cdninstagram.com/a.jpg'],
    ['a password', 'https://:pw@scontent.cdninstagram.com/a.jpg'],
    ['a port', 'https://scontent.cdninstagram.com:8443/a.jpg'],
    ['a trailing dot', 'https://scontent.cdninstagram.com./a.jpg'],
    ['another host', 'https://lookaside.fbsbx.com/a.jpg'],
    ['an address in numbers', 'https://127.0.0.1/a.jpg'],
    ['a script', 'javascript:alert(1)'],
    ['no address', 'cdninstagram.com/a.jpg'],
    ['nothing', ''],
    ['a number', 7],
    ['null', null],
    ['an object', { href: 'https://scontent.cdninstagram.com/a.jpg' }],
  ])('refuses %s', (_, url) => {
    expect(mediaAddress(url, META_MEDIA_HOSTS)).toBeNull();
  });

  it('gives every address as a parser of addresses would write it', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '/',
        '.',
        '..',
        '%2e',
        '%2E',
        '?',
        '&',
        '=',
        '#',
        "'",
        '"',
        ' ',
        '|',
        '\\',
        'é',
        '@',
        ':',
        'xn--',
        'A',
      ),
      fc.string({ maxLength: 3 }),
    );
    const host = fc.constantFrom(
      'a.fbcdn.net',
      'fbcdn.net',
      'A.FBCDN.net',
      'a..fbcdn.net',
      'xn--a.fbcdn.net',
      'fbcdn.net.',
    );
    fc.assert(
      fc.property(host, fc.array(piece, { maxLength: 8 }), (name, pieces) => {
        const url = `https://${name}/${pieces.join('')}`;
        const given = mediaAddress(url, META_MEDIA_HOSTS);
        if (given === null) return;
        const expected = new URL(url);
        expected.hash = '';
        expect(given).toBe(expected.href);
      }),
      { numRuns: 2_000 },
    );
  });

  it('drops a fragment and refuses endless addresses', () => {
    expect(mediaAddress('https://a.fbcdn.net/x#y', META_MEDIA_HOSTS)).toBe('https://a.fbcdn.net/x');
    expect(mediaAddress(`https://a.fbcdn.net/${'x'.repeat(9_000)}`, META_MEDIA_HOSTS)).toBeNull();
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

  it('has no short side for sound', () => {
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
