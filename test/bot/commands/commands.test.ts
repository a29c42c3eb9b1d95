import { describe, expect, it } from 'vitest';
import type { Command, CommandContext } from '../../../src/bot/contract/command.ts';
import { commandSpec, validateOptions } from '../../../src/bot/contract/command-spec.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { type Caller, callerKey, chatKey } from '../../../src/bot/contract/request.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import type { ChatSettings } from '../../../src/bot/contract/settings.ts';
import { AppError } from '../../../src/errors.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import type { Extraction } from '../../../src/media/extract/extractor.ts';
import { commandList, listedCommands } from '../command-list.ts';
import {
  fakeExtractor,
  link,
  photo,
  sampleCaller,
  sampleItem,
  samplePost,
  sampleServices,
  sampleVariant,
} from '../sample.ts';
import { spelled } from '../spelled.ts';

const caller = sampleCaller({ locales: ['id'] });

function contextFor(services: Services, stages: string[] = [], from: Caller = caller): CommandContext {
  return {
    caller: from,
    services,
    t: createTranslator(['en']),
    signal: new AbortController().signal,
    progress: stage => void stages.push(stage),
  };
}

function named(name: string): Command {
  const command = commandList.find(each => each.name === name);
  if (!command) throw new Error(`no command ${name}`);
  return command;
}

/** Runs a command as the dispatcher would. */
async function run(name: string, raw: Record<string, unknown>, context: CommandContext): Promise<Reply> {
  const command = named(name);
  const spec = commandSpec(command, context.t, context.caller.chatKind);
  return command.run(validateOptions(spec, raw), context);
}

const silent = () => sampleItem({ variants: [sampleVariant({ hasAudio: false })] });
const words = (value: Reply) => spelled(value.blocks);

describe('the list of commands', () => {
  it('has names and options that every platform can register', () => {
    for (const { name, options } of commandList) {
      expect(name).toMatch(/^[a-z][a-z-]*( [a-z][a-z-]*)?$/);
      const required = Object.values(options).map(option => option.required === true);
      expect(required).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
      for (const option of Object.values(options)) {
        if (option.type === 'choice') expect(option.choices.length).toBeLessThanOrEqual(25);
      }
    }
    expect(new Set(commandList.map(({ name }) => name)).size).toBe(commandList.length);
    expect(commandList.filter(({ accepts }) => accepts === 'link')).toHaveLength(1);
  });

  it('costs as agreed', () => {
    expect(Object.fromEntries(commandList.map(({ name, cost }) => [name, cost]))).toMatchObject({
      download: 2,
      help: 0,
    });
  });
});

describe('download', () => {
  const carousel = samplePost({ items: [photo(), sampleItem(), silent()] });
  const services = () => sampleServices(fakeExtractor(() => carousel));
  const shown = async (raw: Record<string, unknown>) =>
    (await run('download', raw, contextFor(services()))).gallery.map(({ index, form }) => [index, form]);

  it('brings everything in order', async () => {
    expect(await shown({ link: link('a') })).toEqual([
      [0, 'original'],
      [1, 'original'],
      [2, 'original'],
    ]);
  });

  it('brings the item that is asked for, else the one that the link points at', async () => {
    expect(await shown({ link: link('a'), item: 3 })).toEqual([[2, 'original']]);
    expect(await shown({ link: `${link('a')}?img_index=2` })).toEqual([[1, 'original']]);
    expect(await shown({ link: `${link('a')}?img_index=2`, item: 1 })).toEqual([[0, 'original']]);
  });

  it('counts by the places of the post where some are missing, and says which one is', async () => {
    const items = [photo({ position: 1 }), sampleItem({ position: 3 })];
    const partly = sampleServices(fakeExtractor(() => samplePost({ items, missingItems: 2 })));
    const asked = async (raw: Record<string, unknown>) => {
      const { gallery, blocks } = await run('download', raw, contextFor(partly));
      return [gallery.map(({ index }) => index), /Item \d of \d/.exec(JSON.stringify(blocks))?.[0]];
    };
    expect(await asked({ link: link('a'), item: 4 })).toEqual([[1], undefined]);
    expect(await asked({ link: `${link('a')}?img_index=2` })).toEqual([[0], undefined]);
    expect(await asked({ link: `${link('a')}?img_index=3` })).toEqual([[0, 1], 'Item 3 of 4']);
    await expect(asked({ link: link('a'), item: 5 })).rejects.toMatchObject({
      params: { hint: 'itemRange', count: 4 },
    });
  });

  it('brings only the sound of what has sound', async () => {
    expect(await shown({ link: link('a'), audio: true })).toEqual([[1, 'audio']]);
    for (const item of [1, 3]) {
      await expect(shown({ link: link('a'), item, audio: true })).rejects.toMatchObject({
        params: { hint: 'noSound' },
      });
    }
  });

  it('says how many there are when the item is out of range', async () => {
    await expect(shown({ link: link('a'), item: 4 })).rejects.toMatchObject({
      code: 'invalid_request',
      params: { hint: 'itemRange', count: 3 },
    });
  });

  it('says what it is doing, and hands the signal on', async () => {
    const stages: string[] = [];
    let seen: AbortSignal | undefined;
    const extractor = fakeExtractor((_id, { signal }) => {
      seen = signal;
      return carousel;
    });
    const context = contextFor(sampleServices(extractor), stages);
    await run('download', { link: link('a') }, context);
    expect(stages).toEqual(['fetching', 'preparing']);
    expect(seen).toBe(context.signal);
  });
});

