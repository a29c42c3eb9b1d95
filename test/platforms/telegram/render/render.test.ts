import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, Card, GalleryItem, Reply } from '../../../../src/bot/contract/reply.ts';
import { hidden, reply, textBlock } from '../../../../src/bot/contract/reply-parts.ts';
import { renderPost } from '../../../../src/bot/views/post.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import type { Post } from '../../../../src/media/post.ts';
import { type MediaPayload, renderMissing, renderReply } from '../../../../src/platforms/telegram/render/render.ts';
import { renderRich } from '../../../../src/platforms/telegram/render/rich-message.ts';
import { makeItem, makePhoto, makePost } from '../../../fakes/post.ts';

const t = createTranslator(['en']);
const link = { kind: 'link' as const, label: 'Open original', url: 'https://www.instagram.com/reel/C9TestReef01/' };
const button = { kind: 'button' as const, label: 'Next', token: 'token', style: 'primary' as const };

function gallery(post: Post, form: GalleryItem['form'] = 'original'): readonly GalleryItem[] {
  return post.items.map((_, index) => ({ kind: 'media', post, index, form, spoiler: false }));
}

function media(value: Reply): readonly MediaPayload[] {
  return renderReply(value, t).filter(payload => payload.kind === 'media');
}

describe('what was asked for behind a spoiler', () => {
  const blocks: readonly Block[] = [
    { kind: 'heading', text: [{ kind: 'link', url: 'https://instagram.com/ines.reef', children: ['Ines'] }] },
    { kind: 'text', text: ['With @someone and ', { kind: 'code', children: ['C9TestReef01'] }], folded: true },
  ];
  const veil = (text: string) => ({ type: 'spoiler', offset: 0, length: text.length });

  it('has all of its words hidden, with the file', () => {
    const [payload] = media(hidden(reply({ blocks, gallery: gallery(makePost()) })));
    const { text = '', entities = [] } = payload?.caption ?? {};
    expect(payload?.items).toMatchObject([{ spoiler: true }]);
    expect(entities[0]).toEqual(veil(text));
    expect(entities.map(({ type }) => type)).not.toContain('code');
    expect(text).not.toMatch(/@someone/);
    expect(text).toContain('C9TestReef01');
  });

  it('has its words hidden where they stand alone, and no preview of it', () => {
    const cover: Block = { kind: 'image', url: 'https://cdn.example/cover.jpg', alt: 'Cover' };
    const [photo] = renderReply(hidden(reply({ blocks: [cover, ...blocks] })), t);
    expect(photo).toMatchObject({ kind: 'photo', isHidden: true });
    expect(photo?.kind === 'photo' && photo.caption.entities[0]).toMatchObject({ type: 'spoiler', offset: 0 });
    const [words] = renderReply(hidden(reply({ tone: 'notice', blocks: blocks.slice(1) })), t);
    expect(words).toMatchObject({ kind: 'text', preview: { is_disabled: true } });
    if (words?.kind !== 'text') throw new Error('not words');
    expect(words.content.entities[0]).toEqual(veil(words.content.text));
  });

  it('is hidden where its files could not be sent, with no preview of the page that plays them', () => {
    const value = hidden(reply({ blocks, actions: [link] }));
    const page = { kind: 'link', url: 'https://medley.example/v/a', leadsTo: 'page', reason: 'too_large' } as const;
    const { content, preview } = renderMissing(value, value.blocks, [page], t);
    expect(content.entities[0]).toEqual(veil(content.text));
    expect(preview).toEqual({ is_disabled: true });
  });

  it.each([
    ['a post', false, { url: 'https://medley.example/v/a' }],
    ['a sensitive post', true, { is_disabled: true }],
  ])('links to the page that plays a video of %s that is too large', (_, sensitive, preview) => {
    const post = makePost({ sensitive });
    const value = renderPost(post, t, { indexes: [0], form: 'original', site: { name: 'Site' } });
    const page = { kind: 'link', url: 'https://medley.example/v/a', leadsTo: 'page', reason: 'too_large' } as const;
    const text = renderMissing(value, value.blocks, [page], t);
    expect(text.content.text).toContain(page.url);
    expect(text.preview).toMatchObject(preview);
  });

  it('is hidden in a message of many files', () => {
    const post = makePost({ items: Array.from({ length: 12 }, () => makePhoto()) });
    const rich = renderRich(hidden(reply({ blocks, gallery: gallery(post) })), t, { extra: [], from: 2 });
    for (const { text } of (rich?.words ?? []).filter(block => 'text' in block)) {
      expect(text).toMatchObject({ type: 'spoiler' });
    }
    expect(rich?.words.length).toBeGreaterThan(0);
  });
});

