import { LANGUAGES, type Translator } from '../../i18n/translate.ts';
import type { Caller } from '../contract/caller.ts';
import { type ChatSettings, VIEWS, type View } from '../contract/settings.ts';
import { PREFIXES, type Prefix } from '../contract/short-forms.ts';
import { type Site, siteName } from '../contract/site-name.ts';
import { usageError } from '../contract/usage-error.ts';
import { MAX_CHANNEL_RULES } from '../stores/settings.ts';

/** The sections of a group's settings. */
export const SECTIONS = ['links', 'answers', 'notices'] as const;
export type SectionKey = (typeof SECTIONS)[number];

interface RowChoice {
  readonly label: string;
  readonly isSet: boolean;
  /** The value of the row's option. */
  readonly value: string | number | boolean;
}

/** One setting: a switch has the two choices on and off. */
interface SettingRow {
  /** The option of /settings that changes it. */
  readonly key: string;
  readonly kind: 'switch' | 'choice';
  readonly name: string;
  /** The present value, in words. */
  readonly value: string;
  readonly choices: readonly RowChoice[];
}

export interface SettingsSection {
  readonly key: SectionKey;
  readonly rows: readonly SettingRow[];
}

interface SectionContext {
  readonly caller: Pick<Caller, 'hidesEmbeds' | 'deletesLinks' | 'answersQuotes' | 'groupId' | 'chatId'>;
  /** The channel that rules are made for. */
  readonly channelId: string;
  readonly sources: readonly Site[];
  readonly t: Translator;
}

const FILES = [0, 1, 4, 10];
const SECONDS = [0, 30, 60, 300];
const SHORT_FORMS_SHOWN = ['rs', 'c', 'map', 'lb', 'sim', 'top'];

/** A group's settings as rows, without what the platform cannot do. Pure. */
export function sectionsOf(chat: ChatSettings, context: SectionContext): readonly SettingsSection[] {
  const { caller, sources, t } = context;
  const words = t.messages.settings;
  const { rows } = words;
  const sites = sources.map(site => onOff(site.id, siteName(site, t), !chat.disabledSources.includes(site.id), t));
  return [
    {
      key: 'links',
      rows: [
        onOff('links', rows.links, chat.autoDetect ?? true, t),
        ...sites,
        onOff('osu-links', rows['osu-links'], chat.osuLinks, t),
        onOff('quotes', rows.quotes, chat.quotedLinks ?? caller.answersQuotes ?? false, t),
        ...(caller.groupId === undefined ? [] : [channelRow(chat, context)]),
        prefixRow(chat, t),
      ],
    },
    {
      key: 'answers',
      rows: [
        pick('view', rows.view, VIEWS, chat.view, view => words.views[view]),
        pick('files', rows.files, withIt(FILES, chat.albumCap ?? 0), chat.albumCap ?? 0, n => words.files({ n })),
        onOff('captions', rows.captions, chat.captions, t),
        onOff('silent', rows.silent, chat.silent, t),
        ...(caller.hidesEmbeds === true ? [onOff('embeds', rows.embeds, chat.suppressEmbeds, t)] : []),
        ...(caller.deletesLinks === true ? [onOff('delete-links', rows['delete-links'], chat.deleteSource, t)] : []),
        languageRow(chat, t),
      ],
    },
    {
      key: 'notices',
      rows: [
        onOff('quiet-errors', rows['quiet-errors'], chat.quietErrors, t),
        pick('notices', rows.notices, withIt(SECONDS, chat.noticeSeconds), chat.noticeSeconds, n => deletedAfter(n, t)),
      ],
    },
  ];
}

/** The section that shows what was changed last of what is asked; undefined when nothing of a group's is. */
export function sectionOf(asked: AskedChange, sources: readonly Site[]): SectionKey | undefined {
  const { links, quotes, channel, prefix, sites } = asked;
  const isLinks = [links, asked['osu-links'], quotes, channel, prefix, ...sources.map(({ id }) => sites[id])];
  if (isLinks.some(each => each !== undefined)) return 'links';
  const { view, files, captions, silent, embeds, language } = asked;
  const isAnswers = [view, files, captions, silent, embeds, asked['delete-links'], language];
  if (isAnswers.some(each => each !== undefined)) return 'answers';
  return asked['quiet-errors'] === undefined && asked.notices === undefined ? undefined : 'notices';
}

function onOff(key: string, name: string, isOn: boolean, t: Translator): SettingRow {
  const { on, off } = t.messages.settings;
  const choices = [true, false].map(value => ({ label: value ? on : off, isSet: value === isOn, value }));
  return { key, kind: 'switch', name, value: isOn ? on : off, choices };
}

function pick<V extends string | number>(
  key: string,
  name: string,
  values: readonly V[],
  set: V,
  labelOf: (value: V) => string,
): SettingRow {
  const choices = values.map(value => ({ label: labelOf(value), isSet: value === set, value }));
  return { key, kind: 'choice', name, value: labelOf(set), choices };
}

/** A number that was typed is shown among the usual ones. */
function withIt(usual: readonly number[], set: number): readonly number[] {
  return usual.includes(set) ? usual : [...usual, set].sort((a, b) => a - b);
}

function deletedAfter(seconds: number, t: Translator): string {
  const words = t.messages.settings.deletedAfter;
  if (seconds === 0) return words.never;
  if (seconds % 3_600 === 0) return words.hours({ n: seconds / 3_600 });
  return seconds % 60 === 0 ? words.minutes({ n: seconds / 60 }) : words.seconds({ n: seconds });
}

