import type { Translator } from '../../i18n/translate.ts';
import { usageError } from '../contract/command.ts';
import { switchOf } from '../contract/command-spec.ts';
import type { Inline } from '../contract/reply.ts';
import { listed } from '../contract/reply-parts.ts';
import type { Caller } from '../contract/request.ts';
import { type ChatSettings, MAX_CHANNEL_RULES, MAX_OFF_ROLES, OFF_WORD } from '../contract/settings.ts';
import { choiceRow, type SettingRow, type Value } from './setting-row.ts';

/**
 * The rules that admins can set for one channel: answer links there, ignore links there, or answer links nowhere else.
 * `everywhere` removes the rules of all channels.
 */
export const CHANNEL_RULES = ['on', 'off', 'only', 'everywhere'] as const;

/** The change of a group's settings that sets a rule for the channel in which the caller writes. */
export function ruleChange(rule: Value, chat: ChatSettings, caller: Caller): Partial<ChatSettings> {
  if (rule === 'everywhere') return { offChannels: [], onlyChannels: [] };
  const id = channelOf(caller);
  const changed = (channels: readonly string[], isIn: boolean) => [
    ...channels.filter(each => each !== id),
    ...(isIn ? [id] : []),
  ];
  const offChannels = changed(chat.offChannels, rule === 'off');
  const onlyChannels = changed(chat.onlyChannels, rule === 'only');
  const n = MAX_CHANNEL_RULES;
  if (offChannels.length > n || onlyChannels.length > n) throw usageError('manyChannels', { n });
  return { offChannels, onlyChannels };
}

/** The channel to which rules apply: for a thread that is its parent channel. */
function channelOf({ parentChatId, chatId }: Caller): string {
  return parentChatId ?? chatId;
}

/** The row of the rule for the channel in which the caller writes. */
export function channelRow(
  { offChannels, onlyChannels }: ChatSettings,
  { caller, t }: { readonly caller: Caller; readonly t: Translator },
): SettingRow {
  const words = t.messages.settings;
  const id = channelOf(caller);
  const n = offChannels.length + onlyChannels.length;
  const rules = CHANNEL_RULES.filter(rule => rule !== 'everywhere' || n > 0);
  const set = offChannels.includes(id) ? 'off' : onlyChannels.includes(id) ? 'only' : 'on';
  const row = choiceRow(words.rows.channel, rules, set, rule => words.channelRules[rule]);
  return n === 0 ? row : { ...row, value: `${row.value} (${words.ruledChannels({ n })})` };
}

/**
 * A row of the settings for a list that admins type, such as roles. There are no buttons that change the list; admins
 * change it by the row's option of the command /settings.
 */
export function filterRow(
  name: string,
  named: readonly string[],
  t: Translator,
  shown: (each: string) => Inline = each => each,
) {
  const { none } = t.messages.settings;
  const text = named.length === 0 ? { value: none } : { value: named.join(t.comma), text: listed(named.map(shown), t) };
  return { kind: 'choice', name, ...text, choices: [] } as const;
}

/** Adds a role to the roles whose links are ignored, or removes the role if it is one of them. */
export function roleChange(value: Value, { offRoles }: ChatSettings): Partial<ChatSettings> {
  const id = /^(?:<@&)?(\d{5,20})>?$/.exec(String(value))?.[1];
  if (id === undefined) throw usageError('notText', { option: 'ignored-role' });
  if (offRoles.includes(id)) return { offRoles: offRoles.filter(each => each !== id) };
  if (offRoles.length >= MAX_OFF_ROLES) throw usageError('manyRoles', { n: MAX_OFF_ROLES });
  return { offRoles: [...offRoles, id] };
}

/** Reads words separated by commas; a single word that means "off" makes an empty list. */
export function wordsOf(text: string): readonly string[] {
  if (switchOf(text) === false || text === '-') return [];
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[,\n]/)
    .map(word => word.trim().replace(/\s+/g, ' '));
  const unique = [...new Set(words)].filter(word => word !== '');
  const { most, maxLength } = OFF_WORD;
  if (unique.length > most || unique.some(({ length }) => length > maxLength))
    throw usageError('manyWords', { n: most, length: maxLength });
  return unique;
}
