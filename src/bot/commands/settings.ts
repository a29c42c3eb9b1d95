import { AppError } from '../../errors.ts';
import { createTranslator, LANGUAGES, type Translator } from '../../i18n/translate.ts';
import { type Caller, callerKey, chatKey } from '../contract/caller.ts';
import { type BooleanOption, type CommandContext, defineCommand } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';
import type { Services } from '../contract/services.ts';
import { type ChatSettings, type SettingsStore, type UserSettings, VIEWS, type View } from '../contract/settings.ts';
import { PREFIXES } from '../contract/short-forms.ts';
import type { Site } from '../contract/site-name.ts';
import { chatSettingsOf, decidesForChat } from '../stores/chat-settings.ts';
import { ALBUM_CAP, NOTICE_SECONDS } from '../stores/settings.ts';
import {
  type AskedChange,
  CHANNEL_RULES,
  changeOf,
  checkChannels,
  NO_PREFIX,
  SECTIONS,
  type SectionKey,
  type SettingsSection,
  sectionOf,
  sectionsOf,
} from './settings-sections.ts';
import { type ChoiceView, renderSection, renderSettings } from './settings-view.ts';

const AUTOMATIC = 'auto';
const LANGUAGE = {
  type: 'choice',

  choices: [AUTOMATIC, ...LANGUAGES.map(({ tag }) => tag)],
  names: Object.fromEntries(LANGUAGES.map(({ tag, name }) => [tag, name])),
  /** One word of a name is enough. */
  alias: (word: string) => LANGUAGES.find(({ name }) => name.toLowerCase().split(' ').includes(word))?.tag,
} as const;

/** Shows what is set, or sets the language of this person and, for the admins of a group, what goes for all of it. */
export function createSettings({ sources }: { readonly sources: readonly Site[] }) {
  return defineCommand({
    name: 'settings',
    options: {
      language: LANGUAGE,
      view: { type: 'choice', choices: VIEWS },
      links: { type: 'boolean', only: 'group' },
      'osu-links': { type: 'boolean', only: 'group' },
      quotes: { type: 'boolean', only: 'group' },
      channel: { type: 'choice', choices: CHANNEL_RULES, only: 'group' },
      captions: { type: 'boolean', only: 'group' },
      prefix: { type: 'choice', choices: [NO_PREFIX, ...PREFIXES], only: 'group' },
      files: { type: 'integer', min: 0, max: ALBUM_CAP.max, only: 'group' },
      silent: { type: 'boolean', only: 'group' },
      embeds: { type: 'boolean', only: 'group' },
      'delete-links': { type: 'boolean', only: 'group' },
      'quiet-errors': { type: 'boolean', only: 'group' },
      notices: { type: 'integer', ...NOTICE_SECONDS, only: 'group' },
      ...Object.fromEntries(sources.map(site => [site.id, siteOption(site)])),
      'chat-language': { ...LANGUAGE, only: 'group' },
      section: { type: 'choice', choices: SECTIONS, only: 'button' },
    },
    visibility: 'caller',
    cost: 0,
    async run({ language, section: opened, view, 'chat-language': chatLanguage, ...asked }, context: CommandContext) {
      const { caller, services } = context;
      const isGroup = caller.chatKind === 'group';
      const isAdmin = isGroup && (await decidesForChat(caller));
      const change: AskedChange = {
        ...asked,
        view: isGroup ? view : undefined,
        language: chatLanguage === undefined ? undefined : languageOf(chatLanguage),
        sites: asked,
      };
      const chatChange = changeOf(await chatSettingsOf(services, caller), change, channelOf(caller), sources);
      if (!isAdmin && (chatChange !== undefined || opened !== undefined)) {
        throw new AppError('forbidden', 'no admin of this chat', { params: { what: 'chat_settings' } });
      }
      if (chatChange !== undefined) {
        checkChannels(chatChange);
        await services.settings.setChat(chatKey(caller), chatChange);
      }
      const isOwnSaved = await saveOwn({ language, view: isGroup ? undefined : view }, context);
      const isSaved = isOwnSaved || chatChange !== undefined;
      return show({ section: opened ?? sectionOf(change, sources), isAdmin, isSaved }, context);
    },
  });

  async function show({ section: shown, isAdmin, isSaved }: Shown, context: CommandContext): Promise<Reply> {
    const { caller, services } = context;
    const user = await services.settings.user(callerKey(caller));
    const chat = await chatSettingsOf(services, caller);
    const said: Said = { caller, services, t: isSaved ? spokenTo(caller, user, chat) : context.t };
    const sections = isAdmin ? sectionsOf(chat, { ...said, channelId: channelOf(caller), sources }) : [];
    const section = sections.find(({ key }) => key === shown);
    if (section !== undefined) return renderSection(pressable(section, said), isSaved, said.t);
    const isGroup = caller.chatKind === 'group';
    const own = [ownLanguage(user, chat, said), ...(isGroup ? [] : [ownView(chat, said)])];
    const diagnosis = isAdmin ? ((await caller.diagnose?.()) ?? []) : [];
    const chatView = isAdmin ? { sections: sections.map(each => pressable(each, said)), diagnosis } : undefined;
    const isWithheld = isGroup && !isAdmin;
    return renderSettings({ own, player: user.player, chat: chatView, isWithheld, isSaved }, said.t);
  }
}