function channelRow(chat: ChatSettings, { channelId, t }: SectionContext): SettingRow {
  const words = t.messages.settings;
  const ruled = chat.offChannels.length + chat.onlyChannels.length;
  const rules = CHANNEL_RULES.filter(rule => rule !== 'everywhere' || ruled > 0);
  const row = pick('channel', words.rows.channel, rules, ruleOf(chat, channelId), rule => words.channelRules[rule]);
  return ruled === 0 ? row : { ...row, value: `${row.value} (${words.ruledChannels({ n: ruled })})` };
}

function prefixRow({ prefix }: ChatSettings, t: Translator): SettingRow {
  const words = t.messages.settings;
  const nameOf = (value: string) => (value === NO_PREFIX ? words.off : value);
  const row = pick('prefix', words.shortForms, [NO_PREFIX, ...PREFIXES], prefix ?? NO_PREFIX, nameOf);
  if (prefix === null) return row;
  return { ...row, value: words.shortFormsBy({ forms: SHORT_FORMS_SHOWN.map(name => prefix + name).join(' ') }) };
}

function languageRow({ language }: ChatSettings, t: Translator): SettingRow {
  const words = t.messages.settings;
  const tags = ['auto', ...LANGUAGES.map(({ tag }) => tag)];
  const nameOf = (tag: string) => LANGUAGES.find(each => each.tag === tag)?.name ?? words.automatic;
  return pick('chat-language', words.chatLanguage, tags, language ?? 'auto', nameOf);
}

/** The prefix that means that there are no short forms. */
export const NO_PREFIX = 'off';

/** The rules for one channel; `everywhere` ends the rules of all channels. */
export const CHANNEL_RULES = ['on', 'off', 'only', 'everywhere'] as const;
type ChannelRule = (typeof CHANNEL_RULES)[number];

/** A change that an admin asks for, by the options of /settings. Sites come by their ids. */
export interface AskedChange {
  readonly links: boolean | undefined;
  readonly 'osu-links': boolean | undefined;
  readonly quotes: boolean | undefined;
  readonly channel: ChannelRule | undefined;
  readonly view: View | undefined;
  readonly captions: boolean | undefined;
  readonly prefix: Prefix | typeof NO_PREFIX | undefined;
  /** 0 for all. */
  readonly files: number | undefined;
  readonly silent: boolean | undefined;
  readonly embeds: boolean | undefined;
  readonly 'delete-links': boolean | undefined;
  readonly 'quiet-errors': boolean | undefined;
  readonly notices: number | undefined;
  /** A tag, or null for automatic. */
  readonly language: string | null | undefined;
  readonly sites: Readonly<Record<string, unknown>>;
}

/** Undefined when nothing of the chat is to change. @param channelId the channel that is spoken of */
export function changeOf(
  chat: ChatSettings,
  asked: AskedChange,
  channelId: string,
  sources: readonly Site[],
): Partial<ChatSettings> | undefined {
  const off = new Set(chat.disabledSources);
  for (const { id } of sources) {
    if (asked.sites[id] === true) off.delete(id);
    if (asked.sites[id] === false) off.add(id);
  }
  const change: { readonly [K in keyof ChatSettings]: ChatSettings[K] | undefined } = {
    ...ruled(chat, asked.channel, channelId),
    autoDetect: asked.links,
    osuLinks: asked['osu-links'],
    quotedLinks: asked.quotes,
    view: asked.view,
    captions: asked.captions,
    prefix: asked.prefix === NO_PREFIX ? null : asked.prefix,
    albumCap: asked.files === 0 ? null : asked.files,
    silent: asked.silent,
    suppressEmbeds: asked.embeds,
    deleteSource: asked['delete-links'],
    quietErrors: asked['quiet-errors'],
    noticeSeconds: asked.notices,
    language: asked.language,
    disabledSources: sources.some(({ id }) => asked.sites[id] !== undefined) ? [...off] : undefined,
  };
  const changed = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return Object.keys(changed).length > 0 ? changed : undefined;
}

/** @throws AppError `invalid_request` where no more channels can have a rule than have it already */
export function checkChannels({ offChannels = [], onlyChannels = [] }: Partial<ChatSettings>): void {
  const n = MAX_CHANNEL_RULES;
  if (offChannels.length > n || onlyChannels.length > n) throw usageError('manyChannels', { n });
}

/** The present rule of a channel. */
function ruleOf({ offChannels, onlyChannels }: ChatSettings, channelId: string): ChannelRule {
  if (offChannels.includes(channelId)) return 'off';
  return onlyChannels.includes(channelId) ? 'only' : 'on';
}

function ruled(
  { offChannels, onlyChannels }: ChatSettings,
  rule: ChannelRule | undefined,
  channelId: string,
): { readonly [K in 'offChannels' | 'onlyChannels']: readonly string[] | undefined } {
  if (rule === undefined) return { offChannels: undefined, onlyChannels: undefined };
  if (rule === 'everywhere') return { offChannels: [], onlyChannels: [] };
  const withIt = (channels: readonly string[], isIn: boolean) => [
    ...channels.filter(id => id !== channelId),
    ...(isIn ? [channelId] : []),
  ];
  return { offChannels: withIt(offChannels, rule === 'off'), onlyChannels: withIt(onlyChannels, rule === 'only') };
}
