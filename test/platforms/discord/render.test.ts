import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block, Reply } from '../../../src/bot/reply.ts';
import { reply } from '../../../src/bot/reply.ts';
import { renderPost } from '../../../src/bot/views/post.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import {
  countComponents,
  type PlacedMedia,
  renderMessage,
  type Section,
} from '../../../src/platforms/discord/render.ts';
import { samplePost } from '../../bot/sample.ts';
import { all } from './stage.ts';

const t = createTranslator(['en']);
const context = { t, deleteId: 'delete:300' };

function section(parts: Partial<Reply>, media: readonly PlacedMedia[] = [], omitted = 0): Section {
  return { reply: reply(parts), media, omitted };
}

function texts(sections: readonly Section[]): string[] {
  return all(renderMessage(sections, context), 'content').map(String);
}

const video: PlacedMedia = { kind: 'file', name: 'medley.mp4', mime: 'video/mp4', alt: 'A harbour', spoiler: true };

describe('a post', () => {
  it('has its author, words, files and buttons in one container', () => {
    const post = samplePost({ caption: 'Evening [light](https://evil.example)' });
    const shown = renderPost(post, t, { indexes: [0], form: 'original' });
    expect(renderMessage([{ reply: shown, media: [video], omitted: 0 }], context)).toMatchObject([
      {
        type: 17,
        components: [
          { type: 10, content: expect.stringContaining('### **Tari Senja** @tari.senja ✓\nEvening \\[light\\]') },
          {
            type: 12,
            items: [{ media: { url: 'attachment://medley.mp4' }, description: 'A harbour', spoiler: true }],
          },
          {
            type: 1,
            components: [
              { style: 5, label: 'Open original', url: post.url },
              { label: 'Delete', custom_id: 'delete:300' },
            ],
          },
        ],
      },
    ]);
  });

  it('folds a long caption', () => {
    const shown = renderPost(samplePost({ caption: 'x'.repeat(2_000) }), t, { indexes: [0], form: 'original' });
    const [text = ''] = texts([{ reply: shown, media: [], omitted: 0 }]);
    expect(text).toMatch(/x{200,299}…/);
  });

  it('says why a file is missing and where it is', () => {
    const media: PlacedMedia[] = [
      { kind: 'link', url: 'https://medley.example/v/abc', reason: 'too_large', place: 2, of: 3 },
      { kind: 'link', url: 'https://www.instagram.com/p/x/', reason: 'timeout', place: 3, of: 3 },
    ];
    const [text = ''] = texts([section({}, media)]);
    expect(text).toContain('larger than I can carry');
    expect(text).toContain('[2 of 3](https://medley.example/v/abc)');
    expect(text).toContain('[3 of 3](https://www.instagram.com/p/x/)');
  });

  it('shows sound as a file', () => {
    const sound: PlacedMedia = { kind: 'file', name: 'a.m4a', mime: 'audio/mp4', alt: null, spoiler: false };
    const [container] = renderMessage([section({}, [sound])], context);
    expect(container).toMatchObject({ components: [{ type: 13, file: { url: 'attachment://a.m4a' } }, {}] });
  });
});

describe('actions', () => {
  const buttons = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'button' as const,
      label: `Choice ${index}`,
      token: `token${index}`,
      style: 'secondary' as const,
    }));

  it('stand in rows of five', () => {
    const [container] = renderMessage([section({ actions: buttons(7) })], context);
    expect(all(container, 'custom_id')).toHaveLength(8);
    expect(container).toMatchObject({ components: [{ components: { length: 5 } }, { components: { length: 3 } }] });
  });

  it('become a menu when there are many', () => {
    const [container] = renderMessage([section({ actions: buttons(40) })], context);
    expect(all(container, 'value')).toHaveLength(25);
  });

  it('stand once in a message', () => {
    const same = section({ actions: buttons(2) });
    const ids = all(renderMessage([same, same], context), 'custom_id');
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('delete:300');
  });

  it('open no address that is not of the web', () => {
    const actions = [{ kind: 'link' as const, label: 'x', url: 'javascript:alert(1)' }];
    expect(all(renderMessage([section({ actions })], context), 'url')).toEqual([]);
  });
});

describe('any replies', () => {
  const words = fc.string({ maxLength: 1_500 });
  const text = fc.array(words, { maxLength: 3 });
  const block: fc.Arbitrary<Block> = fc.oneof(
    fc.record({ kind: fc.constant('heading' as const), text }),
    fc.record({ kind: fc.constant('text' as const), text, folded: fc.boolean() }),
    fc.record({
      kind: fc.constant('fields' as const),
      fields: fc.array(fc.record({ label: words, value: text }), { maxLength: 30 }),
    }),
    fc.record({ kind: fc.constant('image' as const), url: fc.webUrl(), alt: words }),
    fc.record({ kind: fc.constant('divider' as const) }),
  );
  const replies = fc.array(fc.array(block, { maxLength: 30 }), { minLength: 1, maxLength: 5 });

  it('stay within the limits of one message', () => {
    fc.assert(
      fc.property(replies, contents => {
        const components = renderMessage(
          contents.map(blocks => section({ blocks }, [video])),
          context,
        );
        const shown = all(components, 'content').map(String);
        expect(components.reduce((total, each) => total + countComponents(each), 0)).toBeLessThanOrEqual(40);
        expect(shown.reduce((total, each) => total + each.length, 0)).toBeLessThanOrEqual(4_000);
        expect(shown.every(each => each.trim() !== '')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
