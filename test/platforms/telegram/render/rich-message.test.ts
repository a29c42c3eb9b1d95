import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../../src/bot/contract/reply.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { renderBlocks } from '../../../../src/platforms/telegram/render/block-text.ts';
import { renderRichWords } from '../../../../src/platforms/telegram/render/rich-message.ts';
import { blockShape, leavesOf } from '../../../fakes/telegram/rich-shapes.ts';

const t = createTranslator(['en']);
const LONG = 'word '.repeat(70).trim();

function words(...blocks: Block[]) {
  return renderRichWords(renderBlocks(blocks, t, 32_768));
}

/** What is read of them. */
function written(blocks: ReturnType<typeof words>): string {
  return blocks
    .map(block => {
      const read = blockShape.parse(block);
      return 'text' in read ? leavesOf(read.text).join('') : '';
    })
    .join('\n\n');
}

describe('the words of a rich message', () => {
  it('are paragraphs, with their marks one in the other', () => {
    const author = { kind: 'link' as const, url: 'https://site.example/ines', children: ['Ines'] };
    expect(
      words(
        { kind: 'heading', text: [{ kind: 'strong', children: [author, ' ✓'] }] },
        { kind: 'text', text: ['12 likes'], small: true },
        {
          kind: 'text',
          text: [{ kind: 'emphasis', children: ['late'] }, ' and ', { kind: 'code', children: ['late'] }],
        },
      ),
    ).toEqual([
      {
        type: 'paragraph',
        text: [
          { type: 'bold', text: [{ type: 'url', url: 'https://site.example/ines', text: 'Ines' }, ' ✓'] },
          '\n12 likes',
        ],
      },
      { type: 'paragraph', text: [{ type: 'italic', text: 'late' }, ' and ', { type: 'code', text: 'late' }] },
    ]);
  });

  it('fold a long caption, wherever it stands, and keep its lines', () => {
    const caption = `${LONG}\n\n${LONG}`;
    const blocks = words(
      { kind: 'heading', text: ['Ines'] },
      { kind: 'text', text: [caption], folded: true },
      { kind: 'text', text: ['2 of 5 shown'] },
    );
    expect(blocks).toEqual([
      { type: 'paragraph', text: { type: 'bold', text: 'Ines' } },
      { type: 'expandable_blockquote', text: caption },
      { type: 'paragraph', text: '2 of 5 shown' },
    ]);
  });

  it('lead where addresses in them lead, and nowhere else', () => {
    const text = 'see https://example.com/a_(b)?c=1, not javascript:alert(1) or https:// or `https://example.com`';
    expect(words({ kind: 'text', text: [text, { kind: 'code', children: [' https://example.com/code'] }] })).toEqual([
      {
        type: 'paragraph',
        text: [
          'see ',
          { type: 'url', url: 'https://example.com/a_(b)?c=1', text: 'https://example.com/a_(b)?c=1' },
          ', not javascript:alert(1) or https:// or `',
          { type: 'url', url: 'https://example.com', text: 'https://example.com' },
          '` ',
          { type: 'code', text: 'https://example.com/code' },
        ],
      },
    ]);
  });

  it('are none where nothing is said', () => {
    expect(words()).toEqual([]);
    expect(words({ kind: 'text', text: [' \n '] })).toEqual([]);
  });

  it('lose nothing of what people write, whatever it is', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\n\n', ' ', '@name ', 'https://example.com/x ', '<b>', '🌊', LONG),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, folded) => {
        const text = pieces.join('');
        const said = written(
          words(
            { kind: 'heading', text: ['A', { kind: 'strong', children: [text] }] },
            { kind: 'text', text: [text], folded },
          ),
        );
        const bare = (value: string) => value.replace(/\s/gu, '').replaceAll('＠', '@');
        expect(bare(said)).toBe(bare(`A${text}${text}`));
      }),
    );
  });
});
