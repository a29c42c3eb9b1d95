import { describe, expect, it } from 'vitest';
import type { Block, Inline } from '../../../src/bot/contract/reply.ts';
import { type PostViewOptions, renderPost } from '../../../src/bot/views/post.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { NO_STATS, type Post } from '../../../src/media/post.ts';
import { photo, sampleItem, samplePost, sampleVariant } from '../sample.ts';

const en = createTranslator(['en']);
const id = createTranslator(['id']);

function plain(text: readonly Inline[]): string {
  return text
    .map(part => {
      if (typeof part === 'string') return part;
      if (part.kind === 'swatch') return part.symbol;
      if (part.kind === 'command') return `/${part.name}`;
      if (part.kind === 'role') return part.id;
      return part.kind === 'time' ? new Date(part.at).toISOString().slice(0, 10) : plain(part.children);
    })
    .join('');
}

function lines(blocks: readonly Block[]): string[] {
  return blocks.map(block => ('text' in block ? plain(block.text) : block.kind));
}

/** The line of counts, and what else is said of its files. */
function details(blocks: readonly Block[]): string | undefined {
  return lines(blocks.filter(block => block.kind === 'text' && block.small === true))[0];
}

const SITE = { name: 'Instagram', colour: '#e1306c', authorUrl: 'https://www.instagram.com/tari.senja/' } as const;

function shown(
  change: Partial<Post>,
  t = en,
  indexes: readonly number[] = [0],
  form: 'original' | 'audio' = 'original',
) {
  const site = change.source === 'facebook' ? { name: 'Facebook' } : { name: SITE.name };
  return renderPost(samplePost(change), t, { indexes, form, site });
}

const nobody = { id: null, username: null, name: null, verified: null, avatarUrl: null };

describe('a post that quotes another', () => {
  const ORCHARD = 'https://www.instagram.com/p/Orchard/';
  const author = { id: '7', username: 'noor.vale', name: 'Noor Vale', verified: null, avatarUrl: null };
  const quoted = {
    ...samplePost({ id: 'Orchard', url: ORCHARD, author, caption: 'In the orchard', items: [photo(), photo()] }),
    quoted: null,
  };
  const post = samplePost({ items: [sampleItem(), photo()], quoted });
  const shown = (change: Partial<PostViewOptions> = {}) =>
    renderPost(post, en, {
      indexes: [0, 1],
      form: 'original',
      site: { name: 'Toy' },
      quotedSite: { name: 'Toy' },
      ...change,
    });

  it('has it below, with words and files as those of its own author', () => {
    const outer = shown({ spoiler: true });
    expect(lines(outer.blocks).join()).not.toMatch(/Noor|orchard/);
    expect(outer.gallery.map(item => [item.post.id, item.index])).toEqual([
      [post.id, 0],
      [post.id, 1],
    ]);
    const below = outer.quoted;
    expect(lines(below?.blocks ?? [])).toEqual(expect.arrayContaining(['Noor Vale @noor.vale', 'In the orchard']));
    expect(details(below?.blocks ?? [])).toMatch(/^Quoted post · Toy · /);
    expect(below?.gallery.map(item => [item.post.id, item.index, item.spoiler])).toEqual([
      ['Orchard', 0, true],
      ['Orchard', 1, true],
    ]);
    expect(below?.actions).toMatchObject([{ kind: 'link', url: ORCHARD }]);
  });

  it('has it behind a spoiler as well where the post itself is sensitive', () => {
    const sensitive = samplePost({ sensitive: true, items: [sampleItem()], quoted });
    const options = { indexes: [0], form: 'original', site: { name: 'Toy' }, quotedSite: { name: 'Toy' } } as const;
    const { gallery, quoted: below } = renderPost(sensitive, en, options);
    expect([...gallery, ...(below?.gallery ?? [])].map(item => item.spoiler)).toEqual([true, true, true]);
    expect(shown().quoted?.gallery.map(item => item.spoiler)).toEqual([false, false]);
  });

  it('names its author even where files alone are wanted', () => {
    const { blocks, quoted: below } = shown({ view: 'media' });
    expect(lines(blocks)).toEqual([]);
    expect(lines(below?.blocks ?? []).join()).toContain('Noor Vale');
    expect(below?.gallery).toHaveLength(2);
  });

  it('leaves it the files that the chat still shows', () => {
    expect(shown({ cap: 3 }).quoted?.gallery).toHaveLength(1);
    const { quoted: below } = shown({ cap: 2 });
    expect([below?.gallery.length, lines(below?.blocks ?? []).includes('In the orchard')]).toEqual([0, true]);
  });
});

