import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Block, Card, Reply } from '../../../../src/bot/contract/reply.ts';
import { reply, textBlock } from '../../../../src/bot/contract/reply-parts.ts';
import { renderPost } from '../../../../src/bot/views/post.ts';
import { createTranslator } from '../../../../src/i18n/translate.ts';
import { countComponents } from '../../../../src/platforms/discord/render/block-components.ts';
import type { PlacedMedia } from '../../../../src/platforms/discord/render/render.ts';
import { type ReplySection, renderMessage } from '../../../../src/platforms/discord/render/render.ts';
import { anyAddress } from '../../../any-text.ts';
import { samplePost } from '../../../bot/sample.ts';
import { checkComponents } from '../../../fakes/discord/component-rules.ts';
import { all } from '../stage.ts';

const t = createTranslator(['en']);
const context = { t, deleteId: 'delete:300' };

function section(parts: Partial<Reply>, media: readonly PlacedMedia[] = [], omitted = 0): ReplySection {
  return { reply: reply(parts), media, omitted };
}

function texts(sections: readonly ReplySection[]): string[] {
  return all(renderMessage(sections, context), 'content').map(String);
}

const video: PlacedMedia = {
  kind: 'file',
  name: 'medley.mp4',
  mime: 'video/mp4',
  alt: 'A harbour',
  spoiler: true,
  place: 1,
  of: 1,
};

