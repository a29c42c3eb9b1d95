import { describe, expect, it } from 'vitest';
import { createCommandList } from '../../src/bot/commands/index.ts';
import { createOwnerCommands } from '../../src/bot/commands/owner.ts';
import { switchOf } from '../../src/bot/contract/command-spec.ts';
import { createBlockList } from '../../src/bot/stores/exclusions.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { LANGUAGES } from '../../src/i18n/languages.ts';
import { loadTexts } from '../../src/i18n/load-texts.ts';
import { createMessages, createText, findText } from '../../src/i18n/messages.ts';
import { createTranslator } from '../../src/i18n/translate.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { commandList } from '../bot/command-list.ts';
import { embeddedRecords } from '../records.ts';
import { sentencesOf } from './sentences.ts';
import { textsOf } from './texts.ts';

const ownerCommands = createOwnerCommands({
  blocks: createBlockList({ records: embeddedRecords() }),
  failures: { list: () => [] },
  sources: [],
  readChats: async () => undefined,
});

describe.each(LANGUAGES.map(({ tag }) => tag))('messages in %s', tag => {
  const t = createTranslator([tag]);
  const { messages } = t;

  it('are never empty', () => {
    const all = [...sentencesOf(textsOf(tag))];
    expect(all.length).toBeGreaterThan(700);
    expect(all.filter(([, sentence]) => sentence.trim() === '')).toEqual([]);
  });

  it('use the values they are given', () => {
    expect(messages.hints.notInteger({ option: 'item', min: 3, max: 17 })).toMatch(/item.*3.*17/);
    expect(messages.hints.unknownOption({ command: 'download', name: 'foo', allowed: 'x, y' })).toMatch(/foo.*x, y/);
    expect(messages.hints.itemRange({ count: 4 })).toContain('4');
    expect(t.error('upstream_unavailable', { wait: 'WAIT' })).toContain('WAIT');
    expect(t.error('rate_limited', { wait: 'WAIT' })).toContain('WAIT');
    expect(t.error('rate_limited', { reason: 'busy', wait: 'WAIT' })).toContain('WAIT');
  });

  it('show on and off by words that people may type', () => {
    const { on, off } = messages.settings;
    expect([on, off].map(switchOf)).toEqual([true, false]);
    expect([on, off].map(word => switchOf(word.toLocaleUpperCase(tag)))).toEqual([true, false]);
  });

  it('say what is supported when a link is not, and what it was when known', () => {
    const plain = t.error('unsupported_link');
    expect(t.error('unsupported_link', { what: 'site', sites: 'A or B' })).toContain('A or B');
    for (const what of ['profile', 'page', 'tag', 'audio', 'event', 'live', 'story']) {
      expect(t.error('unsupported_link', { what })).not.toBe(plain);
    }
    expect(t.error('unsupported_link', { what: 'toString' })).toBe(plain);
  });

  it('are calm: no shouting, and sentences end', () => {
    for (const code of ERROR_CODES) {
      const sentence = t.error(code);
      expect(sentence).toMatch(/^(ja|zh)\b/.test(tag) ? /^\p{Lo}.*。$/u : /^[\p{Lu}\p{Lo}].*\.$/u);
      expect(sentence).not.toMatch(/[!！]|\berror\b|\binvalid\b/i);
    }
  });

  it('describe every command, option and choice', () => {
    const lacking = [...commandList, ...ownerCommands].flatMap(({ name, listed, options }) => {
      const keys = [...(listed === undefined ? ['description'] : []), ...Object.entries(options).flatMap(keysOf)];
      const missing = keys.filter(key => (t.find(`commands.${name}.${key}`) ?? t.find(`shared.${key}`)) === undefined);
      return missing.map(key => `${name}: ${key}`);
    });
    expect(lacking).toEqual([]);
  });

  it('name options as Discord takes them', () => {
    const names = [...sentencesOf(textsOf(tag))].filter(([key]) => /^(commands|shared)\..*\.name$/.test(key));
    for (const [key, name] of names) expect(name, key).toMatch(/^[-_\p{Ll}\p{Lo}\p{Lm}\p{N}]{1,32}$/u);
  });
});