describe('a post of words alone', () => {
  const shownAs = (view: 'card' | 'media' | 'text', post: Post) =>
    renderPost(post, en, { indexes: [], form: 'original', site: { name: 'Toy' }, view, captions: false });

  it.each(['card', 'media', 'text'] as const)('is a card of its words in the view %s, without captions too', view => {
    const card = shownAs(view, samplePost({ items: [] }));
    expect(lines(card.blocks)).toEqual(expect.arrayContaining(['Evening light over the harbour']));
    expect(details(card.blocks)).toMatch(/Toy · 1\.2K likes · 1 comment · 2026-05-03/);
    expect(card).toMatchObject({ onlyWhenAsked: true, gallery: [], actions: [{ url: samplePost().url }] });
  });

  it('is not one whose files were not read or are not shown, nor one that quotes a post with files', () => {
    for (const post of [samplePost(), samplePost({ items: [], missingItems: 1 })])
      expect(shownAs('text', post).onlyWhenAsked).toBeUndefined();
    const quoted = { ...samplePost(), quoted: null };
    expect(shownAs('card', samplePost({ items: [], quoted })).onlyWhenAsked).toBeUndefined();
  });
});

describe('renderPost', () => {
  it('shows words and files, files alone, or words alone', () => {
    const post = samplePost();
    const as = (view: 'card' | 'media' | 'text') =>
      renderPost(post, en, { indexes: [0], form: 'original', site: SITE, view });
    expect([as('card').blocks.length > 1, as('card').gallery.length]).toEqual([true, 1]);
    expect(as('media')).toMatchObject({ blocks: [], actions: [], gallery: [{ index: 0 }] });
    expect([as('text').blocks.length > 1, as('text').gallery.length]).toEqual([true, 0]);
    // Of a post without files there are the words.
    const bare = renderPost(post, en, { indexes: [], form: 'original', site: SITE, view: 'media' });
    expect(bare.blocks.length).toBeGreaterThan(1);
  });

  it('of files alone keeps the way to what is left out', () => {
    const post = samplePost({ items: [sampleItem(), sampleItem()] });
    const media = { form: 'original', site: SITE, view: 'media' } as const;
    const way = [{ kind: 'link', url: post.url }];
    expect(renderPost(post, en, { ...media, indexes: [0, 1], cap: 1 }).actions).toMatchObject(way);
    const less = { ...post, missingItems: 1 };
    expect(renderPost(less, en, { ...media, indexes: [0, 1] }).actions).toMatchObject(way);
    expect(renderPost(post, en, { ...media, indexes: [0, 1], cap: 2 }).actions).toEqual([]);
  });

  it('says which part of a video it is, and where it could only be cut roughly', () => {
    const post = samplePost();
    const range = { startMs: 5_000, endMs: 20_500 };
    const as = (isRough: boolean) => {
      const clip = { range, isRough };
      return renderPost(post, en, { indexes: [0], form: 'original', site: SITE, view: 'media', clip, spoiler: true });
    };
    expect(lines(as(false).blocks)).toEqual(['Part of the video, 0:05 to 0:20.5']);
    expect(lines(as(true).blocks)[1]).toContain('may begin a little earlier');
    expect(as(false).gallery).toMatchObject([{ clip: range, spoiler: true }]);
  });

  it('leaves the caption out where it is not wanted, and a title that only begins it', () => {
    const post = samplePost({ title: 'Evening light…' });
    const without = renderPost(post, en, { indexes: [0], form: 'original', site: SITE, captions: false });
    const quoted = renderPost(post, en, { indexes: [0], form: 'original', site: SITE, captions: true });
    expect(JSON.stringify(without.blocks)).not.toContain('Evening');
    expect(without.blocks).toHaveLength(quoted.blocks.length - 1);
  });

  it('shows who, what, where and the counts, the files and the ways to the author and the original', () => {
    const post = samplePost();
    expect(renderPost(post, en, { indexes: [0], form: 'original', site: SITE })).toEqual({
      tone: 'neutral',
      blocks: [
        {
          kind: 'heading',
          text: [
            {
              kind: 'link',
              url: SITE.authorUrl,
              children: [{ kind: 'strong', children: ['Tari Senja'] }, ' @tari.senja'],
            },
            '\u00a0✓',
          ],
          site: { name: 'Instagram', colour: SITE.colour },
        },
        {
          kind: 'text',
          text: [
            ...['Instagram', ' · ', '1.2K likes', ' · ', '1 comment', ' · '],
            { kind: 'time', at: post.publishedAt, style: 'date' },
          ],
          small: true,
        },
        { kind: 'text', text: ['Evening light over the harbour'], folded: true },
      ],
      gallery: [{ kind: 'media', post, index: 0, form: 'original', spoiler: false }],
      actions: [{ kind: 'link', label: 'Open original', url: post.url }],
      colour: SITE.colour,
      visibility: 'chat',
    });
  });

  it('says nothing of what is not known', () => {
    const { blocks } = shown({ author: nobody, caption: '  ', stats: NO_STATS, publishedAt: null });
    expect(lines(blocks)).toEqual(['Instagram post']);
  });

  it('shows a count of zero when the site says zero', () => {
    expect(details(shown({ stats: { ...NO_STATS, likes: 0 } }).blocks)).toMatch(/^Instagram · 0 likes/);
  });

  it('speaks the reader’s language', () => {
    const { blocks, actions } = shown(
      { author: nobody, source: 'facebook', stats: { ...NO_STATS, plays: 1_200_000 } },
      id,
    );
    expect(lines(blocks)[0]).toBe('Kiriman Facebook');
    expect(details(blocks)).toMatch(/^1,2\sjt kali diputar/);
    expect(actions[0]?.label).toBe('Buka kiriman asli');
  });

  it('names plays and views once when they are the same', () => {
    expect(details(shown({ stats: { ...NO_STATS, plays: 500, views: 500 } }).blocks)).not.toContain('views');
    expect(details(shown({ stats: { ...NO_STATS, plays: 500, views: 300 } }).blocks)).toContain('300 views');
  });

  it.each([
    ['A walk', 'Something else', true],
    ['A walk in the…', 'A walk in the\n rain', false],
    ['a WALK', 'A walk', false],
    ['A walk', null, true],
    ['   ', 'x', false],
    ['Sari Dewi - A walk in the rain', 'A walk in the rain', false],
    ['Chocolate cake in a mug', 'cake', true],
    ['What this cat did', 'Hi', true],
  ])('shows the title %j beside the caption %j: %s', (title, caption, expected) => {
    const { blocks } = shown({ title, caption });
    expect(blocks.some(({ kind, ...rest }) => JSON.stringify([kind, rest]).includes('strong') && kind === 'text')).toBe(
      expected,
    );
  });

  it.each([
    [{ ...nobody, name: 'Sari', username: 'sari' }, 'Sari @sari'],
    [{ ...nobody, name: 'sari', username: 'sari' }, '@sari'],
    [{ ...nobody, name: 'Sari' }, 'Sari'],
    [{ ...nobody, name: 'Sari ✓', verified: false }, 'Sari'],
    [{ ...nobody, name: 'Sari\u202e\n\n Dewi', verified: null }, 'Sari Dewi'],
  ])('heads %j with %s', (author, expected) => {
    expect(lines(shown({ author }).blocks)[0]).toBe(expected);
  });

  it('keeps text from the web in plain leaves, and links to nothing but the post', () => {
    const nasty = '<b>**[x](https://evil.test)** @everyone';
    const other = '<i>_[y](https://evil.test)_ @here';
    const { blocks, actions } = shown({ caption: nasty, title: other, author: { ...nobody, name: nasty } });
    expect(lines(blocks.filter(block => block.kind !== 'text' || block.small !== true))).toEqual([nasty, other, nasty]);
    expect(JSON.stringify(blocks)).not.toContain('"link"');
    expect(actions).toEqual([{ kind: 'link', label: 'Open original', url: samplePost().url }]);
  });

  it('says which of several it shows, and when there is no sound', () => {
    const silent = sampleItem({ variants: [sampleVariant({ hasAudio: false })] });
    const items = [photo(), silent, sampleItem()];
    expect(details(shown({ items }, en, [1]).blocks)).toMatch(/2 of 3 · No audio$/);
    expect(details(shown({ items }, en, [2], 'audio').blocks)).toMatch(/3 of 3 · Audio only$/);
    const all = shown({ items }, en, [0, 1, 2]);
    expect(details(all.blocks)).not.toMatch(/of 3|audio/i);
    expect(all.gallery.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('says how many could not be fetched, and numbers the others by their own places', () => {
    const items = [photo({ position: 1 }), sampleItem({ position: 4 })];
    const all = shown({ items, missingItems: 3 }, en, [0, 1]);
    expect(lines(all.blocks).at(-1)).toBe('3 of 5 could not be fetched');
    expect(lines(shown({ items, missingItems: 3 }, id, [0, 1]).blocks).at(-1)).toBe('3 dari 5 tidak bisa diambil');
    expect(details(shown({ items, missingItems: 3 }, en, [1]).blocks)).toMatch(/5 of 5$/);
    const one = shown({ items: [photo({ position: 1 })], missingItems: 1 }, en, [0]);
    expect([details(one.blocks), lines(one.blocks).at(-1)]).toEqual([
      expect.stringMatching(/2 of 2$/),
      '1 of 2 could not be fetched',
    ]);
  });

  it('says which item was asked for and could not be fetched', () => {
    const post = samplePost({ items: [photo({ position: 1 }), sampleItem({ position: 3 })], missingItems: 2 });
    const asked = (missing: number, indexes: readonly number[], t = en) =>
      lines(renderPost(post, t, { indexes, form: 'original', site: SITE, missing }).blocks).at(-1);
    expect(asked(2, [0, 1])).toBe('Item 3 of 4 could not be fetched · 2 of 4 could not be fetched');
    expect(asked(2, [0], id)).toBe('Item 3 dari 4 tidak bisa diambil');
    const one = samplePost({ items: [photo({ position: 1 })], missingItems: 1 });
    expect(lines(renderPost(one, en, { indexes: [0], form: 'original', site: SITE, missing: 0 }).blocks).at(-1)).toBe(
      'Item 1 of 2 could not be fetched',
    );
  });

  it('does not call a video silent whose sound lies in a track of its own', () => {
    const muxable = sampleItem({
      variants: [
        sampleVariant({ hasAudio: false, adaptive: true }),
        sampleVariant({ hasVideo: false, adaptive: true, mime: 'audio/mp4' }),
      ],
    });
    expect(details(shown({ items: [muxable] }).blocks)).not.toContain('No audio');
  });
});
