import { AppError } from '../../errors.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import type { Action, Block, Choice, Field, Text } from '../contract/reply.ts';
import { button, headingBlock, joined, labelled, reply, textBlock } from '../contract/reply-parts.ts';
import { type Caller, callerKey, chatKey, type PermissionCheck, type PermissionCheckKey } from '../contract/request.ts';
import type { LinkedPlayer, Site, UserSettings } from '../contract/settings.ts';
import { chatSettingsOf, decidesForChat } from '../stores/settings-store.ts';
import { linkedName } from '../views/osu/facts.ts';
import type { SettingRow, Value } from './setting-row.ts';
import {
  automaticFor,
  type ChatSetting,
  ownLanguage,
  ownView,
  SECTIONS,
  type SectionKey,
  type Setting,
  settingsOfChat,
} from './settings-table.ts';

type Asked = Readonly<Record<string, Value | undefined>>;
type Values = Readonly<Record<string, Value>>;

/** Shows or changes settings: a person's own and, for admins, those of their group. */
export function createSettings({ sources }: { readonly sources: readonly Site[] }) {
  const ofChat = settingsOfChat(sources);
  // Options for sites come last, because a platform that limits the number of options leaves out the last ones; the
  // reply has buttons for all sites.
  const byNeed = ofChat.toSorted((a, b) => Number('site' in a.option) - Number('site' in b.option));
  return defineCommand({
    name: 'settings',
    options: {
      ...Object.fromEntries([ownLanguage, ownView, ...byNeed].map(({ key, option }) => [key, option])),
      section: { type: 'choice', choices: SECTIONS, only: 'button' },
    },
    visibility: 'caller',
    cost: 0,
    async run({ section: opened, ...others }, context: CommandContext) {
      const asked: Asked = others;
      const { caller, services } = context;
      const isGroup = caller.chatKind === 'group';
      const isAdmin = isGroup && (await decidesForChat(caller));
      const own = isGroup ? [ownLanguage] : [ownLanguage, ownView];
      const changed = ofChat.filter(({ key }) => asked[key] !== undefined && !own.some(each => each.key === key));
      if (!isAdmin && (changed.length > 0 || opened !== undefined)) {
        throw new AppError('forbidden', 'no admin of this chat', { params: { what: 'chat_settings' } });
      }
      if (changed.length > 0) {
        const change = changeOf(changed, asked, await chatSettingsOf(services, caller), caller);
        await services.settings.setChat(chatKey(caller), change);
      }
      const changedOwn = own.filter(({ key }) => asked[key] !== undefined);
      if (changedOwn.length > 0) {
        const user = await services.settings.user(callerKey(caller));
        await services.settings.setUser(callerKey(caller), changeOf(changedOwn, asked, user, caller));
      }
      const isSaved = changed.length > 0 || changedOwn.length > 0;
      const settings = { own, ofChat: isAdmin ? ofChat : [] };
      return show(
        { ...settings, section: SECTIONS.find(key => key === opened) ?? changed[0]?.section, isSaved },
        context,
      );
    },
  });
}

function changeOf<S>(settings: readonly Setting<S>[], asked: Asked, before: S, caller: Caller): Partial<S> {
  let change: Partial<S> = {};
  for (const setting of settings) {
    const value = asked[setting.key];
    if (value !== undefined) change = { ...change, ...setting.change(value, { ...before, ...change }, caller) };
  }
  return change;
}

interface Shown {
  /** Settings that each person chooses for themselves. */
  readonly own: readonly Setting<UserSettings>[];
  /** Settings that only the admins of a group may change. */
  readonly ofChat: readonly ChatSetting[];
  /** The section that is open, or the section of the changed setting. */
  readonly section: SectionKey | undefined;
  readonly isSaved: boolean;
}

