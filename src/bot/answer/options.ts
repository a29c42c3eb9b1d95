import type { IntegerOption, Options, StringOption, Values } from '../contract/command.ts';
import { type CommandSpec, matchChoice, type OptionSpec } from '../contract/command-spec.ts';
import { looksLikeLink, unknownOption } from '../contract/positions.ts';
import { switchOf } from '../contract/switch-words.ts';
import { usageError } from '../contract/usage-error.ts';

type Value = Values<Options>[string];

/** These are too short to be told apart from other words, except where a value is due. */
const SHORT_SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['y', true],
  ['1', true],
  ['n', false],
  ['0', false],
]);

/**
 * Raw values of any face, typed or typed in, as what `run` may rely on. Empty values count as absent.
 * @throws AppError `invalid_request` with a hint that says what the option wants.
 */
export function validateOptions(spec: CommandSpec, raw: Readonly<Record<string, unknown>>): Values<Options> {
  for (const key of Object.keys(raw)) {
    if (!spec.options.some(option => keysOf(option).includes(key))) throw unknownOption(spec, key);
  }
  const values: Record<string, Value> = {};
  for (const option of spec.options) {
    const key = keysOf(option).find(each => Object.hasOwn(raw, each));
    const value = key === undefined ? undefined : raw[key];
    const given = typeof value === 'string' ? value.trim() : value;
    if (given !== undefined && given !== null && given !== '') values[option.key] = check(option, given);
    else if (option.option.required) {
      throw usageError('missingOption', { command: spec.name, option: option.name, usage: spec.usage });
    }
  }
  return values;
}

/** Buttons of before may say an option by a name that it had. */
function keysOf({ key, option }: OptionSpec): readonly string[] {
  return [key, ...(option.also ?? [])];
}

function check(spec: OptionSpec, given: unknown): Value {
  const text = typeof given === 'string' || typeof given === 'number' ? `${given}` : '';
  const { option, name } = spec;
  switch (option.type) {
    case 'integer':
      return checkInteger(option, name, text);
    case 'boolean':
      return typeof given === 'boolean' ? given : checkBoolean(name, text);
    case 'choice':
      return checkChoice(spec, text);
    case 'string':
      return checkString(option, name, text);
  }
}

function checkInteger({ min, max }: IntegerOption, option: string, text: string): number {
  const number = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError('notInteger', { option, min, max });
}

function checkBoolean(option: string, text: string): boolean {
  const isOn = switchOf(text) ?? SHORT_SWITCHES.get(text.toLowerCase());
  if (isOn !== undefined) return isOn;
  throw usageError('notBoolean', { option });
}

function checkChoice(spec: OptionSpec, text: string): string {
  const { name, choices, option } = spec;
  const chosen = matchChoice(spec, text);
  if (chosen !== undefined) return chosen;
  const isNamed = option.type === 'choice' && option.names !== undefined;
  const allowed = choices.map(({ value, label }) => (isNamed ? quoted(label) : value));
  throw usageError('notChoice', { option: name, allowed: allowed.join(', ') });
}

/** A label in the form that has to be typed: several words are one value in quotes. */
function quoted(label: string): string {
  return label.includes(' ') ? `"${label}"` : label;
}

function checkString({ form, maxLength }: StringOption, option: string, text: string): string {
  const isLink = form === 'link';
  const whole = isLink ? text.replace(/^<([^<>]*)>$/, '$1') : text;
  if (whole.length > maxLength) throw usageError('tooLong', { option, max: maxLength });
  if (isLink && !looksLikeLink(whole)) throw usageError('notLink');
  if (whole === '') throw usageError('notText', { option });
  return whole;
}
