import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../src/media/extract/find-addresses.ts';
import { anyAddress } from '../../any-text.ts';

const CYRILLIC_A = '\u0430';

describe('parseAddress', () => {
  it.each([
    ['https://www.instagram.com/p/DXeh-kYiIge/', 'https://www.instagram.com/p/DXeh-kYiIge/'],
    ['http://instagram.com/p/DXeh-kYiIge?img_index=2#x', 'https://instagram.com/p/DXeh-kYiIge?img_index=2#x'],
    ['  instagram.com/p/DXeh-kYiIge \n', 'https://instagram.com/p/DXeh-kYiIge'],
    ['fb.watch/aB3xY9z1', 'https://fb.watch/aB3xY9z1'],
    ['https//www.facebook.com/reel/1', 'https://www.facebook.com/reel/1'],
    ['http//www.facebook.com/reel/1', 'https://www.facebook.com/reel/1'],
    ['HTTPS://WWW.Facebook.COM/Reel/1', 'https://www.facebook.com/Reel/1'],
    ['www.facebook.com', 'https://www.facebook.com/'],
    ['facebook.com?v=1', 'https://facebook.com/?v=1'],
    [
      'https://www.facebook.com/wood57/videos/フェリー/1',
      'https://www.facebook.com/wood57/videos/%E3%83%95%E3%82%A7%E3%83%AA%E3%83%BC/1',
    ],
    [
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.instagram.com%2Fp%2Fx%2F',
      'https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.instagram.com%2Fp%2Fx%2F',
    ],
    ['instagram://media?id=482584233761418119', 'instagram://media?id=482584233761418119'],
    ['https://www.instagram.com:443/reel/DXeh-kYiIge/', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['https//www.instagram.com:443/reel/DXeh-kYiIge/', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['www.instagram.com:443/reel/DXeh-kYiIge/', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['http://www.instagram.com:80/reel/DXeh-kYiIge/', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['https://www.instagram.com/reel/DXeh-kYiIge/😍', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['https://www.instagram.com/reel/DXeh-kYiIge😍', 'https://www.instagram.com/reel/DXeh-kYiIge'],
    ['https://www.instagram.com/reel/DXeh-kYiIge/❤️lol', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['https://www.instagram.com/reel/DXeh-kYiIge/👨‍👩‍👧🏽/', 'https://www.instagram.com/reel/DXeh-kYiIge/'],
    ['https://www.facebook.com/watch/?v=12🇮🇩', 'https://www.facebook.com/watch/?v=12'],
    ['instagram://media?id=482584233761418119😍', 'instagram://media?id=482584233761418119'],
  ])('reads %s', (text, href) => {
    expect(parseAddress(text)?.href).toBe(href);
  });

  it.each([
    '',
    '   ',
    'hello',
    'hello there',
    'DXeh-kYiIge',
    '/p/DXeh-kYiIge',
    '//instagram.com/p/x',
    'https://',
    'https:///p/x',
    'https:/instagram.com/p/x',
    'https:instagram.com/p/x',
    'ftp://instagram.com/p/x',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'instagram://media?id=1 2',
    'instagram://media/../x',
    'instagram://user@media?id=1',
    'instagram://www.instagram.com/p/x',
    'instagram://media:443?id=1',
    'https://user@instagram.com/p/x',
    'https://user:pass@instagram.com/p/x',
    'https://instagram.com@evil.example/p/x',
    'https://instagram.com%40evil.example/p/x',
    'https://instagram.com:80/p/x',
    'http://instagram.com:443/p/x',
    'https://instagram.com:0443/p/x',
    'https://instagram.com:443:443/p/x',
    'https://instagram.com:4430/p/x',
    'https://instagram.com:/p/x',
    'https://instagram.com:443@evil.example/p/x',
    'https://127.0.0.1:443/p/x',
    'https://localhost:443/p/x',
    'instagram.com:80/p/x',
    'https://instagram.com😍/p/x',
    'https://instagram.com😍',
    'https://😍instagram.com/p/x',
    'https://instagram.com:8443/p/x',
    'https://instagram.com./p/x',
    'https://.instagram.com/p/x',
    'https://instagram..com/p/x',
    'https://-instagram.com/p/x',
    'https://instagram-.com/p/x',
    'https://instagram_x.com/p/x',
    'https://localhost/p/x',
    'https://instagram/p/x',
    'https://127.0.0.1/p/x',
    'https://127.1/p/x',
    'https://2130706433/p/x',
    'https://0x7f000001/p/x',
    'https://0x7f.1/p/x',
    'https://0177.0.0.1/p/x',
    'https://1.2.3.0x4/p/x',
    'https://[::1]/p/x',
    'https://[::ffff:127.0.0.1]/p/x',
    'https://169.254.169.254/latest',
    'https://①②⑦.0.0.1/p/x',
    'https://xn--nstagram-u3a.com/p/x',
    'https://www.xn--80ak6aa92e.com/p/x',
    `https://inst${CYRILLIC_A}gram.com/p/x`,
    'https://ｉnstagram.com/p/x',
    'https://instagram\u3002com/p/x',
    'https://insta\u00adgram.com/p/x',
    'https://insta\u200bgram.com/p/x',
    'https://instagram.com\\@evil.example/p/x',
    'https:\\\\instagram.com\\p\\x',
    'https://instagram.com/p/x y',
    'https://instagram.com/p/x\ty',
    'https://insta\ngram.com/p/x',
    'https://instagram.com/p/\u0000',
    'https://instagram.com/p/\u007f',
    'https://instagram.com/p/\u0085x',
    `https://instagram.com/${'a'.repeat(8_192)}`,
    `https://${'a.'.repeat(130)}com/`,
    ' '.repeat(100_000),
  ])('refuses %j', text => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it('accepts 8 KB and not one character more', () => {
    const base = 'https://instagram.com/';
    expect(parseAddress(base + 'a'.repeat(8_192 - base.length))).toBeDefined();
    expect(parseAddress(base + 'a'.repeat(8_193 - base.length))).toBeUndefined();
  });

  const link = fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'https//', ''),
      fc.stringMatching(/^[A-Za-z0-9_-]{1,11}$/),
      fc.boolean(),
    )
    .map(([scheme, code, slash]) => ({ scheme, path: `/reel/${code}${slash ? '/' : ''}` }));

  it('reads the default port of a scheme as if it were not there, and refuses every other', () => {
    fc.assert(
      fc.property(link, fc.integer({ min: 0, max: 70_000 }), ({ scheme, path }, port) => {
        const isDefault = port === (scheme === 'http://' ? 80 : 443);
        const meant = isDefault ? `https://www.instagram.com${path}` : undefined;
        expect(parseAddress(`${scheme}www.instagram.com:${port}${path}`)?.href).toBe(meant);
      }),
      { examples: [[{ scheme: 'https://', path: '/reel/a' }, 443]] },
    );
    fc.assert(
      fc.property(link, ({ scheme, path }) => {
        const port = scheme === 'http://' ? 80 : 443;
        const written = `${scheme}www.instagram.com:${port}${path}`;
        expect(parseAddress(written)?.href).toBe(`https://www.instagram.com${path}`);
      }),
    );
  });

  it('reads a link with up to 8 KB of query', () => {
    fc.assert(
      fc.property(
        link,
        fc.stringMatching(/^[A-Za-z0-9_%-]{0,64}$/),
        fc.nat(8_000),
        ({ scheme, path }, piece, length) => {
          const text = `${scheme}www.instagram.com${path}?igsh=${piece.repeat(130)}`.slice(0, 64 + length);
          expect(parseAddress(text)?.pathname).toBe(path);
        },
      ),
    );
  });

  it('leaves out whatever else is written right behind a link', () => {
    const tail = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .map(text => text.replace(/[\p{ASCII}\s\p{C}]/gu, ''));
    fc.assert(
      fc.property(
        link,
        fc.oneof(tail, fc.constantFrom('😍', '❤️', '👨‍👩‍👧', '👍🏽', '🇮🇩', '見て')),
        ({ scheme, path }, behind) => {
          const text = `${scheme}www.instagram.com${path}`;
          expect(parseAddress(text + behind)?.href).toBe(parseAddress(text)?.href);
        },
      ),
    );
  });

  it('never throws, and what it accepts has a plain host, no user, no port', () => {
    const piece = fc.constantFrom(
      'https://',
      'http//',
      'instagram.com',
      '.',
      ':',
      '@',
      '/',
      '?',
      '#',
      '%',
      '[',
      '\\',
      '1',
      'xn--',
      'app://media',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          anyAddress(),
          fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))).map(one => one.join('')),
        ),
        text => {
          const address = parseAddress(text);
          if (address === undefined) return;
          // An app's own link names something inside the app: no host, no path.
          const isOfWeb = address.protocol === 'https:';
          expect(address.protocol).toMatch(/^(?!http:)[a-z][a-z0-9]*:$/);
          expect(address.hostname).toMatch(isOfWeb ? /^(?:[a-z0-9-]+\.)+[a-z]+$/ : /^[a-z_]+$/i);
          if (!isOfWeb) expect(address.pathname).toMatch(/^\/?$/);
          expect([address.username, address.password, address.port]).toEqual(['', '', '']);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
