import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import { createSettings } from '../../../src/bot/commands/settings.ts';
import { parseArguments } from '../../../src/bot/contract/arguments.ts';
import type { Command } from '../../../src/bot/contract/command.ts';
import { commandSpec, validateOptions } from '../../../src/bot/contract/command-spec.ts';
import type { Action, Reply } from '../../../src/bot/contract/reply.ts';
import { type Caller, callerKey, chatKey } from '../../../src/bot/contract/request.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import { CHAT_DEFAULTS } from '../../../src/bot/contract/settings.ts';
import { PREFIXES } from '../../../src/bot/contract/short-forms.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { converse } from '../converse.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../sample.ts';

const command: Command = createSettings({ sources: sourceDescriptors });
const person = sampleCaller({ locales: ['id'] });
const admin = sampleCaller({ chatKind: 'group', chatId: 'square', locales: ['en'], isChatAdmin: true });
const member = { ...admin, userId: 'budi', isChatAdmin: false };
const square = chatKey(admin);

/** As the dispatcher would. */
async function asked(
  raw: Readonly<Record<string, unknown>>,
  caller: Caller,
  services: Services,
  isPressed = false,
): Promise<Reply> {
  const t = createTranslator(['en']);
  const spec = commandSpec(command, t, isPressed ? 'button' : caller.chatKind);
  const { signal } = new AbortController();
  return command.run(validateOptions(spec, raw), { caller, services, t, signal, progress: () => undefined });
}

const words = ({ blocks }: Reply) => JSON.stringify(blocks);

interface Choosable {
  readonly label: string;
  readonly token: string;
  readonly isSet: boolean;
}

/** All that can be pressed or chosen. */
function choosable(actions: readonly Action[]): readonly Choosable[] {
  return actions.flatMap((action): readonly Choosable[] => {
    if (action.kind === 'menu') return action.choices.map(choice => ({ ...choice, isSet: choice.isSet === true }));
    return action.kind === 'button' ? [{ ...action, isSet: false }] : [];
  });
}

const labels = ({ actions }: Reply) => choosable(actions).map(({ label }) => label);

/** Presses what bears that label. */
async function press(shown: Reply, label: string, caller: Caller, services: Services): Promise<Reply> {
  const found = choosable(shown.actions).find(each => each.label === label);
  if (found === undefined) throw new Error(`nothing is labelled ${label} among ${labels(shown).join(', ')}`);
  const { values } = await services.actions.decode(found.token, callerKey(caller));
  return asked(values, caller, services, true);
}

describe('what an admin types', () => {
  it.each([
    ['/settings links off', { autoDetect: false }],
    ['/settings links no silent on', { autoDetect: false, silent: true }],
    ['/settings captions tidak', { captions: false }],
    ['/settings ignored-role <@&123456789012345678>', { offRoles: ['123456789012345678'] }],
    ['/settings ignored-words Giveaway,  Flash  Sale ,', { offWords: ['giveaway', 'flash sale'] }],
    ['/settings ignored-words off', { offWords: [] }],
    ['/settings quotes mati', { quotedLinks: false }],
    ['/settings embeds false', { suppressEmbeds: false }],
    ['/settings links', { autoDetect: true }],
    ['/settings osu-links yes', { osuLinks: true }],
  ])('switches what it says: %s', async (text, expected) => {
    const services = sampleServices();
    const dispatcher = createDispatcher({
      commands: [command],
      services,
      limiter: memoryLimiter(() => 0),
      userLimit: { units: 1_000, windowMs: 60_000 },
      log: createRecordingLog(),
    });
    await converse(dispatcher, { text, caller: admin });
    expect(await services.settings.chat(square)).toEqual({ ...CHAT_DEFAULTS, ...expected });
  });
});

