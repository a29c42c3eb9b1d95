import { LANGUAGES } from '../../i18n/languages.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { Option } from '../contract/command.ts';
import type { Caller } from '../contract/request.ts';
import {
  ALBUM_CAP,
  type ChatSettings,
  NOTICE_SECONDS,
  OFF_WORD,
  SENSITIVE,
  type Site,
  type UserSettings,
  VIEWS,
} from '../contract/settings.ts';
import { PREFIXES } from '../contract/short-forms.ts';
import { isSiteOn } from '../stores/settings-store.ts';
import { choiceRow, type SettingRow, switchRow, type Value } from './setting-row.ts';
import { CHANNEL_RULES, channelRow, filterRow, roleChange, ruleChange, wordsOf } from './settings-filters.ts';

/** The sections of a group's settings. */
export const SECTIONS = ['links', 'answers', 'notices'] as const;
export type SectionKey = (typeof SECTIONS)[number];

interface RowContext {
  readonly caller: Caller;
  readonly chat: ChatSettings;
  readonly t: Translator;
}

/** One setting, of a person or of a group. */
export interface Setting<S> {
  /** The name of this setting's option of the command /settings. */
  readonly key: string;
  readonly option: Option;
  row(settings: S, context: RowContext): SettingRow;
  /** The fields that this value changes in the settings. @throws AppError `invalid_request` if it is not allowed */
  change(value: Value, settings: S, caller: Caller): Partial<S>;
}

export interface ChatSetting extends Setting<ChatSettings> {
  readonly section: SectionKey;
  /** True on a platform that supports this setting. Default: true everywhere. */
  isOffered?(caller: Caller): boolean;
}

const AUTOMATIC = 'auto';
const LANGUAGE = {
  type: 'choice',
  choices: [AUTOMATIC, ...LANGUAGES.map(({ tag }) => tag)],
  names: Object.fromEntries(LANGUAGES.map(({ tag, name }) => [tag, name])),
  /** A language can also be chosen by one word of its own name. */
  alias: (word: string) => LANGUAGES.find(({ name }) => name.toLowerCase().split(' ').includes(word))?.tag,
} as const satisfies Option;

export const ownLanguage: Setting<UserSettings> = {
  key: 'language',
  option: LANGUAGE,
  row({ language }, { caller, chat, t }) {
    const words = t.messages.settings;
    const automatic = createTranslator(automaticFor(caller, chat)).messages.languageName;
    const row = languageRow(words.language, language, t);
    return language === null ? { ...row, value: words.automaticNow({ name: automatic }) } : row;
  },
  change: value => ({ language: languageOf(value) }),
};

/** The setting of how posts are shown: a person's for their private chat with Medley, or a group's. */
const view = {
  key: 'view',
  option: { type: 'choice', choices: VIEWS },
  row(_settings: unknown, { chat, t }: RowContext) {
    const { rows, views } = t.messages.settings;
    return choiceRow(rows.view, VIEWS, chat.view, each => views[each]);
  },
  change: (value: Value) => ({ view: oneOf(VIEWS, value) }),
} as const;
export const ownView: Setting<UserSettings> = view;

/** The languages, best first, in which a person is answered who has not chosen any. */
export function automaticFor({ locales }: Caller, { language }: ChatSettings): readonly string[] {
  return language === null ? locales : [language, ...locales];
}

/** The choice that switches short commands (`!rs`) off. */
const NO_PREFIX = 'off';
/** The most characters of what an admin types for the option `ignored-words`. */
const MAX_WORDS = OFF_WORD.most * OFF_WORD.maxLength;
const FILES = [0, 1, 4, 10];
const SECONDS = [0, 30, 60, 300];
const SHORT_FORMS_SHOWN = ['rs', 'c', 'map', 'lb', 'sim', 'top'];

const ANSWER_SETTINGS: readonly ChatSetting[] = [
  { ...view, section: 'answers' },
  {
    key: 'sensitive',
    section: 'answers',
    option: { type: 'choice', choices: SENSITIVE, only: 'group' },
    row({ sensitive }, { t: { messages } }) {
      const { rows, sensitive: words } = messages.settings;
      return choiceRow(rows.sensitive, SENSITIVE, sensitive, each => words[each]);
    },
    change: value => ({ sensitive: oneOf(SENSITIVE, value) }),
  },
  {
    key: 'files',
    section: 'answers',
    option: { type: 'integer', min: 0, max: ALBUM_CAP.max, only: 'group' },
    row({ albumCap }, { t: { messages } }) {
      const { rows, files } = messages.settings;
      return choiceRow(rows.files, withSet(FILES, albumCap ?? 0), albumCap ?? 0, n => files({ n }));
    },
    change: value => ({ albumCap: Number(value) || null }),
  },
  onOff('captions', 'answers', 'captions'),
  onOff('silent', 'answers', 'silent', { usual: () => true }),
  onOff('embeds', 'answers', 'suppressEmbeds', { isOffered: ({ hidesEmbeds }) => hidesEmbeds === true }),
  onOff('delete-links', 'answers', 'deleteSource', { isOffered: ({ deletesLinks }) => deletesLinks === true }),
  {
    key: 'chat-language',
    section: 'answers',
    option: { ...LANGUAGE, only: 'group' },
    row: ({ language }, { t }) => languageRow(t.messages.settings.chatLanguage, language, t),
    change: value => ({ language: languageOf(value) }),
  },
];

const NOTICE_SETTINGS: readonly ChatSetting[] = [
  onOff('quiet-errors', 'notices', 'quietErrors'),
  {
    key: 'notices',
    section: 'notices',
    option: { type: 'integer', ...NOTICE_SECONDS, only: 'group' },
    row({ noticeSeconds }, { t }) {
      const { rows } = t.messages.settings;
      return choiceRow(rows.notices, withSet(SECONDS, noticeSeconds), noticeSeconds, n => deletedAfter(n, t));
    },
    change: value => ({ noticeSeconds: Number(value) }),
  },
];

