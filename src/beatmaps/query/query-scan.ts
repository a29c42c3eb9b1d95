export type Operator = '=' | '<' | '<=' | '>' | '>=';

/** A `key`, an operator and a value somewhere in a query; whether they mean anything is checked later. */
export interface QueryToken {
  /** The key in lower case. */
  readonly key: string;
  readonly operator: Operator;
  /** The value without its quotes. */
  readonly value: string;
  /** True for `""so""`: exactly these words, in this order and with nothing between them. */
  readonly isPhrase: boolean;
  readonly start: number;
  readonly end: number;
}

/**
 * Matches a key, an operator, and a value that is quoted twice (`""so""`), once (`"so"`) or not at all. In a value that
 * is quoted once, a backslash escapes a quote or another backslash. A quote that is never closed is an ordinary
 * character.
 */
const TOKEN = /(\w{1,32})([:=]|[<>][:=]?)(?:""([\s\S]*?)""|"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|(\S*))/g;

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  [':', '='],
  ['=', '='],
  ['<', '<'],
  ['<:', '<='],
  ['<=', '<='],
  ['>', '>'],
  ['>:', '>='],
  ['>=', '>='],
]);

/** Finds the tokens of a query from left to right, without overlap, and in linear time, whatever the quotes. */
export function scanTokens(text: string): QueryToken[] {
  return Array.from(
    text.matchAll(TOKEN),
    ({ 0: all, 1: key = '', 2: sign = '', 3: phrase, 4: quoted, 5: bare = '', index }) => ({
      key: key.toLowerCase(),
      operator: OPERATORS.get(sign) ?? '=',
      value: phrase ?? quoted?.replace(/\\(["\\])/g, '$1') ?? bare,
      isPhrase: phrase !== undefined,
      start: index,
      end: index + all.length,
    }),
  );
}

/** Writes a value so that parsing the query gives the same value again. */
export function quoteValue(value: string, isPhrase: boolean): string {
  if (isPhrase) return `""${value}""`;
  return /\s|^"/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}