describe('download of a part', () => {
  const clip = '0:02-0:05';
  const bring = (raw: Record<string, unknown>, post: Parameters<typeof samplePost>[0] = {}, from: Caller = caller) =>
    run(
      'download',
      { link: link('a'), ...raw },
      contextFor(sampleServices(fakeExtractor(() => samplePost(post))), [], from),
    );

  it('is of the one video there is', async () => {
    const shown = await bring({ clip }, { items: [photo(), sampleItem()] });
    expect(shown.gallery).toMatchObject([{ index: 1, clip: { startMs: 2_000, endMs: 5_000 } }]);
  });

  it.each<readonly [Record<string, unknown>, Parameters<typeof samplePost>[0], string]>([
    [{ clip: '0:05-0:02' }, {}, 'clipOrder'],
    [{ clip: 'soon' }, {}, 'clipForm'],
    [{ clip: '0:05-0:50' }, {}, 'clipBeyond'],
    [{ clip }, { items: [photo()] }, 'clipNoVideo'],
    [{ clip }, { items: [sampleItem(), sampleItem()] }, 'clipWhich'],
  ])('%j is hinted at: %s %s', async (raw, post, hint) => {
    await expect(bring(raw, post)).rejects.toMatchObject({ params: { hint } });
  });

  it('takes its item by its number, and is a file whatever is usual', async () => {
    const shown = await bring({ clip, item: 2 }, { items: [sampleItem(), sampleItem()] });
    expect(shown.gallery).toMatchObject([{ index: 1 }]);
  });

  it('is for the caller alone only where that can be', async () => {
    const group = sampleCaller({ chatKind: 'group' });
    await expect(bring({ private: true }, {}, group)).rejects.toMatchObject({ params: { hint: 'notPrivate' } });
    const shown = await bring({ private: true }, {}, { ...group, answersAlone: true });
    expect(shown.visibility).toBe('caller');
  });
});