/** The keys of the texts that an option needs: signs and grades are shown as they are, a site's switch by the site's name. */
function keysOf([key, option]: [string, (typeof commandList)[number]['options'][string]]): readonly string[] {
  if (option.only === 'button' || (option.type === 'boolean' && option.site !== undefined)) return [];
  const choices =
    option.type === 'choice'
      ? option.choices.filter(value => /^[a-z_]+$/.test(value) && option.names?.[value] === undefined)
      : [];
  return [`options.${key}.name`, `options.${key}.description`, ...choices.map(value => `choices.${key}.${value}`)];
}

it('describe no command, option or choice that is not there', () => {
  const { commands } = createTranslator(['en']).messages;
  const newcomer = { id: 'toy', name: 'Toybox', colour: '#000000' } as const;
  const all = createCommandList({ sources: [...sourceDescriptors, newcomer] });
  const described = [...all.filter(({ listed }) => listed === undefined), ...ownerCommands];
  expect(Object.keys(commands).sort()).toEqual(described.map(({ name }) => name).sort());
  for (const { name, options } of described) {
    const known = new Set(['description', ...Object.entries(options).flatMap(keysOf)]);
    const texts = [...sentencesOf(textsOf('en'))]
      .map(([key]) => key)
      .filter(key => key.startsWith(`commands.${name}.`));
    expect(texts.map(key => key.slice(`commands.${name}.`.length)).filter(key => !known.has(key))).toEqual([]);
  }
});

describe('createMessages', () => {
  it('says in English what a language lacks, key by key', () => {
    const messages = createMessages(
      () => ({ post: { likes: '{n, plural, one {{shown} lubi} other {{shown} lubią}}' } }),
      'pl',
    );
    expect(messages.post.likes({ n: 1, shown: '1' })).toBe('1 lubi');
    expect(messages.post.views({ n: 1, shown: '1' })).toBe('1 view');
    expect(messages.web.send).toBe('Send');
    expect(messages.languageName).toBe('English');
  });

  it('takes a group that is not one for nothing', () => {
    expect(createMessages(() => ({ post: 'text', errors: { internal: {} } }), 'pl').errors.internal).toContain(
      'went wrong',
    );
  });
});

describe('findText', () => {
  const messages = createMessages(() => ({}), 'en');
  it.each([
    ['sites.instagram', 'Instagram'],
    ['osu.search.title', 'Beatmaps for “x”'],
    ['sites.toString', undefined],
    ['sites.instagram.length', undefined],
    ['sites', undefined],
    ['nothing.like.this', undefined],
    ['', undefined],
  ])('finds for %s: %s', (key, text) => {
    expect(findText(messages, key, { query: 'x' })).toBe(text);
  });
});

describe('createText', () => {
  it.each([
    [1, '1 пост'],
    [3, '3 поста'],
    [5, '5 постов'],
    [21, '21 пост'],
  ])('takes the plural of the language for %d', (n, text) => {
    const posts = '{n, plural, one {{n} пост} few {{n} поста} many {{n} постов} other {{n} поста}}';
    expect(createText(posts, 'ru')({ n })).toBe(text);
  });

  it('inserts values as they are, and nothing for those that are not given', () => {
    const text = createText('<b> {a} {b} {c, select, unknown {nobody} other {{c}}}', 'en');
    expect(text({ a: "{b} '<i>'" })).toBe("<b> {b} '<i>'  nobody");
  });
});

it('says English where a file of a language is missing', () => {
  const messages = createMessages(file => loadTexts('xx', file), 'de');
  expect(messages.joining.labelled({ name: 'BPM', value: '180' })).toBe('BPM: 180');
});
