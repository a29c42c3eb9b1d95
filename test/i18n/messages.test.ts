import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/errors.ts';
import { createTranslator, LANGUAGES } from '../../src/i18n/translate.ts';
import { commandList, listedCommands } from '../bot/command-list.ts';

/** Every string of a language, its sentences made with numbers and words for the parameters. */
function* texts(node: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof node === 'string') yield [path, node];
  else if (typeof node === 'function') {
    const takesParams = /\.(errors|hints)\./.test(path);
    const isCount = /\.(wait|notices|range|itemOf)/.test(path);
    for (const sample of takesParams ? [{}, SAMPLE] : isCount ? [1, 2] : ['word']) {
      yield [path, String(node(sample, takesParams ? undefined : 7))];
    }
  } else if (typeof node === 'object' && node !== null) {
    for (const [key, value] of Object.entries(node)) yield* texts(value, `${path}.${key}`);
  }
}

const SAMPLE = {
  name: 'n',
  command: 'c',
  option: 'o',
  allowed: 'a, b',
  usage: '/c o',
  min: 1,
  max: 9,
  count: 3,
  what: 'tag',
};

describe.each(LANGUAGES.map(({ tag }) => tag))('messages in %s', tag => {
  const { messages } = createTranslator([tag]);

  it('are never empty', () => {
    const all = [...texts(messages, tag)];
    expect(all.length).toBeGreaterThan(150);
    for (const [path, text] of all) expect(text.trim(), path).not.toBe('');
  });

  it('use the values they are given', () => {
    expect(messages.hints.notInteger({ option: 'item', min: 3, max: 17 })).toMatch(/item.*3.*17/);
    expect(messages.hints.unknownOption({ command: 'download', name: 'foo', allowed: 'x, y' })).toMatch(/foo.*x, y/);
    expect(messages.hints.itemRange({ count: 4 })).toContain('4');
    expect(messages.errors.upstream_unavailable({}, 'WAIT')).toContain('WAIT');
    expect(messages.errors.rate_limited({}, 'WAIT')).toContain('WAIT');
    expect(messages.errors.rate_limited({ reason: 'busy' }, 'WAIT')).toContain('WAIT');
  });

  it('say what is supported when a link is not, and what it was when known', () => {
    const plain = messages.errors.unsupported_link({});
    expect(plain).toMatch(/Instagram.*Facebook/);
    for (const what of ['profile', 'page', 'tag', 'audio', 'event', 'live', 'story']) {
      expect(messages.errors.unsupported_link({ what })).not.toBe(plain);
    }
    expect(messages.errors.unsupported_link({ what: 'toString' })).toBe(plain);
  });

  it('are calm: no shouting, and sentences end', () => {
    for (const code of ERROR_CODES) {
      const sentence = messages.errors[code]({});
      expect(sentence).toMatch(/^\p{Lu}.*\.$/u);
      expect(sentence).not.toMatch(/!|\berror\b|\binvalid\b/i);
    }
  });

  it('describe every command, option and choice', () => {
    const described: Readonly<Record<string, { options: object; choices: Readonly<Record<string, object>> }>> =
      messages.commands;
    expect(Object.keys(described)).toEqual(expect.arrayContaining(listedCommands.map(({ name }) => name)));
    for (const { name, options } of commandList) {
      // A site's switch is described by the site's name.
      const shown = Object.entries(options).filter(([, option]) => option.only !== 'button' && !('site' in option));
      expect(Object.keys(described[name]?.options ?? {})).toEqual(shown.map(([key]) => key));
    }
  });

  it('fit what Discord takes for names and descriptions', () => {
    for (const { options, description } of Object.values(messages.commands)) {
      expect(description.length).toBeLessThanOrEqual(100);
      for (const option of Object.values(options)) {
        expect(option.name).toMatch(/^[-_\p{Ll}\p{N}]{1,32}$/u);
        expect(option.description.length).toBeLessThanOrEqual(100);
      }
    }
  });

  it('give the page plain strings with the same blanks in every language', () => {
    const english = createTranslator(['en']).messages.web;
    const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([blank]) => blank).sort();
    for (const [key, text] of Object.entries(messages.web)) {
      const original: Readonly<Record<string, string>> = english;
      expect(blanks(text), key).toEqual(blanks(original[key] ?? ''));
    }
  });
});