describe('a post', () => {
  it('has its author, words, files and buttons in one container', () => {
    const post = samplePost({ caption: 'Evening [light](https://evil.example)' });
    const shown = renderPost(post, t, { indexes: [0], form: 'original', site: { name: 'Instagram' } });
    expect(renderMessage([{ reply: shown, media: [video], omitted: 0 }], context)).toMatchObject([
      {
        type: 17,
        components: [
          {
            type: 10,
            content: expect.stringMatching(
              /^### \*\*Tari Senja\*\* @tari\.senja\u00a0✓\n-# Instagram .*\nEvening \\\[light\\\]/,
            ),
          },
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

  it('says whose it is and where: author linked, avatar beside that, site and its colour', () => {
    const url = 'https://www.instagram.com/tari.senja/';
    const author = { ...samplePost().author, avatarUrl: 'https://cdn.example/tari.jpg' };
    const site = { name: 'Instagram', colour: '#e1306c', authorUrl: url } as const;
    const shown = renderPost(samplePost({ author }), t, { indexes: [0], form: 'original', site });
    expect(renderMessage([{ reply: shown, media: [video], omitted: 0 }], context)).toMatchObject([
      {
        accent_color: 0xe1306c,
        components: [
          {
            type: 9,
            components: [
              {
                content: expect.stringMatching(
                  /^### \[\*\*Tari Senja\*\* @tari\.senja\]\(\S+\/tari\.senja\/\)\u00a0✓\n-# Instagram · 1\.2K likes.*$/,
                ),
              },
            ],
            accessory: { type: 11, media: { url: author.avatarUrl }, description: 'Profile photo of Tari Senja' },
          },
          { type: 10, content: 'Evening light over the harbour' },
          { type: 12 },
          { type: 1 },
        ],
      },
    ]);
  });

  /** Posts that share a message, each with so many buttons of its own. */
  function together(count: number, buttons: number) {
    const author = { ...samplePost().author, avatarUrl: 'https://cdn.example/tari.jpg' };
    const sections = Array.from({ length: count }, (_, place) => {
      const shown = renderPost(samplePost({ author, url: `https://www.instagram.com/p/${place}/` }), t, {
        indexes: [0],
        form: 'original',
        site: { name: 'Instagram' },
      });
      const others = Array.from({ length: buttons }, (_each, index) => {
        const token = `${place} ${index}`;
        return { kind: 'button' as const, label: 'Open', token, style: 'secondary' as const };
      });
      return { reply: { ...shown, actions: [...shown.actions, ...others] }, media: [video], omitted: 0 };
    });
    const shown = renderMessage(sections, { ...context, deleteId: 'delete' });
    return {
      components: shown.reduce((total, each) => total + countComponents(each), 0),
      avatars: JSON.stringify(shown).match(/cdn\.example/g)?.length ?? 0,
      captions: JSON.stringify(shown).match(/Evening light over the harbour/g)?.length,
    };
  }

  it.each([2, 3, 4, 5])('keeps every avatar where %i share a message', count => {
    const { components, avatars, captions } = together(count, 0);
    expect([avatars, captions]).toEqual([count, count]);
    expect(components).toBeLessThanOrEqual(40);
  });

  it('goes without avatars where that is too much for a message', () => {
    const { components, avatars, captions } = together(5, 2);
    expect([avatars, captions]).toEqual([0, 5]);
    expect(components).toBeLessThanOrEqual(40);
  });

  it('folds a long caption', () => {
    const shown = renderPost(samplePost({ caption: 'x'.repeat(2_000) }), t, {
      indexes: [0],
      form: 'original',
      site: { name: 'Instagram' },
    });
    const [text = ''] = texts([{ reply: shown, media: [], omitted: 0 }]);
    expect(text).toMatch(/x{200,299}…/);
  });

  it('says why a file is missing and where it is', () => {
    const media: PlacedMedia[] = [
      { kind: 'link', url: 'https://medley.example/v/abc', leadsTo: 'page', reason: 'too_large', place: 2, of: 3 },
      { kind: 'link', url: 'https://www.instagram.com/p/x/', leadsTo: 'original', reason: 'timeout', place: 3, of: 3 },
    ];
    const [text = ''] = texts([section({}, media)]);
    expect(text).toContain('too large for this chat');
    expect(text).toContain('[2 of 3](https://medley.example/v/abc)');
    expect(text).toContain('[3 of 3](https://www.instagram.com/p/x/)');
  });

  it('shows sound as a file', () => {
    const sound: PlacedMedia = {
      kind: 'file',
      name: 'a.m4a',
      mime: 'audio/mp4',
      alt: null,
      spoiler: false,
      place: 1,
      of: 1,
    };
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

  it('stand once though a reply repeats them', () => {
    const same = section({ actions: [...buttons(2), ...buttons(2)] });
    expect(all(renderMessage([same], context), 'custom_id')).toEqual([
      ...buttons(2).map(({ token }) => token),
      'delete:300',
    ]);
  });

  it('open no address that is not of the web', () => {
    const actions = [{ kind: 'link' as const, label: 'x', url: 'javascript:alert(1)' }];
    expect(all(renderMessage([section({ actions })], context), 'url')).toEqual([]);
  });
});

function cards(count: number, change: (index: number) => Partial<Card> = () => ({})): Card[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: 'card',
    title: [`Paper Lanterns ${index}`],
    lines: [['mapped by Tari'], ['5.2★ · 3:10'], ['Ranked']],
    image: { kind: 'image', url: `https://assets.ppy.sh/beatmaps/${index}/covers/list.jpg`, alt: `Cover ${index}` },
    ...change(index),
  }));
}

function contents(blocks: readonly Block[], actions: readonly Action[] = []) {
  const [container] = renderMessage([section({ blocks, actions })], context);
  return container;
}

const open = (index: number) => ({
  kind: 'button' as const,
  label: 'Open',
  token: `open${index}`,
  style: 'secondary' as const,
});

describe('cards', () => {
  it('stand beside their covers, apart from each other', () => {
    const [first, divider, second] = sectionsOf(contents(cards(2)));
    expect(first).toEqual({
      type: 9,
      components: [{ type: 10, content: '### Paper Lanterns 0\n-# mapped by Tari\n-# 5.2★ · 3:10\n-# Ranked' }],
      accessory: {
        type: 11,
        media: { url: 'https://assets.ppy.sh/beatmaps/0/covers/list.jpg' },
        description: 'Cover 0',
      },
    });
    expect(divider).toMatchObject({ type: 14 });
    expect(second).toMatchObject({ type: 9 });
  });

  it('have their button beside them where there is no cover', () => {
    const blocks = cards(2, index => ({ image: { kind: 'image', url: 'about:blank', alt: '' }, action: open(index) }));
    const accessories = sectionsOf(contents(blocks)).flatMap(each => all(each, 'accessory'));
    expect(accessories).toMatchObject([{ custom_id: 'open0' }, { custom_id: 'open1' }]);
  });

  it('with covers are opened by a menu that names them', () => {
    const message = contents(cards(3, index => ({ action: open(index) })));
    expect(all(message, 'options')[0]).toMatchObject([
      { label: 'Paper Lanterns 0', description: 'mapped by Tari', value: 'open0' },
      { value: 'open1' },
      { value: 'open2' },
    ]);
  });

  it('are opened once when the reply has a menu of its own', () => {
    const choices = [0, 1].map(index => ({ label: `Map ${index}`, token: `open${index}` }));
    const message = contents(
      cards(2, index => ({ action: open(index) })),
      [{ kind: 'menu', label: 'Open', choices }],
    );
    expect(all(message, 'placeholder')).toEqual(['Open']);
    expect(all(message, 'options')).toHaveLength(1);
    expect(all(message, 'custom_id').filter(id => id === 'open0')).toEqual([]);
  });

  it('with a value have the whole width for their facts, and are opened by a menu', () => {
    const worth = { value: '271 pp', lines: [] };
    const list = cards(2, index => ({ worth, action: open(index) }));
    const message = contents([...list, { kind: 'text', text: ['estimates'] }]);
    expect(all(message, 'content').at(-1)).toBe('estimates');
    expect(all(message, 'accessory')).toEqual([]);
    expect(all(message, 'type').filter(type => type === 14)).toHaveLength(1);
    expect(all(message, 'options')[0]).toMatchObject([{ value: 'open0' }, { value: 'open1' }]);
    expect(all(contents(cards(1, () => ({ worth }))), 'accessory')).toHaveLength(1);
  });

  it('with a link carry it in their title', () => {
    const [first] = sectionsOf(
      contents(cards(1, () => ({ action: { kind: 'link', label: 'Page', url: 'https://osu.ppy.sh/s/1' } }))),
    );
    expect(JSON.stringify(first)).toContain('### [Paper Lanterns 0](https://osu.ppy.sh/s/1)');
  });

  it('lose separators, then covers, and last of all lines, but no name', () => {
    const shown = (count: number) => {
      const message = contents([{ kind: 'heading', text: ['Found'] }, ...cards(count)], [open(100), open(101)]);
      const text = all(message, 'content').join('\n');
      const names = cards(count).filter(({ title }) => text.includes(`${title[0]}`));
      const types = all(message, 'type');
      return [14, 11].map(type => types.filter(each => each === type).length).concat(names.length);
    };
    expect(shown(5)).toEqual([4, 5, 5]);
    expect(shown(10)).toEqual([0, 10, 10]);
    expect(shown(14)).toEqual([0, 10, 14]);
  });

  it('lose their last lines where words are many', () => {
    const lines = [['first line '.repeat(15)], ['second line '.repeat(15)], ['third line '.repeat(15)]];
    const text = all(contents(cards(10, () => ({ lines }))), 'content').join('\n');
    expect(text.match(/Paper Lanterns/g)).toHaveLength(10);
    expect(text.match(/(first line ?){15}/g)).toHaveLength(10);
    expect(text).not.toContain('third');
  });

  it('give their colour to the container when they have one', () => {
    expect(contents(cards(2, () => ({ colour: '#ff66aa' })))).toMatchObject({ accent_color: 0xff66aa });
    const two = contents(cards(2, index => ({ colour: index === 0 ? '#ff66aa' : '#66ccff' })));
    expect(two).not.toHaveProperty('accent_color');
  });

  it('say where they can be heard, and what else there is to them, where they are no rows of a list', () => {
    const sound = { url: 'https://b.ppy.sh/preview/1.mp3', label: 'Preview' };
    const rows = all(contents(cards(2, () => ({ sound, details: [['like Glass Harbour']] }))), 'content').join();
    expect(rows).not.toMatch(/Preview|Glass/);
    expect(all(contents(cards(1, () => ({ sound }))), 'content').join()).toContain(
      '[Preview](https://b.ppy.sh/preview/1.mp3)',
    );
  });

  it('show a colour as its symbol, their words as words', () => {
    const title = [{ kind: 'swatch' as const, colour: '#ff66aa' as const, symbol: '🟣' }, ' **loud** @everyone'];
    const text = all(contents(cards(1, () => ({ title }))), 'content').join();
    expect(text).toContain('🟣 \\*\\*loud\\*\\* @\u200beveryone');
  });

  it('keep a colour on the line of the number behind it', () => {
    const lines = [['2:00 · ', { kind: 'swatch' as const, colour: '#ff66aa' as const, symbol: '🟣' }, ' 6.40★']];
    expect(all(contents(cards(1, () => ({ lines }))), 'content').join()).toContain('2:00 · 🟣\u00a06.40★');
  });
});

describe('a picture', () => {
  const picture = { key: 'strain-1', width: 900, height: 300, draw: async () => Buffer.from('png') };
  const blocks: Block[] = [{ kind: 'picture', picture, alt: 'Strain over time' }];

  it('is shown from its attachment, with words for those who cannot see it', () => {
    const one = { ...section({ blocks }), pictures: new Map([['strain-1', 'picture-1.png']]) };
    expect(all(renderMessage([one], context), 'items')).toEqual([
      [{ media: { url: 'attachment://picture-1.png' }, description: 'Strain over time' }],
    ]);
  });

  it('that could not be drawn leaves its words', () => {
    expect(texts([section({ blocks })])).toEqual(['Strain over time']);
  });

  it('stands with the words beside it, or those in its place', () => {
    const words = { beside: [textBlock(['beside'])], instead: [textBlock(['instead'])] };
    const one = section({ blocks: [{ kind: 'picture', picture, alt: 'Strain over time', ...words }] });
    expect(texts([{ ...one, pictures: new Map([['strain-1', 'picture-1.png']]) }])).toEqual(['beside']);
    expect(texts([one])).toEqual(['instead']);
  });
});

function sectionsOf(container: unknown): unknown[] {
  const [components] = all(container, 'components');
  return Array.isArray(components) ? components : [];
}

describe('any replies', () => {
  const words = fc.string({ maxLength: 1_500 });
  const text = fc.array(words, { maxLength: 3 });
  const token = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 });
  const button = fc.record({
    kind: fc.constant('button' as const),
    label: words,
    token,
    style: fc.constant('primary' as const),
  });
  const image = fc.record({ kind: fc.constant('image' as const), url: anyAddress(), alt: words });
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const card: fc.Arbitrary<Card> = fc
    .record({ title: text, lines: fc.array(text, { maxLength: 6 }), image: optional(image), action: optional(button) })
    .map(({ title, lines, image: cover, action }) => ({
      kind: 'card',
      title,
      lines,
      ...(cover && { image: cover }),
      ...(action && { action }),
    }));
  const block: fc.Arbitrary<Block> = fc.oneof(
    fc.record({ kind: fc.constant('heading' as const), text }),
    fc.record({ kind: fc.constant('heading' as const), text, image }),
    fc.record({ kind: fc.constant('text' as const), text, folded: fc.boolean(), small: fc.boolean() }),
    fc.record({
      kind: fc.constant('fields' as const),
      fields: fc.array(fc.record({ label: words, value: text }), { maxLength: 30 }),
    }),
    fc.record({ kind: fc.constant('image' as const), url: anyAddress(), alt: words }),
    fc.record({ kind: fc.constant('divider' as const) }),
    fc.record({ kind: fc.constant('sound' as const), url: anyAddress(), label: words }),
    card,
  );
  const action: fc.Arbitrary<Action> = fc.oneof(
    button,
    fc.record({ kind: fc.constant('link' as const), label: words, url: anyAddress() }),
    fc.record({
      kind: fc.constant('menu' as const),
      label: words,
      choices: fc.array(fc.record({ label: words, detail: words, token }), { maxLength: 40 }),
    }),
  );
  const content = fc.record({
    blocks: fc.array(block, { maxLength: 30 }),
    actions: fc.array(action, { maxLength: 6 }),
  });

  it('stay within the limits of one message', () => {
    fc.assert(
      fc.property(content, parts => {
        check(renderMessage([section(parts, [video])], context));
      }),
      { numRuns: 80 },
    );
  });

  it('stay within them beside each other', () => {
    fc.assert(
      fc.property(fc.array(fc.array(block, { maxLength: 30 }), { minLength: 2, maxLength: 5 }), all => {
        check(
          renderMessage(
            all.map(blocks => section({ blocks }, [video])),
            context,
          ),
        );
      }),
      { numRuns: 60 },
    );
  });

  function check(components: ReturnType<typeof renderMessage>): void {
    const { wrong } = checkComponents(components, { v2: true, files: ['medley.mp4'] });
    expect(wrong).toEqual([]);
    expect(components.reduce((total, each) => total + countComponents(each), 0)).toBeLessThanOrEqual(40);
    expect(all(components, 'content').every(each => String(each).trim() !== '')).toBe(true);
  }
});