async function show({ own, ofChat, section, isSaved }: Shown, { caller, services, t: before }: CommandContext) {
  const user = await services.settings.user(callerKey(caller));
  const chat = await chatSettingsOf(services, caller);
  // After a change of language, the reply is in the new language.
  const t = isSaved ? createTranslator(user.language === null ? automaticFor(caller, chat) : [user.language]) : before;
  const words = t.messages.settings;
  const token = (values: Values) => services.actions.encode({ command: 'settings', values, owner: callerKey(caller) });
  const row = <S>(setting: Setting<S>, settings: S, place: Values = {}): PressableRow => {
    const { choices, ...shown } = setting.row(settings, { caller, chat, t });
    const tokenOf = (value: Value) => token({ ...place, [setting.key]: value });
    return { ...shown, choices: choices.map(({ value, ...each }) => ({ ...each, token: tokenOf(value) })) };
  };
  const rowsOf = (key: SectionKey) =>
    ofChat
      .filter(each => each.section === key && (each.isOffered?.(caller) ?? true))
      .map(each => row(each, chat, { section: key }));
  const shared = { tone: isSaved ? 'success' : 'neutral', visibility: 'caller' } as const;
  const saved = isSaved ? [textBlock([words.saved])] : [];
  const isAdmin = ofChat.length > 0;
  if (section !== undefined && isAdmin) {
    const rows = rowsOf(section);
    const blocks = [
      headingBlock(labelled([words.chatTitle], [words.sections[section]], t)),
      textBlock([words.explained[section]]),
      fieldsOf(rows),
      ...saved,
    ];
    const menus = rows
      .filter(({ kind, choices }) => kind === 'choice' && choices.length > 0)
      .map(each => menuOf(each, t));
    const switches = rows.filter(({ kind }) => kind === 'switch').flatMap(each => switchOf(each, t));
    return reply({ ...shared, blocks, actions: [...menus, ...switches, button(words.back, token({}))] });
  }
  const rows = own.map(each => row(each, user));
  const isWithheld = caller.chatKind === 'group' && !isAdmin;
  return reply({
    ...shared,
    blocks: [
      headingBlock([words.title]),
      fieldsOf(rows, { label: words.player, value: playerText(user.player, t) }),
      ...saved,
      ...(isWithheld ? [textBlock([words.forAdmins])] : []),
      ...(isAdmin ? [...chatBlocks(rowsOf, t), ...diagnosisBlocks((await caller.diagnose?.()) ?? [], t)] : []),
    ],
    actions: [
      ...rows.map(each => menuOf(each, t)),
      ...(isAdmin ? SECTIONS : []).map(key => button(words.sections[key], token({ section: key }))),
    ],
  });
}

/** A setting whose choices people can press. */
interface PressableRow extends Omit<SettingRow, 'choices'> {
  readonly choices: readonly Choice[];
}

function fieldsOf(rows: readonly PressableRow[], ...more: readonly Field[]): Block {
  return {
    kind: 'fields',
    fields: [...rows.map(({ name, value, text = [value] }) => ({ label: name, value: text })), ...more],
  };
}

/** Sums up each section in a line: what is on and what is chosen. */
function chatBlocks(rowsOf: (key: SectionKey) => readonly PressableRow[], t: Translator): readonly Block[] {
  const words = t.messages.settings;
  const fields = SECTIONS.map(key => {
    const values = rowsOf(key).map(({ name, value, text = [value] }) => labelled([name], text, t));
    return { label: words.sections[key], value: joined(values) };
  });
  return [{ kind: 'divider' }, headingBlock([words.chatTitle]), { kind: 'fields', fields }];
}

/** Each choice repeats the setting's name, as some platforms show only the choice, or choices as plain buttons. */
function menuOf({ name, choices }: PressableRow, t: Translator): Action {
  const { state } = t.messages.settings;
  const named = choices.map(each => ({ ...each, label: state({ name, state: each.label }) }));
  return { kind: 'menu', label: name, choices: named };
}

/** A button that sets a switch to its other choice. */
function switchOf({ name, value, choices }: PressableRow, t: Translator): readonly Action[] {
  const other = choices.find(({ isSet }) => isSet !== true);
  if (other === undefined) return [];
  const isOn = choices[0]?.isSet === true;
  const label = t.messages.settings.state({ name, state: value });
  return [button(label, other.token, isOn ? 'primary' : 'secondary')];
}

function diagnosisBlocks(diagnosis: readonly PermissionCheck[], t: Translator): readonly Block[] {
  if (diagnosis.length === 0) return [];
  const words = t.messages.settings;
  const texts: Readonly<Record<PermissionCheckKey, { readonly name: string; readonly advice: string }>> =
    t.messages.diagnosis;
  const fields = diagnosis.map(({ key, ok }) => ({
    label: `${ok ? '✓' : '✗'} ${texts[key].name}`,
    value: sentence(ok ? words.may : texts[key].advice),
  }));
  return [headingBlock([words.mayTitle]), { kind: 'fields', fields }];
}

/** The name of the linked player, and how to change the link. */
function playerText(player: LinkedPlayer | null, t: Translator): Text {
  const words = t.messages.settings;
  if (player === null) return sentence(words.noPlayer);
  const { mode } = player;
  return joined([linkedName(player), mode === null ? undefined : t.messages.osu.modes[mode], words.unlink]);
}
