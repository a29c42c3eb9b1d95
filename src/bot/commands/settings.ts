import { AppError } from '../../errors.ts';
import { createTranslator, LANGUAGES, type Translator } from '../../i18n/translate.ts';
import {
  type BooleanOption,
  type Caller,
  type CommandContext,
  callerKey,
  chatKey,
  defineCommand,
  type Services,
} from '../command.ts';
import { PREFIXES, type Prefix } from '../dispatch/short-forms.ts';
import { chatSettingsOf, decidesForChat } from '../settings/chat-settings.ts';
import type { ChatSettings, UserSettings } from '../settings/settings.ts';
import { type ChatView, type LanguageView, renderSettings, type SwitchView } from '../views/settings.ts';
import { type Site, siteName } from '../views/site-name.ts';

const AUTOMATIC = 'auto';
const TAGS = [AUTOMATIC, ...LANGUAGES.map(({ tag }) => tag)];

const NO_PREFIX = 'off';

type Switches = Readonly<Record<'links' | 'osu-links' | 'embeds' | 'captions', boolean | undefined>>;

/** Shows what is set, or sets the language of this person and, for the admins of a group, what goes for all of it. */
export function createSettings({ sources }: { readonly sources: readonly Site[] }) {
  return defineCommand({
    name: 'settings',
    options: {
      language: { type: 'choice', required: false, choices: TAGS },
      links: { type: 'boolean', required: false, only: 'group' },
      'osu-links': { type: 'boolean', required: false, only: 'group' },
      embeds: { type: 'boolean', required: false, only: 'group' },
      captions: { type: 'boolean', required: false, only: 'group' },
      prefix: { type: 'choice', required: false, choices: [NO_PREFIX, ...PREFIXES], only: 'group' },
      ...Object.fromEntries(sources.map(site => [site.id, siteOption(site)])),
      'chat-language': { type: 'choice', required: false, choices: TAGS, only: 'group' },
    },
    visibility: 'caller',
    cost: 0,
    async run(
      { language, 'chat-language': chatLanguage, prefix, ...switches },
      { caller, services, t }: CommandContext,
    ) {
      const isGroup = caller.chatKind === 'group';
      const isAdmin = isGroup && (await decidesForChat(caller));
      const words = { language: chatLanguage, prefix };
      const chatChange = changeOf(await chatSettingsOf(services, caller), switches, words, sources);
      if (chatChange !== undefined && !isAdmin) {
        throw new AppError('forbidden', 'no admin of this chat', { params: { what: 'chat_settings' } });
      }
      if (chatChange !== undefined) await services.settings.setChat(chatKey(caller), chatChange);
      if (language !== undefined)
        await services.settings.setUser(callerKey(caller), { language: languageOf(language) });

      const saved = chatChange !== undefined || language !== undefined;
      const user = await services.settings.user(callerKey(caller));
      const chat = await chatSettingsOf(services, caller);
      const asked: Asked = { caller, services, t: saved ? spokenTo(caller, user, chat) : t };
      const diagnosis = isAdmin ? ((await caller.diagnose?.()) ?? []) : [];
      const shown = isAdmin ? { ...chatView(chat, asked, sources), diagnosis } : isGroup ? 'withheld' : undefined;
      const own = ownLanguage(user, chat, asked);
      return renderSettings({ language: own, player: user.player, chat: shown, saved }, asked.t);
    },
  });
}

function siteOption(site: Site): BooleanOption {
  return { type: 'boolean', required: false, only: 'group', site };
}

type Asked = Pick<CommandContext, 'caller' | 'services' | 't'>;

function languageOf(choice: string): string | null {
  return choice === AUTOMATIC ? null : choice;
}

interface ChosenWords {
  readonly language: string | undefined;
  readonly prefix: Prefix | typeof NO_PREFIX | undefined;
}

/** Undefined when nothing of the chat is to change. */
function changeOf(
  { disabledSources }: ChatSettings,
  { links, 'osu-links': osuLinks, embeds, captions, ...switched }: Switches,
  { language, prefix }: ChosenWords,
  sources: readonly Site[],
): Partial<ChatSettings> | undefined {
  const chosen: Readonly<Record<string, unknown>> = switched;
  const off = new Set(disabledSources);
  for (const { id } of sources) {
    if (chosen[id] === true) off.delete(id);
    if (chosen[id] === false) off.add(id);
  }
  const change: Partial<ChatSettings> = {
    ...(links === undefined ? {} : { autoDetect: links }),
    ...(osuLinks === undefined ? {} : { osuLinks }),
    ...(embeds === undefined ? {} : { suppressEmbeds: embeds }),
    ...(captions === undefined ? {} : { captions }),
    ...(language === undefined ? {} : { language: languageOf(language) }),
    ...(prefix === undefined ? {} : { prefix: prefix === NO_PREFIX ? null : prefix }),
    ...(sources.some(({ id }) => chosen[id] !== undefined) ? { disabledSources: [...off] } : {}),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

/** The language of the answers from now on. */
function spokenTo(caller: Caller, { language }: UserSettings, chat: ChatSettings): Translator {
  return createTranslator(language === null ? automaticFor(caller, chat) : [language]);
}

function automaticFor({ locales }: Caller, { language }: ChatSettings): readonly string[] {
  return language === null ? locales : [language, ...locales];
}

function ownLanguage({ language }: UserSettings, chat: ChatSettings, asked: Asked): LanguageView {
  const automatic = createTranslator(automaticFor(asked.caller, chat)).messages.languageName;
  return { set: language, automatic, choices: choicesOf('language', language, asked) };
}

function chatView(chat: ChatSettings, asked: Asked, sources: readonly Site[]): Omit<ChatView, 'diagnosis'> {
  const { autoDetect, osuLinks, suppressEmbeds, captions, language, prefix, disabledSources } = chat;
  const { caller, services, t } = asked;
  const names = t.messages.settings.switches;
  const rows = [
    { key: 'links', name: names.links, isOn: autoDetect ?? true },
    { key: 'osu-links', name: names['osu-links'], isOn: osuLinks },
    ...(caller.hidesEmbeds === true ? [{ key: 'embeds', name: names.embeds, isOn: suppressEmbeds }] : []),
    { key: 'captions', name: names.captions, isOn: captions },
    ...sources.map(site => ({ key: site.id, name: siteName(site, t), isOn: !disabledSources.includes(site.id) })),
  ];
  return {
    switches: rows.map((row): SwitchView => ({ ...row, token: tokenFor(row.key, !row.isOn, caller, services) })),
    prefix,
    language: {
      set: language,
      automatic: null,
      choices: choicesOf('chat-language', language, asked),
    },
  };
}

function choicesOf(
  option: 'language' | 'chat-language',
  set: string | null,
  { caller, services, t }: Asked,
): LanguageView['choices'] {
  const names = [{ tag: AUTOMATIC, name: t.messages.settings.automatic }, ...LANGUAGES];
  return names.map(({ tag, name }) => ({
    label: name,
    isSet: languageOf(tag) === set,
    token: tokenFor(option, tag, caller, services),
  }));
}

function tokenFor(option: string, value: string | boolean, caller: Caller, { actions }: Services): string {
  return actions.encode({ command: 'settings', values: { [option]: value }, owner: callerKey(caller) });
}
