import type { Translator } from '../../i18n/translate.ts';
import type { Text } from '../contract/reply.ts';

/** A value of an option of /settings. */
export type Value = string | number | boolean;

/** One setting as the person sees it. */
export interface SettingRow {
  /** `switch` for a setting that is on or off, `choice` for one with several values. */
  readonly kind: 'switch' | 'choice';
  readonly name: string;
  /** The current value, in words. */
  readonly value: string;
  /** The current value as formatted text, if plain words are not enough. */
  readonly text?: Text;
  readonly choices: readonly { readonly label: string; readonly isSet: boolean; readonly value: Value }[];
}

/** The row of a setting that is on or off. */
export function switchRow(name: string, isOn: boolean, t: Translator): SettingRow {
  const { on, off } = t.messages.settings;
  const choices = [true, false].map(value => ({ label: value ? on : off, isSet: value === isOn, value }));
  return { kind: 'switch', name, value: isOn ? on : off, choices };
}

/** The row of a setting with several values. */
export function choiceRow<V extends string | number>(
  name: string,
  values: readonly V[],
  set: V,
  labelOf: (value: V) => string,
): SettingRow {
  const choices = values.map(value => ({ label: labelOf(value), isSet: value === set, value }));
  return { kind: 'choice', name, value: labelOf(set), choices };
}