describe('render', () => {
  it('puts words and buttons under a single file', () => {
    const value = reply({
      blocks: [
        { kind: 'heading', text: ['Ines'] },
        { kind: 'text', text: ['First dive'], folded: true },
      ],
      gallery: gallery(makePost()),
      actions: [link, button],
    });
    const [payload, ...others] = media(value);
    expect(others).toEqual([]);
    expect(payload?.caption.text).toBe('Ines\nFirst dive');
    expect(payload?.keyboard?.inline_keyboard).toEqual([
      [
        { text: 'Open original', url: link.url },
        { text: 'Next', callback_data: 'token', style: 'primary' },
      ],
    ]);
  });

  it('shortens what is folded first, and marks it', () => {
    const value = reply({
      blocks: [
        { kind: 'heading', text: ['Ines'] },
        { kind: 'text', text: ['wave '.repeat(500)], folded: true },
        { kind: 'text', text: ['12 likes · May 3, 2026'] },
      ],
      gallery: gallery(makePost()),
    });
    const caption = media(value)[0]?.caption;
    expect(caption?.text.length).toBeLessThanOrEqual(1024);
    expect(caption?.text).toMatch(/^Ines\nwave .*…\n12 likes · May 3, 2026$/s);
    expect(caption?.entities.find(({ type }) => type === 'expandable_blockquote')).toMatchObject({ offset: 5 });
  });

  it('makes albums of ten, with the words and the link on the first file and no buttons', () => {
    const post = makePost({ items: Array.from({ length: 23 }, (_, n) => (n % 2 === 0 ? makePhoto() : makeItem())) });
    const payloads = media(
      reply({ blocks: [{ kind: 'heading', text: ['Ines'] }], gallery: gallery(post), actions: [link] }),
    );
    expect(payloads.map(({ items }) => items.length)).toEqual([10, 10, 3]);
    expect(payloads.map(({ caption }) => caption.text)).toEqual(['Ines\nOpen original', '', '']);
    expect(payloads[0]?.caption.entities).toContainEqual({ type: 'text_link', offset: 5, length: 13, url: link.url });
    expect(payloads.every(({ keyboard }) => keyboard === undefined)).toBe(true);
  });

  it('gives the buttons of an album a message of their own', () => {
    const post = makePost({ items: [makePhoto(), makePhoto()] });
    const value = reply({
      blocks: [{ kind: 'heading', text: ['Ines'] }],
      gallery: gallery(post),
      actions: [link, button],
    });
    const last = renderReply(value, t).at(-1);
    expect(last).toMatchObject({ kind: 'followUp', content: { text: '2 photos' } });
    expect(last?.keyboard?.inline_keyboard.flat()).toEqual([expect.objectContaining({ callback_data: 'token' })]);
  });

  it('keeps sounds apart from pictures', () => {
    const post = makePost({ items: [makeItem(), makeItem()] });
    const items = [...gallery(post), ...gallery(post, 'audio')];
    expect(media(reply({ gallery: items })).map(group => group.items.map(({ form }) => form))).toEqual([
      ['original', 'original'],
      ['audio', 'audio'],
    ]);
  });

  it('says what is missing, why, and where it is', () => {
    const value = reply({ blocks: [{ kind: 'heading', text: ['Ines'] }], actions: [link] });
    const { content } = renderMissing(
      value,
      value.blocks,
      [
        { kind: 'link', url: link.url, leadsTo: 'original', reason: 'too_large' },
        { kind: 'link', url: 'https://medley.example/media/abc', leadsTo: 'tunnel', reason: 'too_large' },
      ],
      t,
    );
    expect(content.text).toBe(`Ines\n${t.messages.errors.too_large}\n\nhttps://medley.example/media/abc`);
  });

  it('stays within the limits, whatever a post says', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 3_000 });
    fc.assert(
      fc.property(words, words, words, fc.boolean(), (name, caption, details, hasFile) => {
        const value = reply({
          blocks: [
            { kind: 'heading', text: [{ kind: 'strong', children: [name] }] },
            { kind: 'text', text: [caption], folded: true },
            { kind: 'fields', fields: [{ label: name, value: [details] }] },
          ],
          gallery: hasFile ? gallery(makePost()) : [],
        });
        const [payload] = renderReply(value, t);
        const content = payload && 'content' in payload ? payload.content : payload?.caption;
        expect(content?.text.length).toBeLessThanOrEqual(hasFile ? 1024 : 4096);
        for (const { offset, length } of content?.entities ?? []) {
          expect(offset + length).toBeLessThanOrEqual(content?.text.length ?? 0);
        }
      }),
      { numRuns: 50 },
    );
  });
});

