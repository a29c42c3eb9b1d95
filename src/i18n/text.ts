import {
  isArgumentElement,
  isPluralElement,
  isSelectElement,
  type MessageFormatElement,
  parse,
} from '@formatjs/icu-messageformat-parser';
import { IntlMessageFormat } from 'intl-messageformat';

/** The values that a text is filled in with, by the names of its parameters. */
export type TextValues = Readonly<Record<string, string | number>>;

/** The uses of a parameter: it is inserted as it is, it is a number that chooses a plural, or it chooses between sentences. */
export type ParameterKind = 'plain' | 'plural' | 'choice';

/** A choice between sentences without a value takes the case of this name, or `other`. */
const NOT_GIVEN = 'unknown';

/** `<` is an ordinary sign in our texts. */
const SYNTAX = { ignoreTag: true };

/**
 * A text in ICU MessageFormat, to be filled in. It is parsed when it is first used, since most texts of most languages never are. A
 * parameter that is not given reads as nothing.
 */
export function createText(source: string, locale: string): (values: TextValues) => string {
  let prepared: { readonly format: IntlMessageFormat; readonly notGiven: TextValues } | undefined;
  return values => {
    prepared ??= prepare(source, locale);
    return String(prepared.format.format({ ...prepared.notGiven, ...values }));
  };
}

function prepare(source: string, locale: string): { format: IntlMessageFormat; notGiven: TextValues } {
  const elements = parse(source, SYNTAX);
  const notGiven = [...parametersOf(elements)].map(([name, kind]) => [name, kind === 'choice' ? NOT_GIVEN : '']);
  return { format: new IntlMessageFormat(elements, locale), notGiven: Object.fromEntries(notGiven) };
}

/** The parameters of a text with the most that each is used for: a number also stands as it is, beside the plural. */
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
