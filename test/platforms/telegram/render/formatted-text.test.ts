import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, Inline } from '../../../../src/bot/contract/reply.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { renderBlocks } from '../../../../src/platforms/telegram/render/block-text.ts';
import { type FormattedText, formatText, shorten } from '../../../../src/platforms/telegram/render/formatted-text.ts';
import { anyAddress } from '../../../any-text.ts';

const t = createTranslator(['en']);

const inline: fc.Arbitrary<Inline> = fc.letrec<{ inline: Inline }>(tie => ({
  inline: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.record({
      kind: fc.constantFrom('strong' as const, 'emphasis' as const, 'code' as const),
      children: fc.array(tie('inline'), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('link' as const),
      url: anyAddress(),
      children: fc.array(tie('inline'), { maxLength: 3 }),
    }),
  ),
})).inline;

function checkEntities({ text, entities }: FormattedText): void {
  for (const { offset, length } of entities) {
    expect(length).toBeGreaterThan(0);
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset + length).toBeLessThanOrEqual(text.length);
    for (const at of [offset, offset + length]) {
      expect(/^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))).toBe(false);
    }
  }
}

describe('formatText', () => {
  it('covers words by entities and leaves what looks like markup alone', () => {
    const formatted = formatText(['*not* <b>bold</b> ', { kind: 'strong', children: ['but 🌊 this'] }, ' _end_'], t);
    expect(formatted.text).toBe('*not* <b>bold</b> but 🌊 this _end_');
    expect(formatted.entities).toEqual([{ type: 'bold', offset: 18, length: 11 }]);
  });

  it('calls nobody: names from the web are code, or lead to their page, and can be copied as they stand', () => {
    const text: Inline[] = ['with @tari.senja. and (@someone) in M@STERPIECE by a@b.example'];
    const voice = { ...t, pageOf: (name: string) => (name === 'someone' ? 'https://example.com/someone' : undefined) };
    const formatted = formatText(text, voice);
    expect([formatted.text]).toEqual(text);
    expect(formatted.entities).toEqual([
      { type: 'code', offset: 5, length: 11 },
      { type: 'text_link', offset: 23, length: 8, url: 'https://example.com/someone' },
    ]);
  });

  it.each([
    ['one piece', (names: readonly string[]): readonly Block[] => [{ kind: 'text', text: [names.join(' ')] }]],
    [
      'many pieces',
      (names: readonly string[]): readonly Block[] =>
        names.map(name => ({ kind: 'text', text: [name, { kind: 'strong', children: ['!'] }] })),
    ],
  ])('leaves no name uncovered in a message, however many there are, in %s', (_, blocksOf) => {
    const names = Array.from({ length: 80 }, (_each, n) => `@name${n}`);
    const { text, entities } = renderBlocks(blocksOf([...names, ...names]), t, 4_096);
    expect(entities).toHaveLength(100);
    expect(text.match(/[@＠]name\d+/g)).toHaveLength(160);
    for (const { index, 0: name } of text.matchAll(/@\w+/g)) {
      expect(entities).toContainEqual({ type: 'code', offset: index, length: name.length });
    }
  });

  it('writes commands as the menu names them', () => {
    const usage: Inline = { kind: 'code', children: ['/beatmap search query'] };
    expect(formatText([{ kind: 'command', name: 'osu link' }, ': ', usage, ' /beatmap search'], t).text).toBe(
      '/osu_link: /beatmap_search query /beatmap search',
    );
  });

  it('makes links of web addresses alone', () => {
    const bad = ['javascript:alert(1)', 'tg://user?id=1', 'https://', 'http://localhost/x'];
    for (const url of bad) expect(formatText([{ kind: 'link', url, children: ['here'] }], t).entities).toEqual([]);
    const good = formatText([{ kind: 'link', url: 'https://example.com/a', children: ['here'] }], t);
    expect(good.entities).toEqual([{ type: 'text_link', offset: 0, length: 4, url: 'https://example.com/a' }]);
  });

  it('keeps entities inside of the text, and characters whole, however it is cut', () => {
    fc.assert(
      fc.property(fc.array(inline, { maxLength: 6 }), fc.nat(120), (text, max) => {
        const whole = formatText(text, t);
        checkEntities(whole);
        const short = shorten(whole, max);
        checkEntities(short);
        expect(short.text.length).toBeLessThanOrEqual(max);
        if (whole.text.length > max && max > 0) expect(short.text.endsWith('…')).toBe(true);
      }),
    );
  });
});
