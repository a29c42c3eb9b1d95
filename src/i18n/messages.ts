import {
  isArgumentElement,
  isLiteralElement,
  isPluralElement,
  isSelectElement,
  type MessageFormatElement,
  parse,
} from '@formatjs/icu-messageformat-parser';
import { IntlMessageFormat } from 'intl-messageformat';
import { files } from './en/index.ts';
import type { TextTree } from './load-texts.ts';
import type { Parameters } from './parameters.ts';

type FilledText<Key> = Key extends keyof Parameters ? (values: Parameters[Key]) => string : string;

type Filled<Texts, Path extends string = ''> = {
  readonly [Key in keyof Texts & string]: Texts[Key] extends string
    ? FilledText<`${Path}${Key}`>
    : Filled<Texts[Key], `${Path}${Key}.`>;
};

/** The type that has the fields of all members of a union type: `A & B` for `A | B`. */
type Joined<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/**
 * The texts of one language, by the keys of the English files: strings, or functions for texts with parameters. Values
 * are inserted as plain text.
 */
export type Messages = Filled<Joined<(typeof files)[keyof typeof files]>>;

export type HintKey = keyof Messages['hints'];
/** Lets callers pass values only to hints with parameters. */
export type HintValues<Key extends HintKey> = Messages['hints'][Key] extends (
  values: infer V extends TextValues,
) => string
  ? readonly [values: V]
  : readonly [];

interface FilledTree {
  readonly [key: string]: Filling | string | FilledTree;
}
/** The type of a text's function. As a method's type it allows a function whose parameter has a narrower type. */
type Filling = { fill(values: TextValues): string }['fill'];

/** The group of texts that the web chat's page fills in itself. */
const FOR_PAGE = 'web';

/**
 * The texts of a language, with English ones for missing keys. A file is read when one of its texts is first used: the
 * command menus need two files of every language, and most others are never needed.
 */
export function createMessages(read: (file: string) => TextTree, locale: string): Messages;
// The types in `Messages` come from a generated file. The compiler cannot check against them what is read from JSON, so
// the implementation has a wider type; a test compares the generated file with the texts.
export function createMessages(read: (file: string) => TextTree, locale: string): FilledTree {
  const messages: FilledTree = {};
  for (const [file, english] of Object.entries(files)) {
    const keys = Object.keys(english);
    /** Reads the file and puts its texts in the place of the getters. */
    const load = () => {
      const texts = filled(english, read(file), locale);
      for (const key of keys) Object.defineProperty(messages, key, { value: texts[key] });
      return texts;
    };
    for (const key of keys) {
      Object.defineProperty(messages, key, { configurable: true, enumerable: true, get: () => load()[key] });
    }
  }
  return messages;
}

function filled(contract: TextTree, own: TextTree, locale: string): FilledTree {
  const entries = Object.entries(contract).map(([key, text]) => {
    const translated = own[key];
    if (typeof text !== 'string') {
      const group = typeof translated === 'object' ? translated : {};
      return [key, key === FOR_PAGE ? { ...text, ...group } : filled(text, group, locale)];
    }
    const [source, language] = typeof translated === 'string' ? [translated, locale] : [text, 'en'];
    return [key, text.includes('{') ? createText(source, language) : source];
  });
  return Object.fromEntries(entries);
}

/** The text of a key that is known only at run time, such as `errors.timeout`; undefined when there is none. */
export function findText(messages: Messages, key: string, values: TextValues): string | undefined {
  let found: FilledTree[string] | undefined = messages;
  for (const step of key.split('.')) {
    if (typeof found !== 'object' || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return typeof found === 'function' ? found(values) : typeof found === 'string' ? found : undefined;
}

/** The values for a text, by the names of its parameters. */
export type TextValues = Readonly<Record<string, string | number>>;

/**
 * How a parameter is used: `plain` is inserted, `plural` is a number that selects a plural form, `choice` selects a
 * sentence.
 */
export type ParameterKind = 'plain' | 'plural' | 'choice';

/** The case of a choice that is used when no value is given. A text without this case uses `other`. */
const NOT_GIVEN = 'unknown';

/** `<` is an ordinary character in these texts, not the beginning of a tag. */
const SYNTAX = { ignoreTag: true };

/**
 * A text in ICU MessageFormat. It is parsed when it is first used, because most texts of most languages never are. A
 * missing parameter is left empty.
 */
export function createText(source: string, locale: string): (values: TextValues) => string {
  let fill: ((values: TextValues) => string) | undefined;
  return values => {
    fill ??= prepare(source, locale);
    return fill(values);
  };
}

function prepare(source: string, locale: string): (values: TextValues) => string {
  const elements = parse(source, SYNTAX);
  const plain = elements.filter(each => isLiteralElement(each) || isArgumentElement(each));
  // Most texts have no plural or choice, so they need no formatter of Intl.
  if (plain.length === elements.length)
    return values => plain.map(each => (isLiteralElement(each) ? each.value : (values[each.value] ?? ''))).join('');
  const kinds = [...parametersOf(elements)].map(([name, kind]) => [name, kind === 'choice' ? NOT_GIVEN : '']);
  const notGiven: TextValues = Object.fromEntries(kinds);
  const format = new IntlMessageFormat(elements, locale);
  return values => String(format.format({ ...notGiven, ...values }));
}

/** The parameters of a text, each with its most specific use: a number may be inserted and also select the plural. */
export function readParameters(source: string): ReadonlyMap<string, ParameterKind> {
  return parametersOf(parse(source, SYNTAX));
}

function parametersOf(elements: readonly MessageFormatElement[]): Map<string, ParameterKind> {
  const found = new Map<string, ParameterKind>();
  const add = (name: string, kind: ParameterKind) => {
    if (kind !== 'plain' || !found.has(name)) found.set(name, kind);
  };
  for (const element of elements) {
    if (isArgumentElement(element)) add(element.value, 'plain');
    if (!isPluralElement(element) && !isSelectElement(element)) continue;
    add(element.value, isPluralElement(element) ? 'plural' : 'choice');
    for (const { value } of Object.values(element.options)) {
      for (const [name, kind] of parametersOf(value)) add(name, kind);
    }
  }
  return found;
}
