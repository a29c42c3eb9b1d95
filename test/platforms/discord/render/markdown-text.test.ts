import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapeMarkdown,
  joinLinks,
  linkTarget,
  renderMarkdown,
} from '../../../../src/platforms/discord/render/markdown-text.ts';

describe('text from elsewhere', () => {
  it.each([
    ['**bold** _it_ ~~no~~', '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~'],
    ['[free](https://evil.example)', '\\[free\\](https://evil.example)'],
    ['||secret||', '\\|\\|secret\\|\\|'],
    ['`code`', '\\`code\\`'],
    ['# Big', '\\# Big'],
    ['-# small', '\\-# small'],
    ['> quoted', '\\> quoted'],
    ['- item', '\\- item'],
    ['1. first', '1\\. first'],
    ['<@123> <#4> <t:1:R> <:a:1>', '\\<@\u200b123\\> \\<#4\\> \\<t:1:R\\> \\<:a:1\\>'],
    ['@everyone @here', '@\u200beveryone @\u200bhere'],
    ['a\\b', 'a\\\\b'],
  ])('stays literal: %s', (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  it('keeps words as they are', () => {
    for (const text of ['#reef @bluehour.club', '3.5 stars', 'a - b', 'mail me@here.example.org']) {
      expect(escapeMarkdown(text).replaceAll('\u200b', '')).toBe(text);
    }
  });

  it('keeps the underscores of addresses', () => {
    expect(escapeMarkdown('see https://linktr.ee/my_page_2!')).toBe('see https://linktr.ee/my_page_2!');
  });

  it('leaves no mark that could begin markup', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('*', '_', '~', '|', '`', '[', ']', '(', '<', '>', '\\', 'a', ' ')),
        marks => {
          const escaped = escapeMarkdown(marks.join(''));
          expect(escaped.replace(/\\[^0-9A-Za-z\s]/g, '')).not.toMatch(/[*_~|`[\]<>\\]/);
        },
      ),
    );
  });
});

describe('renderMarkdown', () => {
  it('renders the tree', () => {
    const text = [
      { kind: 'strong', children: ['Tari ', { kind: 'emphasis', children: ['S*nja'] }] },
      ' · ',
      { kind: 'code', children: ['a`b'] },
      ' ',
      { kind: 'link', url: 'https://example.com/a(b)', children: ['here'] },
      ' ',
      { kind: 'time', at: 1_760_000_000_999, style: 'date' },
    ] as const;
    expect(renderMarkdown(text, 500)).toBe(
      '**Tari *S\\*nja*** · `aˋb` [here](https://example.com/a%28b%29) <t:1760000000:D>',
    );
  });

  it('makes commands ready to be clicked when their ids are known, whole or not at all', () => {
    const text = ['See ', { kind: 'command', name: 'osu profile' }] as const;
    const ids = new Map([['osu', '42']]);
    expect(renderMarkdown(text, 100)).toBe('See /osu profile');
    expect(renderMarkdown(text, 100, ids)).toBe('See </osu profile:42>');
    expect(renderMarkdown(text, 20, ids)).toBe('See …');
    expect(renderMarkdown([{ kind: 'strong', children: text }], 100, ids)).toBe('**See </osu profile:42>**');
  });

  it('shows only the words of what is no web address', () => {
    expect(renderMarkdown([{ kind: 'link', url: 'javascript:alert(1)', children: ['press'] }], 100)).toBe('press');
    expect(linkTarget('data:text/html,x')).toBeUndefined();
  });

  it('never passes its limit, nor ends in half an escape', () => {
    const leaf = fc.string({ unit: fc.constantFrom('a', '*', '\\', ' ', '😀', '_'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 5 }), fc.integer({ min: 1, max: 60 }), (leaves, max) => {
        const text = [...leaves, { kind: 'strong' as const, children: leaves }];
        const rendered = renderMarkdown(text, max);
        expect(rendered.length).toBeLessThanOrEqual(max);
        expect(() => encodeURIComponent(rendered)).not.toThrow();
        expect(/(^|[^\\])(\\\\)*\\…/.test(rendered)).toBe(false);
      }),
    );
  });

  it('says that something is missing', () => {
    expect(renderMarkdown(['a'.repeat(50)], 10)).toBe(`${'a'.repeat(9)}…`);
  });
});

describe('lines of links', () => {
  it('keep the words before a link that alone is too long', () => {
    const line = `-# That file is too large \\[sic\\] for here. [Play it](https://example.com/v/${'a'.repeat(300)})`;
    expect(joinLinks([line], 300)).toBe('-# That file is too large \\[sic\\] for here. …');
    expect(joinLinks([line, line], 700)).toBe(`${line} …`);
  });
});
