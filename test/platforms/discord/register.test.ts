import { describe, expect, it } from 'vitest';
import { commandSpec } from '../../../src/bot/contract/command-spec.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { OF_MENUS, readTexts } from '../../../src/i18n/load-texts.ts';
import { createTranslator, type Translator } from '../../../src/i18n/translate.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createCommandIndex } from '../../../src/platforms/discord/incoming/interactions.ts';
import { commandPayloads, type Menu, menuIn } from '../../../src/platforms/discord/register.ts';
import { listedCommands } from '../../bot/command-list.ts';
import { flat } from '../../i18n/sentences.ts';

const specs = (t: Translator) => listedCommands.map(command => commandSpec(command, t));
const english = menuIn(createTranslator(['en']), specs);
const menus = LANGUAGES.map(({ tag }) => menuIn(createTranslator([tag]), specs));
const payloads = commandPayloads(english, menus);

function named(name: string) {
  return payloads.find(payload => payload.name === name);
}

describe('commandPayloads', () => {
  it('offers every command, with its texts in every language', () => {
    expect(named('download')).toMatchObject({
      type: 1,
      description: 'Show the video or photos of a post here',
      description_localizations: { 'en-US': expect.any(String), id: expect.stringContaining('kiriman') },
      integration_types: [0, 1],
      contexts: [0, 1, 2],
      options: [
        { type: 3, name: 'link', required: true, name_localizations: { 'en-US': 'link', id: 'tautan' } },
        { type: 4, name: 'item', min_value: 1 },
        { type: 5, name: 'audio' },
        { type: 3, name: 'clip', name_localizations: { id: 'klip' } },
        { type: 3, name: 'view', choices: [{ value: 'card' }, { value: 'media' }, { value: 'text' }] },
        { type: 5, name: 'spoiler' },
        { type: 5, name: 'private' },
      ],
    });
  });

  it('lists choices and announces suggestions', () => {
    expect(named('settings')).toMatchObject({
      options: expect.arrayContaining([
        expect.objectContaining({
          name: 'language',
          choices: expect.arrayContaining([expect.objectContaining({ value: 'id' })]),
        }),
      ]),
    });
    expect(named('help')).toMatchObject({ options: [{ autocomplete: true }] });
  });

  it('puts a command into the menu of messages', () => {
    expect(named('Get media')).toMatchObject({
      type: 3,
      name_localizations: { id: 'Ambil media' },
      contexts: [0, 1, 2],
    });
  });

  it('keeps to the limits', () => {
    const NAME = /^[-_'\p{L}\p{N}]{1,32}$/u;
    for (const payload of payloads.filter(({ type }) => type === 1)) {
      for (const name of valuesOf(payload, 'name')) expect(name).toMatch(/^.{1,100}$/u);
      for (const description of valuesOf(payload, 'description')) expect(description).toMatch(/^.{1,100}$/u);
      expect(payload.name).toMatch(NAME);
      // Discord counts the longest language of each text.
      expect(weigh(payload)).toBeLessThan(8_000);
    }
  });

  it('says what is in the files of which a digest is kept, so that other texts are registered', () => {
    const said = ({ specs: all, getMedia }: Menu) => [
      getMedia,
      ...all.flatMap(({ description, options }) => [
        description,
        ...options.flatMap(option => [option.description, ...option.choices.map(({ label }) => label)]),
      ]),
    ];
    const indonesian = menus.filter(({ locale }) => locale === 'id').flatMap(said);
    const { siteSwitch } = createTranslator(['id']).messages.shared;
    const known = new Set([
      ...OF_MENUS.flatMap(file => [...flat(readTexts(`src/i18n/id/${file}.json`))].map(([, text]) => text)),
      ...sourceDescriptors.map(({ name }) => siteSwitch({ site: name })),
      // Names and signs are the same in all languages.
      ...said(english),
    ]);
    expect(indonesian.length).toBeGreaterThan(100);
    expect(indonesian.filter(text => !known.has(text))).toEqual([]);
  });

  it('makes one command of those that share a word', () => {
    const ofPosts = (menu: Menu) => ({
      ...menu,
      specs: menu.specs.map(spec => ({ ...spec, name: `post ${spec.name}` })),
    });
    const grouped = commandPayloads(ofPosts(english), menus.map(ofPosts));
    expect(grouped.map(({ name }) => name)).toEqual(['post', 'Get media']);
    expect(grouped[0]).toMatchObject({
      description_localizations: { id: expect.stringContaining('kiriman') },
      options: expect.arrayContaining([
        expect.objectContaining({
          type: 1,
          name: 'download',
          description_localizations: expect.objectContaining({ id: expect.stringContaining('kiriman') }),
          options: expect.arrayContaining([
            expect.objectContaining({ name: 'link', name_localizations: expect.objectContaining({ id: 'tautan' }) }),
          ]),
        }),
        expect.objectContaining({
          name: 'settings',
          options: expect.arrayContaining([
            expect.objectContaining({
              choices: expect.arrayContaining([
                expect.objectContaining({
                  name_localizations: expect.objectContaining({ id: 'Otomatis' }),
                }),
              ]),
            }),
          ]),
        }),
      ]),
    });
  });
});

describe('createCommandIndex', () => {
  it('finds commands and options by the names that Discord shows', () => {
    const found = createCommandIndex(specs).find('download');
    expect(found?.spec.visibility).toBe('chat');
    expect(found?.keyOf('link')).toBe('link');
    expect(createCommandIndex(specs).find('nothing')).toBeUndefined();
  });
});

function valuesOf(value: unknown, key: string): string[] {
  if (Array.isArray(value)) return value.flatMap(each => valuesOf(each, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : valuesOf(inner, key),
  );
}

/** Characters of names, descriptions and values, each in its longest language. */
function weigh(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + weigh(each), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const fields = new Map<string, unknown>(Object.entries(value));
  const longest = (key: string) => {
    const others = fields.get(`${key}_localizations`);
    const spoken = typeof others === 'object' && others !== null ? Object.values(others) : [];
    return Math.max(...[fields.get(key), ...spoken].map(text => (typeof text === 'string' ? text.length : 0)));
  };
  const own = ['name', 'description', 'value'].reduce((sum, key) => sum + longest(key), 0);
  return own + weigh(fields.get('options')) + weigh(fields.get('choices'));
}
