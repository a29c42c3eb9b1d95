import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mediaAddress } from '../../../src/media/parse/json-fields.ts';
import { META_MEDIA_HOSTS } from '../../../src/media/sources/kit/cdn-address.ts';

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
