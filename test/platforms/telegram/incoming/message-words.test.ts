import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWords } from '../../../../src/platforms/telegram/incoming/message-request.ts';

function entity(text: string, part: string, type: string, url?: string) {
  return { type, offset: text.indexOf(part), length: part.length, url };
}

describe('readWords', () => {
  const link = 'https://www.instagram.com/reel/DYnightsky7/';

  it('finds addresses by UTF-16 offsets, behind emoji and letters of two units', () => {
    const text = `🌊🌊👩🏽‍🍳 𝒹𝒾𝓋𝑒 ${link} 🌊`;
    expect(readWords(text, [entity(text, link, 'url')]).links).toEqual([{ url: link, spoiler: false }]);
  });

  it('finds what a text hides behind words', () => {
    const words = readWords('🎬 watch this', [{ type: 'text_link', offset: 3, length: 10, url: link }]);
    expect(words.links).toEqual([{ url: link, spoiler: false }]);
  });

  it('keeps hidden what is hidden', () => {
    const text = `first ${link} then https://www.instagram.com/p/DXtramshed1/`;
    const second = 'https://www.instagram.com/p/DXtramshed1/';
    const entities = [entity(text, second, 'url'), entity(text, link, 'url'), entity(text, link, 'spoiler')];
    expect(readWords(text, entities).links).toEqual([
      { url: link, spoiler: true },
      { url: second, spoiler: false },
    ]);
  });

  it.each(['code', 'pre'])('leaves %s alone', type => {
    const words = readWords(`run ${link}`, [
      { type, offset: 4, length: link.length, url: undefined },
      { type: 'url', offset: 4, length: link.length, url: undefined },
    ]);
    expect(words.links).toEqual([]);
    expect(words.text.trim()).toBe('run');
  });

  it('leaves <links> alone', () => {
    const text = `not <${link}>`;
    expect(readWords(text, [entity(text, link, 'url')]).links).toEqual([]);
  });

  it('leaves the text to the core where nothing is marked', () => {
    const text = `instagram words ${link}`;
    expect(readWords(text, [])).toEqual({ text, links: undefined, remainder: text });
  });

  it('survives any entities', () => {
    const anyEntity = fc.record({
      type: fc.constantFrom('url', 'text_link', 'code', 'pre', 'spoiler', 'bold'),
      offset: fc.integer(),
      length: fc.integer(),
      url: fc.option(fc.string(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(anyEntity, { maxLength: 8 }), (text, entities) => {
        expect(readWords(text, entities).text).toHaveLength(text.length);
      }),
    );
  });
});