/** All settings of a group, section by section. */
export function settingsOfChat(sources: readonly Site[]): readonly ChatSetting[] {
  return [...linkSettings(sources), ...ANSWER_SETTINGS, ...NOTICE_SETTINGS];
}

function linkSettings(sources: readonly Site[]): readonly ChatSetting[] {
  const added = sources.filter(({ onInGroups }) => onInGroups !== true);
  return [
    onOff('links', 'links', 'autoDetect', { usual: () => true }),
    ...(added.length === 0 ? [] : [sitesSwitch('new-sites', added, t => t.messages.settings.rows['new-sites'])]),
    ...sources.map(site => sitesSwitch(site.id, [site], t => t.site(site), site)),
    onOff('osu-links', 'links', 'osuLinks'),
    onOff('quotes', 'links', 'quotedLinks', { usual: ({ answersQuotes = false }) => answersQuotes }),
    {
      key: 'channel',
      section: 'links',
      option: { type: 'choice', choices: CHANNEL_RULES, only: 'group' },
      isOffered: ({ groupId }) => groupId !== undefined,
      row: channelRow,
      change: ruleChange,
    },
    {
      key: 'prefix',
      section: 'links',
      option: { type: 'choice', choices: [NO_PREFIX, ...PREFIXES], only: 'group' },
      row: prefixRow,
      change: value => ({ prefix: value === NO_PREFIX ? null : oneOf(PREFIXES, value) }),
    },
    {
      key: 'ignored-role',
      section: 'links',
      option: { type: 'string', form: 'role', maxLength: 30, only: 'group' },
      isOffered: ({ groupId }) => groupId !== undefined,
      row: ({ offRoles }, { t }) =>
        filterRow(t.messages.settings.rows['ignored-role'], offRoles, t, id => ({ kind: 'role', id })),
      change: roleChange,
    },
    {
      key: 'ignored-words',
      section: 'links',
      option: { type: 'string', form: 'rest', maxLength: MAX_WORDS, only: 'group', named: true },
      row: ({ offWords }, { t }) => filterRow(t.messages.settings.rows['ignored-words'], offWords, t),
      change: value => ({ offWords: wordsOf(String(value)) }),
    },
  ];
}

type SwitchField = {
  [K in keyof ChatSettings]: ChatSettings[K] extends boolean | null ? K : never;
}[keyof ChatSettings];

function onOff(
  key: keyof Translator['messages']['settings']['rows'],
  section: SectionKey,
  field: SwitchField,
  { usual = () => false, ...more }: Pick<ChatSetting, 'isOffered'> & { usual?: (caller: Caller) => boolean } = {},
): ChatSetting {
  return {
    key,
    section,
    option: { type: 'boolean', only: 'group' },
    ...more,
    row: (chat, { caller, t }) => switchRow(t.messages.settings.rows[key], chat[field] ?? usual(caller), t),
    change(value) {
      const change: Partial<Pick<ChatSettings, SwitchField>> = { [field]: value === true };
      return change;
    },
  };
}

/** A switch for one site, or for several sites that are on and off together. */
function sitesSwitch(key: string, sites: readonly Site[], nameOf: (t: Translator) => string, site?: Site): ChatSetting {
  return {
    key,
    section: 'links',
    option: { type: 'boolean', only: 'group', ...(site && { site }) },
    row(chat, { t }) {
      const isOn = sites.every(each => isSiteOn(chat, each));
      return switchRow(nameOf(t), isOn, t);
    },
    change: (value, { sources }) => ({
      sources: { ...sources, ...Object.fromEntries(sites.map(({ id }) => [id, value === true])) },
    }),
  };
}

function languageRow(name: string, language: string | null, t: Translator): SettingRow {
  const nameOf = (tag: string) => LANGUAGES.find(each => each.tag === tag)?.name ?? t.messages.settings.automatic;
  return choiceRow(name, LANGUAGE.choices, language ?? AUTOMATIC, nameOf);
}

function languageOf(choice: Value): string | null {
  return choice === AUTOMATIC ? null : String(choice);
}

/** The element of `values` that equals the given value. The option's own check has refused all other values before. */
function oneOf<V>(values: readonly V[], value: Value): V {
  const found = values.find(each => each === value);
  if (found === undefined) throw new TypeError(`${value} is none of the choices`);
  return found;
}

/** The usual choices and the number that is set now, in order and without repeats. */
function withSet(usual: readonly number[], set: number): readonly number[] {
  return usual.includes(set) ? usual : [...usual, set].sort((a, b) => a - b);
}

function deletedAfter(seconds: number, t: Translator): string {
  const words = t.messages.settings.deletedAfter;
  if (seconds === 0) return words.never;
  if (seconds % 3_600 === 0) return words.hours({ n: seconds / 3_600 });
  return seconds % 60 === 0 ? words.minutes({ n: seconds / 60 }) : words.seconds({ n: seconds });
}

function prefixRow({ prefix }: ChatSettings, { t }: RowContext): SettingRow {
  const words = t.messages.settings;
  const nameOf = (value: string) => (value === NO_PREFIX ? words.off : value);
  const row = choiceRow(words.shortForms, [NO_PREFIX, ...PREFIXES], prefix ?? NO_PREFIX, nameOf);
  if (prefix === null) return row;
  return { ...row, value: words.shortFormsBy({ forms: SHORT_FORMS_SHOWN.map(name => prefix + name).join(' ') }) };
}
