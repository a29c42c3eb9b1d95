import { LANGUAGES } from '../../i18n/languages.ts';
import { createTranslator, loadTranslator, type Translator } from '../../i18n/translate.ts';
import { type Command, type Option, type Options, type StringOption, usageError, type Values } from './command.ts';
import type { Inline, Text } from './reply.ts';
import type { Caller } from './request.ts';

/** An option in the reader's language. */
export interface OptionSpec {
  /** The name under which `run` gets the value. People may type it too, whatever their language. */
  readonly key: string;
  /** The name in the reader's language. */
  readonly name: string;
  readonly description: string;
  readonly option: Option;
  /** The choices in order; empty for an option of another type. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** A command in the reader's language: for menus, help and the registration of native commands. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  /** How the command is written: `/download link [item] [audio]`. */
  readonly usage: string;
  readonly visibility: Command['visibility'];
  readonly accepts: Command['accepts'];
  readonly options: readonly OptionSpec[];
}

type Place = Caller['chatKind'] | 'button' | undefined;

/** Descriptions of commands, each made once per language, because texts do not change while the program runs. */
const described = new WeakMap<Command, WeakMap<Translator, Map<Place, CommandSpec>>>();

/**
 * Describes a command in the reader's language: for all chats, for one kind of chat, or for a pressed button, which has
 * options that people never see. A command without texts, which no menu lists, is described by its own keys.
 */
export function commandSpec(command: Command, t: Translator, place?: Place): CommandSpec {
  const inLanguages = described.get(command) ?? new WeakMap<Translator, Map<Place, CommandSpec>>();
  described.set(command, inLanguages);
  const inPlaces = inLanguages.get(t) ?? new Map<Place, CommandSpec>();
  inLanguages.set(t, inPlaces);
  const spec = inPlaces.get(place) ?? describe(command, t, place);
  inPlaces.set(place, spec);
  return spec;
}

function describe(command: Command, t: Translator, place: Place): CommandSpec {
  const textOf = (key: string) => t.find(`commands.${command.name}.${key}`) ?? t.find(`shared.${key}`);
  const declared = Object.entries(command.options).filter(([, option]) => isOffered(option, place));
  const options = declared.map(([key, option]): OptionSpec => {
    const site = option.type === 'boolean' ? option.site : undefined;
    return {
      key,
      name: site?.id ?? textOf(`options.${key}.name`) ?? key,
      description:
        site === undefined
          ? (textOf(`options.${key}.description`) ?? key)
          : t.messages.shared.siteSwitch({ site: t.site(site) }),
      option,
      choices:
        option.type === 'choice'
          ? option.choices.map(value => ({
              value,
              label: textOf(`choices.${key}.${value}`) ?? option.names?.[value] ?? value,
            }))
          : [],
    };
  });
  return {
    name: command.name,
    description: t.find(`commands.${command.name}.description`) ?? command.name,
    usage: [`/${command.name}`, ...options.map(({ name, option }) => (option.required ? name : `[${name}]`))].join(' '),
    visibility: command.visibility,
    accepts: command.accepts,
    options,
  };
}

function isOffered({ only }: Option, place: Place): boolean {
  if (only === undefined || place === 'button') return true;
  return only === 'typed' ? place !== undefined : only === 'group' && place !== 'private';
}

/** The choice that a word means, by its value, its label or an alias; undefined if it means none. */
export function matchChoice({ option, choices }: OptionSpec, text: string): string | undefined {
  const word = text.toLowerCase();
  const chosen = choices.find(({ value, label }) => value.toLowerCase() === word || label.toLowerCase() === word);
  const other = option.type === 'choice' ? option.alias?.(word) : undefined;
  return chosen?.value ?? choices.find(({ value }) => value === other)?.value;
}

/** True when a word may be an address; whether it is a link is checked later. */
export function looksLikeLink(word: string): boolean {
  return /^\S+$/.test(word) && (word.includes('.') || word.includes('://'));
}

/** The error for an option's name, or for a word, that the command does not know. */
export function unknownOption(spec: CommandSpec, name: string) {
  const allowed = spec.options.map(option => option.name).join(', ');
  return allowed === ''
    ? usageError('noOptions', { command: spec.name })
    : usageError('unknownOption', { command: spec.name, name, allowed });
}