const PREVIEWED = { prefer_large_media: true, show_above_text: true };

function card(index: number, change: Partial<Card> = {}): Card {
  return {
    kind: 'card',
    title: [{ kind: 'link', url: `https://osu.ppy.sh/s/${index}`, children: [`Paper Lanterns ${index}`] }],
    lines: [['mapped by Tari'], ['🟣 5.2★'], ['3:10 · 180 bpm']],
    image: { kind: 'image', url: `https://assets.ppy.sh/beatmaps/${index}/covers/card.jpg`, alt: 'Cover' },
    action: { kind: 'button', label: 'Open', token: `open${index}`, style: 'secondary' },
    ...change,
  };
}

describe('a list of cards', () => {
  const menu = {
    kind: 'menu' as const,
    label: 'Open',
    choices: [1, 2].map(n => ({ label: `Map ${n}`, token: `open${n}` })),
  };
  const list = reply({ blocks: [{ kind: 'heading', text: ['Found'] }, card(1), card(2)], actions: [menu, button] });

  it('is one text with numbers, the first cover above it', () => {
    const [payload, ...others] = renderReply(list, t);
    expect(others).toEqual([]);
    expect(payload).toMatchObject({
      kind: 'text',
      preview: { url: 'https://assets.ppy.sh/beatmaps/1/covers/card.jpg', ...PREVIEWED },
      content: {
        text: [
          'Found\n1. Paper Lanterns 1\nmapped by Tari\n🟣 5.2★\n3:10 · 180 bpm',
          '2. Paper Lanterns 2\nmapped by Tari\n🟣 5.2★\n3:10 · 180 bpm',
        ].join('\n\n'),
        entities: expect.arrayContaining([
          { type: 'bold', offset: 9, length: 16 },
          { type: 'text_link', offset: 9, length: 16, url: 'https://osu.ppy.sh/s/1' },
        ]),
      },
    });
  });

  it('is opened by buttons with the same numbers, and by nothing else', () => {
    expect(renderReply(list, t)[0]?.keyboard?.inline_keyboard).toEqual([
      [
        { text: '1', callback_data: 'open1' },
        { text: '2', callback_data: 'open2' },
      ],
      [{ text: 'Next', callback_data: 'token', style: 'primary' }],
    ]);
  });

  it('has the numbers of its own where it has them, in the text and on the buttons', () => {
    const blocks = [11, 12].map(place => card(place, { title: [`${place}. `, 'Paper Lanterns'] }));
    const [payload] = renderReply(reply({ blocks }), t);
    expect(payload).toMatchObject({
      content: { text: expect.stringMatching(/^11\. Paper Lanterns\n[\s\S]*\n12\. Paper Lanterns\n/) },
      keyboard: { inline_keyboard: [[{ text: '11', callback_data: 'open11' }, { text: '12' }]] },
    });
  });

  it('has its numbers in rows of like length', () => {
    const blocks = Array.from({ length: 10 }, (_, index) => card(index));
    const rows = renderReply(reply({ blocks }), t)[0]?.keyboard?.inline_keyboard ?? [];
    expect(rows.map(row => row.map(({ text }) => text).join(''))).toEqual(['12345', '678910']);
  });

  it('has one line of facts a card; what else there is to one comes where it stands alone', () => {
    const full = { details: [['like Glass Harbour']], sound: { url: 'https://b.ppy.sh/1.mp3', label: 'Preview' } };
    const textOf = (count: number) => {
      const blocks = Array.from({ length: count }, (_, index) => card(index, { lines: [['271 pp · 5.2★']], ...full }));
      const [payload] = renderReply(reply({ blocks }), t);
      return payload?.kind === 'text' ? payload.content.text.split('\n').filter(line => line !== '') : [];
    };
    expect(textOf(5)).toHaveLength(10);
    expect(textOf(1)).toEqual(['Paper Lanterns 0', '271 pp · 5.2★', 'like Glass Harbour', 'Preview']);
  });

  it('of one is opened by its own button', () => {
    const [payload] = renderReply(reply({ blocks: [card(1)] }), t);
    expect(payload?.keyboard?.inline_keyboard).toEqual([[{ text: 'Open', callback_data: 'open1' }]]);
    expect(payload).toMatchObject({ content: { text: expect.stringMatching(/^Paper/) } });
  });

  it('loses last lines before names when it is too long', () => {
    const lines = [['first '.repeat(20)], ['second '.repeat(40)]];
    const blocks = Array.from({ length: 20 }, (_, index) => card(index, { lines }));
    const [payload] = renderReply(reply({ blocks }), t);
    const text = payload?.kind === 'text' ? payload.content.text : '';
    expect(text.match(/Paper Lanterns/g)).toHaveLength(20);
    expect(text).toContain('first');
    expect(text).not.toContain('second');
    expect(text.length).toBeLessThanOrEqual(4096);
  });
});