interface Shown {
  readonly section: SectionKey | undefined;
  readonly isAdmin: boolean;
  readonly isSaved: boolean;
}

interface OwnChange {
  readonly language: string | undefined;
  readonly view: View | undefined;
}

/** Resolves with true when there was anything to save. */
async function saveOwn({ language, view }: OwnChange, { caller, services }: CommandContext): Promise<boolean> {
  const change: Partial<UserSettings> = {
    ...(language !== undefined && { language: languageOf(language) }),
    ...(view !== undefined && { view }),
  };
  if (Object.keys(change).length === 0) return false;
  await services.settings.setUser(callerKey(caller), change);
  return true;
}

function siteOption(site: Site): BooleanOption {
  return { type: 'boolean', only: 'group', site };
}

interface Said {
  readonly caller: Caller;
  readonly services: Pick<Services, 'actions'> & { readonly settings: SettingsStore };
  readonly t: Translator;
}

/** Rules for a channel go for its threads. */
function channelOf({ parentChatId, chatId }: Caller): string {
  return parentChatId ?? chatId;
}

function languageOf(choice: string): string | null {
  return choice === AUTOMATIC ? null : choice;
}

/** The language of the answers from now on. */
function spokenTo(caller: Caller, { language }: UserSettings, chat: ChatSettings): Translator {
  return createTranslator(language === null ? automaticFor(caller, chat) : [language]);
}

function automaticFor({ locales }: Caller, { language }: ChatSettings): readonly string[] {
  return language === null ? locales : [language, ...locales];
}

function ownLanguage({ language }: UserSettings, chat: ChatSettings, said: Said): ChoiceView {
  const words = said.t.messages.settings;
  const automatic = createTranslator(automaticFor(said.caller, chat)).messages.languageName;
  const names = [{ tag: AUTOMATIC, name: words.automatic }, ...LANGUAGES];
  return {
    name: words.language,
    value: LANGUAGES.find(({ tag }) => tag === language)?.name ?? words.automaticNow({ name: automatic }),
    choices: names.map(({ tag, name }) => ({
      label: name,
      isSet: languageOf(tag) === language,
      token: tokenFor({ language: tag }, said),
    })),
  };
}

function ownView({ view }: ChatSettings, said: Said): ChoiceView {
  const words = said.t.messages.settings;
  return {
    name: words.rows.view,
    value: words.views[view],
    choices: VIEWS.map(each => ({
      label: words.views[each],
      isSet: each === view,
      token: tokenFor({ view: each }, said),
    })),
  };
}

/** A section with the tokens of its buttons. */
function pressable({ key, rows }: SettingsSection, said: Said): Parameters<typeof renderSection>[0] {
  return {
    key,
    token: tokenFor({ section: key }, said),
    back: tokenFor({}, said),
    rows: rows.map(row => ({
      ...row,
      choices: row.choices.map(({ value, ...choice }) => ({
        ...choice,
        token: tokenFor({ section: key, [row.key]: value }, said),
      })),
    })),
  };
}

function tokenFor(
  values: Readonly<Record<string, string | number | boolean>> & { readonly section?: SectionKey },
  { caller, services }: Said,
): string {
  return services.actions.encode({ command: 'settings', values, owner: callerKey(caller) });
}