type Value = Values<Options>[string];

const STATES = ['on', 'off'] as const;
let switches: ReadonlyMap<string, boolean> | undefined;

/** Reads a word for on or off in any language; undefined for other words. */
export function switchOf(word: string): boolean | undefined {
  switches ??= new Map(
    LANGUAGES.flatMap(({ tag }) => {
      const { switchWords } = loadTranslator(tag).messages;
      return STATES.flatMap(state => switchWords[state].split(', ').map(each => [each, state === 'on'] as const));
    }),
  );
  // In Turkish the small letter of I is a dotless one.
  return switches.get(word.toLowerCase()) ?? switches.get(word.toLocaleLowerCase('tr'));
}

/** Words for on and off that are so short that they count only where a value is expected. */
const SHORT_SWITCHES: ReadonlyMap<string, boolean> = new Map(Object.entries({ y: true, 1: true, n: false, 0: false }));

/**
 * Checks option values from any source, and returns what `run` may rely on. Empty values count as absent.
 * @throws AppError `invalid_request` with a hint that says what the option expects.
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
    else if (option.option.unless?.some(other => Object.hasOwn(raw, other))) values[option.key] = '';
    else if (option.option.required) {
      throw usageError('missingOption', { command: spec.name, option: option.name, usage: spec.usage });
    }
  }
  return values;
}

/** An option's key and its further names, since buttons of earlier versions may have a former key. */
function keysOf({ key, option }: OptionSpec): readonly string[] {
  return [key, ...(option.also ?? [])];
}

function check(spec: OptionSpec, given: unknown): Value {
  const text = typeof given === 'string' || typeof given === 'number' ? `${given}` : '';
  const { option, name } = spec;
  switch (option.type) {
    case 'integer': {
      const { min, max } = option;
      const number = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (number >= min && number <= max) return number;
      throw usageError('notInteger', { option: name, min, max });
    }
    case 'boolean': {
      const isOn = typeof given === 'boolean' ? given : (switchOf(text) ?? SHORT_SWITCHES.get(text.toLowerCase()));
      if (isOn !== undefined) return isOn;
      throw usageError('notBoolean', { option: name });
    }
    case 'choice':
      return checkChoice(spec, text);
    case 'string':
      return checkString(option, name, text);
  }
}

function checkChoice(spec: OptionSpec, text: string): string {
  const { name, choices, option } = spec;
  const chosen = matchChoice(spec, text);
  if (chosen !== undefined) return chosen;
  const isNamed = option.type === 'choice' && option.names !== undefined;
  // A label of several words has to be typed in quotes.
  const typed = (label: string) => (label.includes(' ') ? `"${label}"` : label);
  const allowed = choices.map(({ value, label }) => (isNamed ? typed(label) : value));
  throw usageError('notChoice', { option: name, allowed: allowed.join(', ') });
}

function checkString({ form, maxLength }: StringOption, option: string, text: string): string {
  const isLink = form === 'link';
  const whole = isLink ? text.replace(/^<([^<>]*)>$/, '$1') : text;
  if (whole.length > maxLength) throw usageError('tooLong', { option, max: maxLength });
  if (isLink && !looksLikeLink(whole)) throw usageError('notLink');
  if (whole === '') throw usageError('notText', { option });
  return whole;
}

/** The names of all commands. They are read from English, but are the same in every language. */
const { commands } = createTranslator(['en']).messages;
const COMMAND = /(?<![\w/:.])\/([a-z]+)(?: ([a-z]+))?/g;

/** A sentence as text in which commands' names can be clicked: `/osu link` is such a name, `/osu-files` is not. */
export function sentence(text: string): Text {
  const parts: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(COMMAND)) {
    const [, first = '', second = ''] = match;
    const name = [`${first} ${second}`, first].find(each => Object.hasOwn(commands, each));
    if (name === undefined) continue;
    const end = match.index + 1 + name.length;
    if (/[\w-]/.test(text.charAt(end))) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ kind: 'command', name });
    from = end;
  }
  return from < text.length || parts.length === 0 ? [...parts, text.slice(from)] : parts;
}
