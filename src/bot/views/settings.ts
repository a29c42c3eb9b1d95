import { LANGUAGES, type Translator } from '../../i18n/translate.ts';
import { type Reply, reply } from '../reply.ts';

export interface SettingsView {
  /** Tag of the language that was set, null for automatic. */
  readonly set: string | null;
  /** Name of the language that automatic means for this person. */
  readonly automatic: string;
  readonly choices: readonly { readonly label: string; readonly isSet: boolean; readonly token: string }[];
  /** Whether this answers a change. */
  readonly saved: boolean;
}

export function renderSettings({ set, automatic, choices, saved }: SettingsView, t: Translator): Reply {
  const words = t.messages.settings;
  const name = LANGUAGES.find(({ tag }) => tag === set)?.name ?? words.automaticNow(automatic);
  return reply({
    tone: saved ? 'success' : 'neutral',
    blocks: [
      { kind: 'heading', text: [words.title] },
      { kind: 'fields', fields: [{ label: words.language, value: [name] }] },
      { kind: 'text', text: [saved ? words.saved : words.choose] },
    ],
    actions: choices.map(({ label, isSet, token }) => ({
      kind: 'button',
      label,
      token,
      style: isSet ? 'primary' : 'secondary',
    })),
    visibility: 'caller',
  });
}
