import type { Translator } from '../../i18n/translate.ts';
import type { PermissionCheck, PermissionCheckKey } from '../contract/caller.ts';
import {
  type Action,
  type Block,
  button,
  type Choice,
  headingBlock,
  joined,
  type Reply,
  reply,
  type Text,
  textBlock,
} from '../contract/reply.ts';
import type { LinkedPlayer } from '../contract/settings.ts';
import { linkedName } from '../views/osu/player.ts';
import { sentence } from '../views/sentence.ts';
import type { SectionKey } from './settings-sections.ts';

/** Something to choose. */
export interface ChoiceView {
  readonly name: string;
  /** The present choice, in words. */
  readonly value: string;
  readonly choices: readonly Choice[];
}

export interface RowView extends ChoiceView {
  /** A switch has the choices on and off. */
  readonly kind: 'switch' | 'choice';
}

export interface SectionView {
  readonly key: SectionKey;
  /** The token of the button that opens it. */
  readonly token: string;
  /** The token of the button that leads back to all sections. */
  readonly back: string;
  readonly rows: readonly RowView[];
}

export interface SettingsView {
  /** The settings that everybody chooses for themselves. */
  readonly own: readonly ChoiceView[];
  /** The linked osu! player; null for none. */
  readonly player: LinkedPlayer | null;
  /** For the admins of a group. */
  readonly chat:
    | { readonly sections: readonly SectionView[]; readonly diagnosis: readonly PermissionCheck[] }
    | undefined;
  /** There is more, which only admins see. */
  readonly isWithheld: boolean;
  /** This answers a change. */
  readonly isSaved: boolean;
}

/** A person's settings, and the ways to the sections of the group's. */
export function renderSettings({ own, player, chat, isWithheld, isSaved }: SettingsView, t: Translator): Reply {
  const words = t.messages.settings;
  const fields = own.map(({ name, value }) => ({ label: name, value: [value] }));
  const blocks: Block[] = [
    headingBlock([words.title]),
    { kind: 'fields', fields: [...fields, { label: words.player, value: playerText(player, t) }] },
  ];
  if (isSaved) blocks.push(textBlock([words.saved]));
  if (isWithheld) blocks.push(textBlock([words.forAdmins]));
  if (chat !== undefined) {
    blocks.push({ kind: 'divider' }, headingBlock([words.chatTitle]));
    const summaries = chat.sections.map(({ key, rows }) => ({ label: words.sections[key], value: summaryOf(rows) }));
    blocks.push({ kind: 'fields', fields: summaries }, ...diagnosisBlocks(chat.diagnosis, t));
  }
  const sections = (chat?.sections ?? []).map(({ key, token }): Action => button(words.sections[key], token));
  return reply({
    tone: isSaved ? 'success' : 'neutral',
    blocks,
    actions: [...own.map(row => menuOf(row, t)), ...sections],
    visibility: 'caller',
  });
}

/** One section of a group's settings: what is set, and what turns it. */
export function renderSection({ key, rows, back }: SectionView, isSaved: boolean, t: Translator): Reply {
  const words = t.messages.settings;
  const switches = rows.flatMap((row): readonly Action[] => (row.kind === 'switch' ? switchOf(row, t) : []));
  return reply({
    tone: isSaved ? 'success' : 'neutral',
    blocks: [
      headingBlock([`${words.chatTitle}: ${words.sections[key]}`]),
      textBlock([words.explained[key]]),
      { kind: 'fields', fields: rows.map(({ name, value }) => ({ label: name, value: [value] })) },
      ...(isSaved ? [textBlock([words.saved])] : []),
    ],
    actions: [
      ...rows.filter(({ kind }) => kind === 'choice').map(row => menuOf(row, t)),
      ...switches,
      button(words.back, back),
    ],
    visibility: 'caller',
  });
}

/** A section in short: what is on, and what is chosen. Opening it shows the others. */
function summaryOf(rows: readonly RowView[]): Text {
  return [rows.map(({ name, value }) => `${name}: ${value}`).join(' · ')];
}

/** Choices name what they are of: where a platform shows the chosen one alone, or all of them as buttons, nothing else does. */
function menuOf({ name, choices }: ChoiceView, t: Translator): Action {
  const { state } = t.messages.settings;
  return {
    kind: 'menu',
    label: name,
    choices: choices.map(each => ({ ...each, label: state({ name, state: each.label }) })),
  };
}

/** Turns to the choice that is not set. */
function switchOf({ name, value, choices }: RowView, t: Translator): readonly Action[] {
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
  return [
    headingBlock([words.mayTitle]),
    {
      kind: 'fields',
      fields: diagnosis.map(({ key, ok }) => ({
        label: `${ok ? '✓' : '✗'} ${texts[key].name}`,
        value: sentence(ok ? words.may : texts[key].advice),
      })),
    },
  ];
}

/** The linked player, and how that changes. */
function playerText(player: LinkedPlayer | null, t: Translator): Text {
  const words = t.messages.settings;
  if (player === null) return sentence(words.noPlayer);
  const { mode } = player;
  return joined([linkedName(player), mode === null ? undefined : t.messages.osu.modes[mode], words.unlink]);
}