describe('a menu without cards', () => {
  it('becomes buttons below each other', () => {
    const choices = [1, 2].map(n => ({ label: `A rather long difficulty ${n}`, detail: 'x', token: `t${n}` }));
    const [payload] = renderReply(reply({ blocks: [], actions: [{ kind: 'menu', label: 'Open', choices }] }), t);
    expect(payload?.keyboard?.inline_keyboard).toEqual(
      choices.map(({ label, token }) => [{ text: label, callback_data: token }]),
    );
  });
});

describe('a reply with an image', () => {
  const image: Block = { kind: 'image', url: 'https://assets.ppy.sh/beatmaps/1/covers/cover.jpg', alt: 'Cover' };
  const sound: Block = { kind: 'sound', url: 'https://b.ppy.sh/preview/1.mp3', label: 'Preview' };

  it('is a photo with the words under it, and the sound a button', () => {
    const [payload, ...others] = renderReply(
      reply({ blocks: [image, { kind: 'heading', text: ['Map'] }, sound], actions: [link] }),
      t,
    );
    expect(others).toEqual([]);
    expect(payload).toMatchObject({
      kind: 'photo',
      photo: image,
      caption: { text: 'Map' },
      keyboard: { inline_keyboard: [[{ url: link.url }, { text: 'Preview', url: sound.url }]] },
      instead: { kind: 'text', content: { text: 'Map' } },
    });
  });

  it('is a text with the image above it when there are many words', () => {
    const blocks: Block[] = [image, { kind: 'text', text: ['word '.repeat(300)] }];
    expect(renderReply(reply({ blocks }), t)).toMatchObject([
      { kind: 'text', preview: { url: image.url, ...PREVIEWED }, content: { text: 'word '.repeat(300) } },
    ]);
  });
});

describe('a reply with a drawn picture', () => {
  const picture = {
    kind: 'picture',
    alt: 'Strain over time',
    picture: { key: 'strain-1', width: 900, height: 300, draw: async () => Buffer.from('png') },
  } as const;

  it('is a photo, or its words where there is none to be had', () => {
    const [payload] = renderReply(reply({ blocks: [{ kind: 'heading', text: ['Map'] }, picture] }), t);
    expect(payload).toMatchObject({
      kind: 'photo',
      caption: { text: 'Map' },
      instead: { content: { text: 'Map\nStrain over time' } },
    });
  });

  it('has the words beside it in its caption, else those in its place', () => {
    const words = { beside: [textBlock(['beside'])], instead: [textBlock(['instead'])] };
    const [payload] = renderReply(reply({ blocks: [{ ...picture, ...words }] }), t);
    expect(payload).toMatchObject({ caption: { text: 'beside' }, instead: { content: { text: 'instead' } } });
  });

  it('stands before the words when those are many', () => {
    const blocks: Block[] = [
      { kind: 'heading', text: ['Map'] },
      picture,
      { kind: 'text', text: ['word '.repeat(300)] },
    ];
    expect(renderReply(reply({ blocks, actions: [button] }), t)).toMatchObject([
      { kind: 'photo', caption: { text: 'Map' }, keyboard: undefined },
      { kind: 'text', content: { text: 'word '.repeat(300) }, keyboard: { inline_keyboard: [[{ text: 'Next' }]] } },
    ]);
  });
});
