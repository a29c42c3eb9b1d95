import { LANGUAGES, type Translator } from '../../i18n/translate.ts';
import { type Action, type Block, type Reply, reply, type Text } from '../reply.ts';
import type { PermissionCheck, PermissionCheckKey } from '../settings/permission-check.ts';
import type { LinkedPlayer } from '../settings/settings.ts';
import { joined } from './beatmap.ts';
import { linkedName } from './linking.ts';
import { sentence } from './sentence.ts';

export interface LanguageView {
  /** Tag of the language that was set, null for automatic. */
  readonly set: string | null;
  /** Name of the language that automatic means for this person; null when it is not the same for all who read. */
  readonly automatic: string | null;
  readonly choices: readonly { readonly label: string; readonly isSet: boolean; readonly token: string }[];
}

export interface SwitchView {
  /** Of the option that turns it. */
  readonly key: string;
  readonly name: string;
  readonly isOn: boolean;
  /** Of the button that turns it. */
  readonly token: string;
}

export interface ChatView {
  readonly switches: readonly SwitchView[];
  /** Of short forms; null for none. */
  readonly prefix: string | null;
  readonly language: LanguageView;
  readonly diagnosis: readonly PermissionCheck[];
}

export interface SettingsView {
  readonly language: LanguageView;
  /** The linked osu! player; null for none. */
  readonly player: LinkedPlayer | null;
  /** For the admins of a group; `withheld` from its other members, undefined where there is no group. */
  readonly chat: ChatView | 'withheld' | undefined;
  /** Whether this answers a change. */
  readonly saved: boolean;
}

export function renderSettings({ language, player, chat, saved }: SettingsView, t: Translator): Reply {
  const words = t.messages.settings;
  const blocks: Block[] = [
    { kind: 'heading', text: [words.title] },
    {
      kind: 'fields',
      fields: [
        { label: words.language, value: [languageName(language, t)] },
        { label: words.player, value: playerText(player, t) },
      ],
    },
    { kind: 'text', text: [saved ? words.saved : words.choose] },
  ];
  if (chat === 'withheld') blocks.push({ kind: 'text', text: [words.forAdmins] });
  else if (chat !== undefined) blocks.push({ kind: 'divider' }, ...chatBlocks(chat, t));
  return reply({
    tone: saved ? 'success' : 'neutral',
    blocks,
    actions: [
      ...language.choices.map(choice => languageButton(choice.label, choice)),
      ...(chat === undefined || chat === 'withheld' ? [] : chatButtons(chat, t)),
    ],
    visibility: 'caller',
  });
}

function chatBlocks({ switches, prefix, language, diagnosis }: ChatView, t: Translator): readonly Block[] {
  const words = t.messages.settings;
  const fields = switches.map(({ name, isOn }) => ({
    label: name,
    value: [isOn ? words.on : words.off],
  }));
  return [
    { kind: 'heading', text: [words.chatTitle] },
    {
      kind: 'fields',
      fields: [
        ...fields,
        { label: words.shortForms, value: [prefix === null ? words.noShortForms : words.shortFormsBy(prefix)] },
        { label: words.chatLanguage, value: [languageName(language, t)] },
      ],
    },
    ...diagnosisBlocks(diagnosis, t),
  ];
}

function diagnosisBlocks(diagnosis: readonly PermissionCheck[], t: Translator): readonly Block[] {
  if (diagnosis.length === 0) return [];
  const words = t.messages.settings;
  const texts: Readonly<Record<PermissionCheckKey, { readonly name: string; readonly mend: string }>> =
    t.messages.diagnosis;
  return [
    { kind: 'heading', text: [words.mayTitle] },
    {
      kind: 'fields',
      fields: diagnosis.map(({ key, ok }) => ({
        label: `${ok ? '✓' : '✗'} ${texts[key].name}`,
        value: sentence(ok ? words.may : texts[key].mend),
      })),
    },
  ];
}

function chatButtons({ switches, language }: ChatView, t: Translator): readonly Action[] {
  const words = t.messages.settings;
  return [
    ...switches.map(
      ({ name, isOn, token }): Action => ({
        kind: 'button',
        label: words.state(name, isOn ? words.on : words.off),
        token,
        style: isOn ? 'primary' : 'secondary',
      }),
    ),
    ...language.choices.map(choice => languageButton(words.state(words.chatLanguage, choice.label), choice)),
  ];
}

function languageButton(label: string, { isSet, token }: LanguageView['choices'][number]): Action {
  return { kind: 'button', label, token, style: isSet ? 'primary' : 'secondary' };
}

/** The linked player, and how that changes. */
function playerText(player: LinkedPlayer | null, t: Translator): Text {
  const words = t.messages.settings;
  if (player === null) return sentence(words.noPlayer);
  const { mode } = player;
  return joined([linkedName(player), mode === null ? undefined : t.messages.osu.modes[mode], words.unlink]);
}

function languageName({ set, automatic }: LanguageView, t: Translator): string {
  const words = t.messages.settings;
  const name = LANGUAGES.find(({ tag }) => tag === set)?.name;
  return name ?? (automatic === null ? words.automatic : words.automaticNow(automatic));
}