describe('the settings of a person', () => {
  it('are shown with their choices, which belong to that person', async () => {
    const services = sampleServices();
    const shown = await asked({}, person, services);
    expect(words(shown)).toContain('Automatic (Bahasa Indonesia)');
    expect(shown.visibility).toBe('caller');
    expect(labels(shown)).toEqual([
      ...['Automatic', ...LANGUAGES.map(({ name }) => name)].map(name => `Language: ${name}`),
      ...['words and files', 'files only', 'words only'].map(view => `Posts: ${view}`),
    ]);
    const set = choosable(shown.actions).filter(({ isSet }) => isSet);
    expect(set.map(({ label }) => label)).toEqual(['Language: Automatic', 'Posts: words and files']);
    for (const { token } of choosable(shown.actions)) {
      expect(token.length).toBeLessThanOrEqual(64);
      await expect(services.actions.decode(token, 'web:someone')).rejects.toMatchObject({ code: 'forbidden' });
    }
  });

  it('change the language, and say so in it', async () => {
    const services = sampleServices();
    const key = callerKey(person);
    const english = await asked({ language: 'en' }, person, services);
    expect(await services.settings.user(key)).toEqual({ language: 'en', player: null, view: null });
    expect(english.tone).toBe('success');
    expect(words(english)).toContain('Saved.');
    const automatic = await asked({ language: 'auto' }, person, services);
    expect(await services.settings.user(key)).toEqual({ language: null, player: null, view: null });
    expect(words(automatic)).toContain('Tersimpan.');
    expect(words(automatic)).toContain('Otomatis (Bahasa Indonesia)');
  });

  it('choose how posts look where they are alone with Medley', async () => {
    const services = sampleServices();
    const shown = await press(await asked({}, person, services), 'Posts: files only', person, services);
    expect((await services.settings.user(callerKey(person))).view).toBe('media');
    expect(words(shown)).toContain('berkas saja');
    expect(await services.settings.chat(chatKey(person))).toEqual(CHAT_DEFAULTS);
  });
});

