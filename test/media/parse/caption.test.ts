import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { captionTags } from '../../../src/media/parse/json.ts';
import { cpuMsOf } from '../../cpu-time.ts';

describe('captionTags', () => {
  it('gives tags and names in order with their signs, once each', () => {
    expect(captionTags('#one @anna #two,#ONE (@bob.b) @anna. #one')).toEqual({
      hashtags: ['#one', '#two'],
      mentions: ['@anna', '@bob.b'],
    });
  });

  it('gives each of several tags without blanks between them', () => {
    expect(captionTags('Calm sea #beach#sunset\uff03\u6d77 c#sharp#flat').hashtags).toEqual([
      '#beach',
      '#sunset',
      '#\u6d77',
    ]);
  });

  it('knows letters of all scripts and their marks', () => {
    expect(captionTags('#küste #夜市 #สวัสดี #नमस्ते #snake_case #2026plans').hashtags).toEqual([
      '#küste',
      '#夜市',
      '#สวัสดี',
      '#नमस्ते',
      '#snake_case',
      '#2026plans',
    ]);
  });

  it.each([
    ['numbers alone', '#1 #2026'],
    ['a keycap', '#️⃣ and 1️⃣'],
    ['a fragment of an address', 'https://example.org/#part'],
    ['a character reference', 'it&#39;s'],
    ['a mail address', 'write to anna@example.org'],
    ['signs alone', '# @ ## @@'],
    ['a sign inside a word', 'c#sharp'],
  ])('finds none in %s', (_, caption) => {
    expect(captionTags(caption)).toEqual({ hashtags: [], mentions: [] });
  });

  it('ends a name before its full stop, and takes no name that is too long', () => {
    expect(captionTags('by @anna.').mentions).toEqual(['@anna']);
    expect(captionTags(`by @${'a'.repeat(31)}`).mentions).toEqual([]);
  });

  it('reads none of no caption', () => {
    expect(captionTags(null)).toEqual({ hashtags: [], mentions: [] });
  });

  it('gives only tags that stand in the caption', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), caption => {
        const { hashtags, mentions } = captionTags(caption);
        for (const tag of [...hashtags, ...mentions]) expect(caption).toContain(tag.slice(1));
      }),
    );
  });

  it('takes a second at most for a megabyte', () => {
    for (const piece of ['#', '@', '#a', '@a.', '@aaaaaaaaaa', '夜', '#夜']) {
      const tookMs = cpuMsOf(() => {
        expect(captionTags(piece.repeat(Math.ceil(1_000_000 / piece.length)))).toHaveProperty('hashtags');
      });
      expect(tookMs).toBeLessThan(1_000);
    }
  });
});
