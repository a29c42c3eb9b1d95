import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import { type Command, defineCommand } from '../../../src/bot/contract/command.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { listedCommands } from '../command-list.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../sample.ts';

const signal = new AbortController().signal;
const LINK = 'https://www.instagram.com/p/AbC/';

const suggest = async (partial: string) =>
  ['camellia', 'camel case', 'cat']
    .filter(word => word.startsWith(partial))
    .map(value => ({ label: `query ${value}`, value }));

const find = defineCommand({
  name: 'osu search',
  options: {
    query: { type: 'string', required: true, maxLength: 100, suggest },
    mode: { type: 'choice', required: false, choices: ['osu', 'taiko'] },
  },
  visibility: 'chat',
  cost: 1,
  run: async () => reply({}),
});

/** What the option of a language may be. */
const TAGS = ['auto', ...LANGUAGES.map(({ tag }) => tag)];

/** Without those that would stand among the made-up ones. */
const own = listedCommands.filter(({ name }) => !/^(?:beatmap|osu) /.test(name));

function setUp(commands: readonly Command[] = [...own, find]) {
  const dispatcher = createDispatcher({
    commands,
    services: sampleServices(),
    limiter: memoryLimiter(() => 0),
    userLimit: { units: 20, windowMs: 60_000 },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  const lines = async (text: string, locale = 'en') =>
    (await dispatcher.suggest(text, sampleCaller({ locales: [locale] }), signal)).map(each => each.text);
  return { dispatcher, lines };
}

describe('suggestions for a typed line', () => {
  it.each([
    ['/do', ['/download ']],
    ['/DOWN', ['/download ']],
    ['/osu', ['/osu search ']],
    ['/nothing', []],
    ['hello', []],
    ['', []],
    [LINK, []],
    ['/settings ', [...TAGS, 'view:'].map(word => `/settings ${word}`)],
    ['/settings e', TAGS.filter(tag => tag.startsWith('e')).map(tag => `/settings ${tag}`)],
    ['/settings language:', TAGS.map(tag => `/settings language:${tag}`)],
    ['/settings language=i', TAGS.filter(tag => tag.startsWith('i')).map(tag => `/settings language=${tag}`)],
    [`/download ${LINK} `, ['item:', 'audio', 'clip:', 'view:', 'spoiler'].map(word => `/download ${LINK} ${word}`)],
    [`/download ${LINK} 2 a`, [`/download ${LINK} 2 audio`]],
    ['/download audio ', ['item:', 'clip:', 'view:', 'spoiler'].map(word => `/download audio ${word}`)],
    ['/help d', ['/help download']],
    ['/osu search came', ['/osu search camellia', '/osu search "camel case"']],
    ['/osu search query:ca mode:', ['/osu search query:ca mode:osu', '/osu search query:ca mode:taiko']],
    ['/osu search camellia t', ['/osu search camellia taiko']],
  ])('%j goes on as %j', async (text, expected) => {
    expect(await setUp().lines(text)).toEqual(expected);
  });

  it('offer every command, with a space behind one that takes options', async () => {
    const { lines } = setUp();
    const shown = (await lines('/')).map(line => line.trimEnd());
    expect(shown).toEqual([...own, find].map(({ name }) => `/${name}`));
    expect(await lines('/')).toEqual(expect.arrayContaining(['/download ', '/about']));
  });

  it('describe themselves in the reader’s language', async () => {
    const { dispatcher, lines } = setUp();
    const [first] = await dispatcher.suggest('/dow', sampleCaller({ locales: ['id'] }), signal);
    expect(first).toEqual({
      label: expect.stringMatching(/^\/download tautan \[butir\] \[suara\]/),
      detail: 'Tampilkan video atau foto sebuah kiriman di sini',
      text: '/download ',
    });
    expect(await lines(`/download ${LINK} su`, 'id')).toEqual([`/download ${LINK} suara`]);
  });

  it('take no longer for a long word with a space behind it', async () => {
    const startedAt = performance.now();
    expect(await setUp().lines(`/help ${'y'.repeat(100_000)} `)).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('never reject', async () => {
    const query = { ...find.options.query, suggest: () => Promise.reject(new Error('no')) };
    const broken = defineCommand({ ...find, name: 'broken', options: { ...find.options, query } });
    expect(await setUp([broken]).lines('/broken x')).toEqual([]);
  });
});

describe('suggestions for one option', () => {
  const { dispatcher } = setUp();
  const values = async (command: string, option: string, partial: string) =>
    (await dispatcher.suggestOption({ caller: sampleCaller(), signal, command, option, partial })).map(
      ({ value }) => value,
    );

  it('come from the command or from its choices', async () => {
    expect(await values('osu search', 'query', 'cat')).toEqual(['cat']);
    expect(await values('settings', 'language', 'bahasa')).toEqual(['id']);
    expect(await values('settings', 'language', 'auto')).toEqual(['auto']);
    expect(await values('nothing', 'query', '')).toEqual([]);
    expect(await values('download', 'nothing', '')).toEqual([]);
  });
});

describe('commandSpecs', () => {
  it('have all that a platform needs to register commands', async () => {
    const { dispatcher } = setUp(own);
    const t = await dispatcher.translator(sampleCaller({ locales: ['id'] }));
    const [download, settings] = dispatcher.commandSpecs(t);
    expect(download).toMatchObject({ name: 'download', visibility: 'chat', accepts: 'link' });
    const names = download?.options.map(({ key, name }) => [key, name]);
    expect(names).toEqual(
      expect.arrayContaining([
        ['link', 'tautan'],
        ['item', 'butir'],
        ['audio', 'suara'],
      ]),
    );
    expect(settings?.options[0]?.choices[0]).toEqual({ value: 'auto', label: 'Otomatis' });
  });
});