describe('the settings of a group', () => {
  it('are shown to its admins by sections, with what each says now', async () => {
    const services = sampleServices();
    const shown = await asked({}, admin, services);
    expect(labels(shown).slice(-3)).toEqual(['Links', 'Answers', 'Failures']);
    expect(words(shown)).toContain('Answer pasted links: on');
    expect(words(shown)).toContain('Notices leave: after 30 seconds');
  });

  it('have a section for links, with every site', async () => {
    const services = sampleServices();
    const shown = await press(await asked({}, admin, services), 'Links', admin, services);
    expect(labels(shown)).toEqual([
      ...['off', ...PREFIXES].map(prefix => `Short forms: ${prefix}`),
      'Answer pasted links: on',
      'All newer sites: off',
      ...sourceDescriptors.map(({ name, onInGroups }) => `${name}: ${onInGroups === true ? 'on' : 'off'}`),
      'Answer osu! links: off',
      'Answer quotes and forwards: off',
      'Back',
    ]);
    expect(shown.tone).toBe('neutral');
    expect(words(await press(shown, 'Short forms: !', admin, services))).toContain('!rs !c !map');
    expect((await services.settings.chat(square)).prefix).toBe('!');
    expect(labels(await press(shown, 'Back', admin, services)).slice(-3)).toEqual(['Links', 'Answers', 'Failures']);
  });

  it('are turned in their section, which stays open and says so', async () => {
    const services = sampleServices();
    const links = await press(await asked({}, admin, services), 'Links', admin, services);
    const off = await press(links, 'Instagram: on', admin, services);
    expect(labels(off)).toContain('Instagram: off');
    expect(off.tone).toBe('success');
    expect(words(off)).toContain('Saved.');
    expect((await services.settings.chat(square)).sources).toEqual({ instagram: false });
    await press(off, 'Instagram: off', admin, services);
    expect((await services.settings.chat(square)).sources).toEqual({ instagram: true });
  });

  it('have a section for answers, without what the platform cannot do', async () => {
    const services = sampleServices();
    const plain = await asked({ section: 'answers' }, admin, services, true);
    expect(labels(plain).join('\n')).not.toMatch(/Hide embeds|Delete answered links/);
    const able = { ...admin, hidesEmbeds: true, deletesLinks: true };
    const all = await asked({ section: 'answers' }, able, services, true);
    expect(labels(all)).toEqual(expect.arrayContaining(['Hide embeds: on', 'Delete answered links: off']));
    await press(all, 'Delete answered links: off', able, services);
    await press(all, 'Posts: words only', able, services);
    await press(all, 'Sensitive posts: behind a spoiler', able, services);
    await press(all, 'Files of one post: the first 4', able, services);
    await press(all, 'Without notification: on', able, services);
    await press(all, 'Language here: Bahasa Indonesia', able, services);
    expect(await services.settings.chat(square)).toEqual({
      ...CHAT_DEFAULTS,
      ...{ deleteSource: true, view: 'text', sensitive: 'spoiler', albumCap: 4, silent: false, language: 'id' },
    });
    const back = await asked({ files: 0 }, able, services);
    expect((await services.settings.chat(square)).albumCap).toBeNull();
    expect(words(back)).toContain('semua');
  });

  it('have a section for failures, where any number of seconds may be typed', async () => {
    const services = sampleServices();
    const shown = await asked({ notices: 45, 'quiet-errors': true }, admin, services);
    expect(await services.settings.chat(square)).toMatchObject({ noticeSeconds: 45, quietErrors: true });
    const set = choosable(shown.actions).filter(({ isSet }) => isSet);
    expect(set.map(({ label }) => label)).toEqual(['Notices leave: after 45 seconds']);
    await press(shown, 'Notices leave: never', admin, services);
    expect((await services.settings.chat(square)).noticeSeconds).toBe(0);
    await expect(asked({ notices: 9_999 }, admin, services)).rejects.toMatchObject({ params: { hint: 'notInteger' } });
  });

  it('have rules for single channels where a group has channels, and threads go by theirs', async () => {
    const services = sampleServices();
    const inChannel = { ...admin, groupId: 'guild', chatId: '21' };
    const guild = chatKey(inChannel);
    const shown = await asked({ section: 'links' }, inChannel, services, true);
    expect(labels(shown)).not.toContain('This channel: same rule for all channels');
    const off = await press(shown, 'This channel: pasted links are left alone', inChannel, services);
    expect((await services.settings.chat(guild)).offChannels).toEqual(['21']);
    expect(words(off)).toContain('1 channel with a rule');
    await asked({ channel: 'only' }, { ...inChannel, chatId: '99', parentChatId: '21' }, services);
    expect(await services.settings.chat(guild)).toMatchObject({ offChannels: [], onlyChannels: ['21'] });
    await asked({ channel: 'off' }, { ...inChannel, chatId: '22' }, services);
    expect(await services.settings.chat(guild)).toMatchObject({ offChannels: ['22'], onlyChannels: ['21'] });
    const all = await asked({ section: 'links' }, inChannel, services, true);
    await press(all, 'This channel: same rule for all channels', inChannel, services);
    expect(await services.settings.chat(guild)).toEqual(CHAT_DEFAULTS);
    expect(words(await asked({ section: 'links' }, admin, services, true))).not.toContain('This channel');
  });

  it('say so where there is no space for one more rule, and keep those that are there', async () => {
    const services = sampleServices();
    const many = Array.from({ length: 100 }, (_, index) => `${index}`);
    await services.settings.setChat('web:guild', { offChannels: many });
    const inNew = { ...admin, groupId: 'guild', chatId: 'new' };
    const refusal = { code: 'invalid_request', params: { hint: 'manyChannels', n: 100 } };
    await expect(asked({ channel: 'off', silent: true }, inNew, services)).rejects.toMatchObject(refusal);
    expect(await services.settings.chat('web:guild')).toEqual({ ...CHAT_DEFAULTS, offChannels: many });
    // One that has the rule may keep it; one that leaves makes space.
    await asked({ channel: 'off' }, { ...inNew, chatId: '7' }, services);
    await asked({ channel: 'only' }, { ...inNew, chatId: '8' }, services);
    await asked({ channel: 'off' }, inNew, services);
    const { offChannels, onlyChannels } = await services.settings.chat('web:guild');
    expect([offChannels.length, offChannels.at(-1), onlyChannels]).toEqual([100, 'new', ['8']]);
    await expect(
      asked({ channel: 'off' }, { ...inNew, chatId: '8', isChatAdmin: false }, services),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('are changed by words too, one without the other', async () => {
    const services = sampleServices();
    await asked({ links: false, embeds: false, captions: false, facebook: false, quotes: true }, admin, services);
    await asked({ instagram: false }, admin, services);
    await asked({ facebook: true, 'chat-language': 'id' }, admin, services);
    expect(await services.settings.chat(square)).toEqual({
      ...CHAT_DEFAULTS,
      autoDetect: false,
      quotedLinks: true,
      suppressEmbeds: false,
      captions: false,
      language: 'id',
      sources: { instagram: false, facebook: true },
    });
    expect((await services.settings.user(callerKey(admin))).language).toBeNull();
    const back = await asked({ 'chat-language': 'auto' }, admin, services);
    expect((await services.settings.chat(square)).language).toBeNull();
    expect(back.tone).toBe('success');
  });

  it('answer in the language that was just set for the group', async () => {
    const services = sampleServices();
    expect(words(await asked({ 'chat-language': 'id' }, admin, services))).toContain('Tersimpan.');
    expect(words(await asked({ 'chat-language': 'id', language: 'en' }, admin, services))).toContain('Saved.');
  });

  it('are not for its other members, who keep their own', async () => {
    const services = sampleServices();
    const shown = await asked({}, member, services);
    expect(labels(shown)).toEqual(['Automatic', ...LANGUAGES.map(({ name }) => name)].map(name => `Language: ${name}`));
    expect(words(shown)).toContain('visible to admins');
    const refusal = { code: 'forbidden', params: { what: 'chat_settings' } };
    await expect(asked({ links: false, language: 'id' }, member, services)).rejects.toMatchObject(refusal);
    await expect(asked({ view: 'text' }, member, services)).rejects.toMatchObject(refusal);
    await expect(asked({ section: 'links' }, member, services, true)).rejects.toMatchObject(refusal);
    expect(await services.settings.chat(square)).toEqual(CHAT_DEFAULTS);
    expect((await services.settings.user(callerKey(member))).language).toBeNull();
    await asked({ language: 'id' }, member, services);
    expect((await services.settings.user(callerKey(member))).language).toBe('id');
  });

  it('ask who is an admin where that costs a request, and only in groups', async () => {
    const services = sampleServices();
    let questions = 0;
    const isChatAdmin = async () => {
      questions += 1;
      return true;
    };
    expect(labels(await asked({}, { ...admin, isChatAdmin }, services))).toContain('Answers');
    expect(labels(await asked({}, sampleCaller({ isChatAdmin }), services))).not.toContain('Answers');
    expect(questions).toBe(1);
  });

  it('do not exist in a chat of one person', async () => {
    const alone = sampleCaller({ locales: ['en'], isChatAdmin: true });
    await expect(asked({ links: false }, alone, sampleServices())).rejects.toMatchObject({
      params: { hint: 'unknownOption', allowed: 'language, view' },
    });
    const t = createTranslator(['en']);
    const read = () => parseArguments(commandSpec(command, t, 'private'), 'captions off');
    expect(read).toThrow(expect.objectContaining({ params: expect.objectContaining({ name: 'captions' }) }));
    expect(commandSpec(command, t, 'private').usage).toBe('/settings [language] [view]');
    expect(commandSpec(command, t).options.map(({ key }) => key)).toContain('links');
  });

  it('say what Medley may not do here, and how to mend it', async () => {
    const services = sampleServices();
    const diagnose = async () => [
      { key: 'sendMessages', ok: true } as const,
      { key: 'manageMessages', ok: false } as const,
    ];
    const shown = words(await asked({}, { ...admin, diagnose }, services));
    expect(shown).toContain('✓ Write here');
    expect(shown).toContain('✗ Hide embeds');
    expect(shown).toContain('Give me the permission Manage Messages');
    expect(words(await asked({}, { ...member, diagnose }, services))).not.toContain('Manage Messages');
    expect(shown).toContain('My permissions here');
    expect(words(await asked({}, admin, services))).not.toContain('My permissions here');
  });
});
