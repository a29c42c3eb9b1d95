import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCookiesFile } from '../../../src/media/extract/cookies-file.ts';

const FILE = [
  '# Netscape HTTP Cookie File',
  '',
  '.instagram.com\tTRUE\t/\tTRUE\t1893456000\tcsrftoken\tmade-up',
  '#HttpOnly_.instagram.com\tTRUE\t/\tTRUE\t0\tsessionid\t1%3Amade%3Aup',
  'example.org\tFALSE\t/only\tFALSE\t1893456000\tother\tvalue',
  'no cookie at all',
].join('\r\n');

describe('parseCookiesFile', () => {
  it('reads each cookie line', () => {
    const cookies = parseCookiesFile(FILE);
    expect(cookies.map(cookie => [cookie.key, cookie.value, cookie.domain])).toEqual([
      ['csrftoken', 'made-up', 'instagram.com'],
      ['sessionid', '1%3Amade%3Aup', 'instagram.com'],
      ['other', 'value', 'example.org'],
    ]);
    expect(cookies.map(cookie => [cookie.secure, cookie.httpOnly, cookie.hostOnly, cookie.path])).toEqual([
      [true, false, false, '/'],
      [true, true, false, '/'],
      [false, false, true, '/only'],
    ]);
    expect(cookies[0]?.expires).toEqual(new Date(1_893_456_000_000));
    expect(cookies[1]?.expires).toBe('Infinity');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\t', '\n', '#', '.', 'a', '0', '#HttpOnly_', 'TRUE')), parts => {
        expect(Array.isArray(parseCookiesFile(parts.join('')))).toBe(true);
      }),
    );
  });
});
