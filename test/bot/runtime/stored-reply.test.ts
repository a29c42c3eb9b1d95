import { describe, expect, it } from 'vitest';
import { createSvgRasterizer } from '../../../src/bot/cards/svg-rasterizer.ts';
import type { Block, Reply } from '../../../src/bot/contract/reply.ts';
import { reply, textBlock } from '../../../src/bot/contract/reply-parts.ts';
import { readReply, StoredReply, storeReply } from '../../../src/bot/runtime/stored-reply.ts';
import { photo, samplePost } from '../sample.ts';

/** As another process reads it. */
function reread(said: Reply): Reply | undefined {
  const kept = storeReply(said);
  return kept && readReply(StoredReply.parse(JSON.parse(JSON.stringify(kept))));
}

const BLOCKS: readonly Block[] = [
  { kind: 'heading', text: ['Map'], image: { kind: 'image', url: 'https://a.example/1.jpg', alt: 'Cover' } },
  {
    kind: 'text',
    folded: true,
    text: [
      'plain',
      { kind: 'strong', children: [{ kind: 'code', children: ['x'] }] },
      { kind: 'link', url: 'https://a.example/', children: ['there'], token: 'tok' },
      { kind: 'time', at: 5, style: 'relative' },
      { kind: 'command', name: 'osu profile' },
      { kind: 'swatch', colour: '#ff6699', symbol: '*' },
    ],
  },
  { kind: 'fields', fields: [{ label: 'AR', value: ['9'], command: 'help' }] },
  { kind: 'sound', url: 'https://a.example/1.mp3', label: 'Preview' },
  {
    kind: 'card',
    title: ['One'],
    lines: [['two']],
    colour: '#00ff00',
    sound: { url: 'https://a.example/2.mp3', label: 'Preview' },
    worth: { value: '271 pp', lines: [['three']] },
    action: { kind: 'button', label: 'Open', token: 'open', style: 'primary' },
  },
  { kind: 'divider' },
];

describe('a kept reply', () => {
  it('is read back as it was, with all that a reply may hold', () => {
    const post = samplePost({ items: [photo(), photo()] });
    const said = reply({
      tone: 'success',
      visibility: 'caller',
      outdatedMs: 5_000,
      isHidden: true,
      colour: '#123456',
      blocks: BLOCKS,
      gallery: [0, 1].map(index => ({ kind: 'media', post, index, form: 'original', spoiler: index === 1 })),
      actions: [
        { kind: 'link', label: 'Site', url: 'https://a.example/', style: 'primary' },
        { kind: 'menu', label: 'More', choices: [{ label: 'a', detail: 'b', isSet: true, token: 'c' }] },
      ],
    });
    expect(reread(said)).toEqual(said);
    const quoting = { ...reply({ blocks: BLOCKS, onlyWhenAsked: true }), quoted: said };
    expect(reread(quoting)).toEqual(quoting);
  });

  it('draws its image card again', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';
    const picture = createSvgRasterizer().picture('square', () => svg, { width: 8, height: 8 });
    const words = { beside: [textBlock(['beside'])], instead: [textBlock(['instead'])] };
    const [block] = reread(reply({ blocks: [{ kind: 'picture', picture, alt: 'Square', ...words }] }))?.blocks ?? [];
    expect(block).toMatchObject(words);
    const again = block?.kind === 'picture' ? block.picture : undefined;
    expect(again).toMatchObject({ key: picture.key, width: 8, height: 8 });
    expect(await again?.draw()).toEqual(await picture.draw());
  });

  it('is bounded: words lose their end, and what shows files is not kept', () => {
    const many = (count: number): Block[] =>
      Array.from({ length: count }, () => ({ kind: 'text', text: ['w'.repeat(4_000)] }));
    expect(reread(reply({ blocks: many(100) }))?.blocks).toHaveLength(16);
    const gallery = [
      { kind: 'media' as const, post: samplePost(), index: 0, form: 'original' as const, spoiler: false },
    ];
    expect(storeReply(reply({ blocks: many(100), gallery }))).toBeUndefined();
  });
});
