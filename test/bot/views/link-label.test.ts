import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { aboutLinks, linkLabels } from '../../../src/bot/views/notice.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { renderMessage } from '../../../src/platforms/discord/render/render.ts';
import { renderText } from '../../../src/platforms/telegram/render/text-message.ts';
import { link } from '../sample.ts';

const t = createTranslator(['en']);

describe('linkLabels', () => {
  it.each([
    [['https://www.instagram.com/p/DXeh-kYiIge/'], ['instagram.com/p/DXeh-kYiIge']],
    [['https://fb.watch/aB3xY9z1/'], ['fb.watch/aB3xY9z1']],
    [['https://www.facebook.com/watch/?v=1234567890'], ['facebook.com/watch/?v=1234567890']],
    [
      [`https://www.facebook.com/some.person/posts/pfbid0${'x'.repeat(60)}`],
      ['facebook.com/some.person/posts/pfbid0xx…'],
    ],
  ])('shortens %j', (links, labels) => {
    expect(linkLabels(links)).toEqual(labels);
  });

  it('distinguishes links that begin alike', () => {
    const posts = ['a', 'b'].map(end => `https://www.facebook.com/some.person/posts/pfbid0${'x'.repeat(60)}${end}/`);
    const [first = '', second = ''] = linkLabels(posts);
    expect(first).not.toBe(second);
  });

  it('never gives two links one label, nor a label that is an address', () => {
    const path = fc.stringMatching(/^[A-Za-z0-9_./?=-]{1,90}$/);
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 20 }), paths => {
        const links = [...new Set(paths.map(each => `https://www.instagram.com/p/x${each}x`))];
        const labels = linkLabels(links);
        expect(new Set(labels).size).toBe(links.length);
        for (const label of labels) expect(label).toMatch(/^instagram\.com\//);
      }),
    );
  });
});

describe('a sentence about links', () => {
  it('names a few of many', () => {
    const text = aboutLinks(linkLabels(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(link)), ['So it is.'], t);
    expect(text.filter(each => typeof each === 'object')).toHaveLength(5);
    expect(text.at(-1)).toBe(', …: So it is.');
  });

  it('is no address and no mention on Discord and Telegram, whatever stands in the link', () => {
    const nasty = fc.constantFrom(
      '@everyone',
      '<@123456789>',
      '`',
      '``',
      '||',
      '**',
      '](https://evil.example)',
      'x',
      '@sari',
      '_',
    );
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 6 }), pieces => {
        const text = aboutLinks(linkLabels([`https://www.instagram.com/p/${pieces.join('')}`]), ['It is private.'], t);
        const said = reply({ tone: 'notice', blocks: [{ kind: 'text', text }] });

        const section = { reply: said, media: [], omitted: 0 };
        const [container] = renderMessage([section], { t, deleteId: undefined });
        const [display] = container && 'components' in container ? container.components : [];
        const markdown = display && 'content' in display ? String(display.content) : '';
        // One code span that nothing in it can close, in which Discord reads no markup, mention or address.
        expect(markdown).toMatch(/^`instagram\.com\/p\/[^`]+`: It is private\.$/);

        const { content, preview } = renderText(said.blocks, [], t);
        const [entity, ...others] = content.entities;
        expect(others).toEqual([]);
        expect(entity).toMatchObject({ type: 'code', offset: 0, length: content.text.indexOf(': It is private.') });
        expect(preview).toEqual({ is_disabled: true });
      }),
    );
  });
});