describe('a translation', () => {
  const CAPTION = 'Hari ini kami membuka toko baru di dekat pasar';
  const translation = {
    isForeign: (text: string, locale: string) => text === CAPTION && locale === 'en',
    translate: async (text: string, locale: string) => `${text} in ${locale}`,
  };
  const stage = (caption: string | null, more: Partial<Services> = { translation }) => ({
    ...sampleServices(fakeExtractor(() => samplePost({ caption, title: null }))),
    ...more,
  });
  const button = { kind: 'button', label: 'Translate' };

  it('is offered where the words are foreign, shown, and the host has an endpoint for it', async () => {
    const offered = async (services: Services, raw = {}) =>
      (await run('download', { link: link('a'), ...raw }, contextFor(services))).actions;
    expect(await offered(stage(CAPTION))).toContainEqual(expect.objectContaining(button));
    for (const actions of [
      await offered(stage(CAPTION, {})),
      await offered(stage('We opened a new shop near the market today')),
      await offered(stage(null)),
      await offered(stage(CAPTION), { view: 'media' }),
    ]) {
      expect(actions).not.toContainEqual(expect.objectContaining(button));
    }
  });

  it('is made for the one who presses the button', async () => {
    const services = stage(CAPTION);
    const { actions } = await run('download', { link: link('a') }, contextFor(services));
    const pressed = actions.find(action => action.kind === 'button');
    const { command, values } = await services.actions.decode(pressed?.token ?? '', callerKey(caller));
    const answer = await run(command, values, contextFor(services));
    expect(answer.visibility).toBe('caller');
    expect(words(answer)).toContain(`${CAPTION} in en`);
    expect(words(answer)).toContain('Translated by a machine.');
  });

  it('of no words, or of what is not shown here, is a sentence', async () => {
    expect(words(await run('translate', { link: link('a') }, contextFor(stage(null))))).toContain(
      'no words to translate',
    );
    const sensitive = sampleServices(fakeExtractor(() => samplePost({ caption: CAPTION, sensitive: true })));
    const group = sampleCaller({ chatKind: 'group', groupId: 'guild' });
    const answer = await run('translate', { link: link('a') }, contextFor({ ...sensitive, translation }, [], group));
    expect(words(answer)).toContain('marked as sensitive');
  });
});

describe('a sensitive post', () => {
  const post = samplePost({ sensitive: true, items: [photo(), sampleItem()] });
  const group = sampleCaller({ chatKind: 'group', chatId: 'square' });
  const restricted = { ...group, isAgeRestricted: true };

  async function brought(from: Caller, sensitive: ChatSettings['sensitive'], about: Partial<Extraction> = {}) {
    const { services: extractor, asked } = fakeExtractor();
    const extract = async () => ({ post, itemIndex: null, from: 'load' as const, ...about });
    const services = sampleServices({ asked, services: { ...extractor, extract } });
    await services.settings.setChat(chatKey(group), { sensitive });
    return run('download', { link: link('a') }, contextFor(services, [], from));
  }

  it.each([
    ['restricted', sampleCaller()],
    ['never', sampleCaller()],
    ['restricted', restricted],
    ['spoiler', group],
    ['spoiler', restricted],
  ] as const)('is shown with its files covered, where a group has %s: %o', async (sensitive, from) => {
    const shown = await brought(from, sensitive);
    expect(shown.gallery.map(({ spoiler }) => spoiler)).toEqual([true, true]);
    expect(words(shown)).toContain('Tari Senja');
  });

  it.each([
    ['restricted', group, 'only in age-restricted channels and private chats'],
    ['never', group, 'I do not show such posts'],
    ['never', restricted, 'I do not show such posts'],
  ] as const)('is a sentence and its link, where a group has %s: %o', async (sensitive, from, sentence) => {
    const failed = { reason: new AppError('login_required', 'a wall') };
    for (const shown of [await brought(from, sensitive), await brought(from, sensitive, failed)]) {
      expect(shown).toMatchObject({ gallery: [], actions: [{ kind: 'link', url: post.url }] });
      expect(shown.actions).toHaveLength(1);
      expect(shown.blocks).toHaveLength(1);
      expect(words(shown)).toContain(sentence);
      expect(words(shown)).not.toContain('Tari');
    }
  });

  it('of which only the cover is known is hidden as a whole, and one of words is left alone where it was pasted', async () => {
    const cover = { ...post, items: [], coverUrl: 'https://scontent.cdninstagram.com/cover.jpg' };
    const reason = new AppError('login_required', 'a wall');
    expect((await brought(restricted, 'restricted', { post: cover, reason })).isHidden).toBe(true);
    const bare = { ...post, items: [] };
    expect((await brought(group, 'restricted', { post: bare })).onlyWhenAsked).toBe(true);
  });
});

