import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GalleryItem, type Reply, reply } from '../../../src/bot/reply.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import type { Post } from '../../../src/media/post.ts';
import { type MediaPayload, render, renderMissing } from '../../../src/platforms/telegram/render.ts';
import { makeItem, makePhoto, makePost } from '../../fakes/post.ts';

const t = createTranslator(['en']);
const link = { kind: 'link' as const, label: 'Open original', url: 'https://www.instagram.com/reel/C9TestReef01/' };
const button = { kind: 'button' as const, label: 'Next', token: 'token', style: 'primary' as const };

function gallery(post: Post, form: GalleryItem['form'] = 'original'): readonly GalleryItem[] {
  return post.items.map((_, index) => ({ kind: 'media', post, index, form, spoiler: false }));
}

function media(value: Reply): readonly MediaPayload[] {
  return render(value, { t }).filter(payload => payload.kind === 'media');
}

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
    const last = render(value, { t }).at(-1);
    expect(last).toMatchObject({ kind: 'text', content: { text: 'Ines' } });
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
    const { content } = renderMissing(
      { blocks: [{ kind: 'heading', text: ['Ines'] }], actions: [link] },
      [
        { kind: 'link', url: link.url, leadsTo: 'original', reason: 'too_large' },
        { kind: 'link', url: 'https://medley.example/media/abc', leadsTo: 'tunnel', reason: 'too_large' },
      ],
      t,
    );
    expect(content.text).toBe(`Ines\n${t.messages.errors.too_large({})}\n\nhttps://medley.example/media/abc`);
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
        const [payload] = render(value, { t });
        const content = payload?.kind === 'text' ? payload.content : payload?.caption;
        expect(content?.text.length).toBeLessThanOrEqual(hasFile ? 1024 : 4096);
        for (const { offset, length } of content?.entities ?? []) {
          expect(offset + length).toBeLessThanOrEqual(content?.text.length ?? 0);
        }
      }),
      { numRuns: 50 },
    );
  });
});
