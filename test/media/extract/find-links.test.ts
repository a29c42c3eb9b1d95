import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAddresses } from '../../../src/media/extract/find-addresses.ts';
import { cpuMsOf } from '../../cpu-time.ts';

const isKnown = ({ protocol, hostname }: URL) =>
  protocol === 'instagram:' || /^(?:[a-z0-9-]+\.)*(?:instagram\.com|facebook\.com|fb\.watch)$/.test(hostname);
const find = (text: string) => findAddresses(text, isKnown);
const P = 'https://www.instagram.com/p/DXeh-kYiIge/';
const R = 'https://www.facebook.com/reel/433712053064866';

describe('findAddresses', () => {
  it.each<[string, readonly string[]]>([
    ['no links here', []],
    [P, [P]],
    [`look: ${P} and ${R}, nice`, [P, R]],
    [`${P} ${R} ${P}`, [P, R]],
    [`${P}\n${R}`, [P, R]],
    ['instagram.com/p/abc is fun', ['instagram.com/p/abc']],
    ['see www.facebook.com/reel/1.', ['www.facebook.com/reel/1']],
    ['facebook.com?v=1', ['facebook.com?v=1']],
    ['I like instagram.com a lot', []],
    ['https//instagram.com/p/abc', ['https//instagram.com/p/abc']],
    ['instagram://media?id=482584233761418119', ['instagram://media?id=482584233761418119']],
    ['look,instagram://media?id=1 <instagram://media?id=2>', ['instagram://media?id=1']],
    ['other://media?id=1 xinstagram.com://media', []],
    ['https://example.com/p/abc https://instagram.com.evil.example/p/x', []],
    ['example.com/instagram.com/p/abc', []],
    ['https://web.archive.org/web/2026/https://www.instagram.com/p/abc/', []],
    ['me@instagram.com/p/abc', []],
    ['https://user@instagram.com/p/abc', []],
    ['хinstagram.com/p/abc', []],
    [`<${P}>`, []],
    [`<${P}> ${R}`, [R]],
    [`\`${P}\` ${R}`, [R]],
    [`\`\`\`\n${P}\n\`\`\` ${R}`, [R]],
    [`\`\`${P} \` x\`\` ${R}`, [R]],
    [`a lone \` before ${P}`, [P]],
    [`\`\`\` unclosed ${P}`, [P]],
    [`(${P})`, [P]],
    [`(see ${R})`, [R]],
    [`"${R}"`, [R]],
    [`«${R}»`, [R]],
    [`**${R}**`, [R]],
    [`~~${R}~~ ||${P}||`, [R, P]],
    [`_${R}_`, [R]],
    ['https://www.instagram.com/p/abc_ ok', ['https://www.instagram.com/p/abc_']],
    [`${R}...`, [R]],
    [`${R}?!`, [R]],
    [`${R}…`, [R]],
    [`${R}，好（${P}）`, [R, P]],
    [`[the reel](${R})`, [R]],
    [`[${R}](${R})`, [R]],
    [`[a](${R}) [b](${P}).`, [R, P]],
    ['https://www.facebook.com/wood57/videos/a_(b)/1', ['https://www.facebook.com/wood57/videos/a_(b)/1']],
    ['(https://www.facebook.com/wood57/videos/1_(b))', ['https://www.facebook.com/wood57/videos/1_(b)']],
    [`${R}\u200b`, [R]],
    [
      'https://l.instagram.com/?u=https://www.instagram.com/p/abc/',
      ['https://l.instagram.com/?u=https://www.instagram.com/p/abc/'],
    ],
    [`look,${R},${P}`, [R, P]],
    ['https://www.instagram.com:443/p/abc/ ok', ['https://www.instagram.com:443/p/abc/']],
    ['www.instagram.com:443/p/abc/ ok', ['www.instagram.com:443/p/abc/']],
    ['https://www.instagram.com:8443/p/abc/', []],
    ['www.instagram.com:80/p/abc/', []],
    [`${P}😍`, [P]],
    [`${R}😂😂`, [R]],
    [`${P}❤️ and ${R}🔥nice`, [P, R]],
    [`${R}😍${P}`, [R, P]],
    [`😍${P}`, [P]],
    [`${R}!😍`, [R]],
    [`(${R})😍`, [R]],
    ['instagram.com/p/abc😍', ['instagram.com/p/abc']],
    [`${R}見て`, [R]],
    [
      'https://www.facebook.com/wood57/videos/フェリー/1',
      ['https://www.facebook.com/wood57/videos/フェリー/1', 'https://www.facebook.com/wood57/videos/'],
    ],
  ])('%j', (text, expected) => {
    expect(find(text)).toEqual(expected);
  });

  it('finds links of up to 8 KB', () => {
    const long = `${R}?fbclid=${'Iw-x_9%2F'.repeat(1_000)}`.slice(0, 8_192);
    expect(find(`look ${long}, ${P}`)).toEqual([long, P]);
    expect(find(`look ${long}xy ${P}`)).toEqual([P]);
  });

  it('finds a link whatever emoji stand right around it', () => {
    const emoji = fc.array(fc.constantFrom('😍', '❤️', '👨‍👩‍👧', '👍🏽', '🇮🇩', '🫠', '™️'), { maxLength: 3 });
    fc.assert(
      fc.property(
        fc.constantFrom(P, R),
        emoji,
        emoji,
        fc.constantFrom('', ' ok', 'ok', '\n'),
        (link, before, behind, more) => {
          const follows = behind.length === 0 && more === 'ok' ? ' ok' : more;
          expect(find(`${before.join('')}${link}${behind.join('')}${follows}`)).toEqual([link]);
        },
      ),
    );
  });

  it('takes at most 20', () => {
    const text = Array.from({ length: 50 }, (_, i) => `https://www.facebook.com/reel/${i}`).join(' ');
    expect(find(text)).toHaveLength(20);
  });

  it('never throws', () => {
    const piece = fc.constantFrom(
      P,
      R,
      '`',
      '```',
      '<',
      '>',
      '(',
      ')',
      '[',
      '](',
      ' ',
      '\n',
      '_',
      '.',
      'https://',
      'instagram.com/',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.string({ maxLength: 5 }))).map(one => one.join('')),
        text => {
          for (const found of find(text)) expect(text).toContain(found);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each(['`', '<', '<https://', 'https://', 'https://a', '(', 'a.', 'instagram.com/', ')', '[x](', '``` `'])(
    'reads a megabyte of %j in bounded time',
    piece => {
      const tookMs = cpuMsOf(() => {
        find(piece.repeat(Math.ceil(1_000_000 / piece.length)));
      });
      expect(tookMs).toBeLessThan(10_000);
    },
  );
});