describe('help', () => {
  const context = () => contextFor(sampleServices());

  const labelsOf = ({ actions }: Reply) => actions.map(({ label }) => label);

  it('is short: links, and a button for each section', async () => {
    const shown = await run('help', {}, context());
    expect(words(shown)).toMatch(/Paste a link to a public Instagram, .+ post/);
    expect(words(shown)).toContain('/download');
    expect(words(shown).length).toBeLessThan(350);
    expect(labelsOf(shown)).toEqual(['Links', 'Beatmaps', 'Players', 'Settings and more']);
  });

  it('names every command in one of its sections, from which one leads back', async () => {
    const named: string[] = [];
    for (const command of ['links', 'beatmap', 'osu', 'more']) {
      const section = await run('help', { command }, context());
      named.push(...section.blocks.flatMap(block => (block.kind === 'fields' ? block.fields : [])).map(f => f.label));
      expect(labelsOf(section)).toEqual(['Choose a command', 'Back']);
    }
    expect(named.toSorted()).toEqual(listedCommands.map(({ name }) => `/${name}`).toSorted());
  });

  it('lets one choose in a section: what needs words is explained, what needs none runs', async () => {
    const { services, ...rest } = context();
    const { actions } = await run('help', { command: 'osu' }, { services, ...rest });
    const [menu] = actions;
    const choices = menu?.kind === 'menu' ? menu.choices : [];
    const open = async (label: string) => {
      const token = choices.find(each => each.label === label)?.token ?? '';
      return services.actions.decode(token, callerKey(rest.caller));
    };
    expect(await open('Profile')).toMatchObject({ command: 'osu profile', values: {} });
    expect(await open('Whatif')).toMatchObject({ command: 'help', values: { command: 'osu whatif' } });
  });

  it.each(['download', '/download', 'Download'])('explains one command: %s', async command => {
    const text = words(await run('help', { command }, context()));
    expect(text).toContain('a number from 1 to 100; optional');
    expect(text).toContain('yes or no; optional');
  });

  it('explains a word of players as its command', async () => {
    expect(words(await run('help', { command: 'osutop' }, context()))).toContain('/osu scores [player]');
  });

  it('explains every command in every language', async () => {
    for (const { tag } of LANGUAGES) {
      for (const { name } of listedCommands) {
        const value = await run('help', { command: name }, { ...context(), t: createTranslator([tag]) });
        expect(words(value)).toContain(`/${name}`);
      }
    }
  });

  it('says which commands there are when it does not know one', async () => {
    await expect(run('help', { command: 'dance' }, context())).rejects.toMatchObject({
      params: {
        hint: 'unknownCommand',
        name: 'dance',
        allowed: '/download, /beatmap, /osu, /settings, /privacy, /forget, /help, /about',
      },
    });
  });

  it('suggests commands by their beginning', async () => {
    const { command } = named('help').options;
    const found = command?.type === 'string' ? await command.suggest?.('/DO', context()) : undefined;
    expect(found?.map(({ value }) => value)).toEqual(['download']);
  });
});

describe('about', () => {
  it('names the version, and says what is kept in four lines', async () => {
    const shown = await run('about', {}, contextFor(sampleServices()));
    expect(shown.visibility).toBe('caller');
    const texts = shown.blocks.map(block => ('text' in block ? block.text.join('') : block.kind));
    expect(texts[0]).toBe('Medley 1.2.3');
    expect(texts.slice(texts.indexOf('Privacy') + 1)).toHaveLength(4);
    expect(spelled(shown.blocks.at(-1))).toContain('/forget deletes');
  });
});

describe('forget', () => {
  it('asks first, and its button does it', async () => {
    const services = sampleServices();
    const key = callerKey(caller);
    await services.settings.setUser(key, { language: 'en' });
    const question = await run('forget', {}, contextFor(services));
    expect((await services.settings.user(key)).language).toBe('en');
    const [button] = question.actions;
    if (button?.kind !== 'button') throw new Error('not a button');
    const pressed = await services.actions.decode(button.token, key);
    expect(pressed).toMatchObject({ command: 'forget', values: { what: 'me' } });
  });

  it('deletes settings and stored buttons', async () => {
    const services = sampleServices();
    const key = callerKey(caller);
    await services.settings.setUser(key, { language: 'en' });
    const token = services.actions.encode({ command: 'help', values: { command: 'x'.repeat(60) }, owner: key });
    const done = await run('forget', { what: 'me' }, contextFor(services));
    expect(done.tone).toBe('success');
    expect((await services.settings.user(key)).language).toBeNull();
    await expect(services.actions.decode(token, key)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('drops what they asked for and have not got yet', async () => {
    const services = sampleServices();
    const from = sampleCaller({ platform: 'discord', userId: 'sari' });
    await run('forget', { what: 'me' }, contextFor(services, [], from));
    expect(services.forgotten).toEqual(['discord:sari']);
  });
});
