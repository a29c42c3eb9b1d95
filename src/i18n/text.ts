import {
  isArgumentElement,
  isLiteralElement,
  isPluralElement,
  isSelectElement,
  type MessageFormatElement,
  parse,
} from '@formatjs/icu-messageformat-parser';
import { IntlMessageFormat } from 'intl-messageformat';

/** The values that a text is filled in with, by the names of its parameters. */
export type TextValues = Readonly<Record<string, string | number>>;

/**
 * The uses of a parameter: `plain` is inserted as it is, `plural` is a number that chooses a plural form, `choice` chooses between
 * sentences.
 */
export type ParameterKind = 'plain' | 'plural' | 'choice';

/** If the value of a choice is missing, the case of this name is used, or `other`. */
const NOT_GIVEN = 'unknown';

/** `<` is an ordinary character in our texts, not the beginning of a tag. */
const SYNTAX = { ignoreTag: true };

/**
 * A text in ICU MessageFormat, ready to be filled in. It is parsed when it is first used, since most texts of most languages never are. A
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
  // Most texts have no plural and no choice, so they need no formatter of Intl.
  if (plain.length === elements.length)
    return values => plain.map(each => (isLiteralElement(each) ? each.value : (values[each.value] ?? ''))).join('');
  const kinds = [...parametersOf(elements)].map(([name, kind]) => [name, kind === 'choice' ? NOT_GIVEN : '']);
  const notGiven: TextValues = Object.fromEntries(kinds);
  const format = new IntlMessageFormat(elements, locale);
  return values => String(format.format({ ...notGiven, ...values }));
}

/** The parameters of a text, each with its most specific use: a number may be inserted as well as choose the plural. */
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
