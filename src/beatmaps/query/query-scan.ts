export type Operator = '=' | '<' | '<=' | '>' | '>=';

/** A `key`, an operator and a value, found anywhere in a query; whether they have a meaning is checked later. */
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

type ScannedValue = Pick<QueryToken, 'value' | 'isPhrase' | 'end'>;

/** The longest key; the bound makes it cheap to look from an operator back to the beginning of its key. */
const MAX_KEY_LENGTH = 32;
const WORD = /^\w$/;
const SPACE = /\s/g;
const SIGN = /[:=<>]/g;

/**
 * Finds the tokens of a query, from left to right and without overlap. A quote that is never closed is an ordinary
 * character. Takes linear time, whatever the quotes.
 */
export function scanTokens(text: string): QueryToken[] {
  const tokens: QueryToken[] = [];
  const readValue = createValueReader(text);
  let position = 0;
  for (;;) {
    SIGN.lastIndex = position;
    const sign = SIGN.exec(text);
    if (sign === null) return tokens;
    const start = keyStart(text, sign.index, tokens.at(-1)?.end ?? 0);
    position = sign.index + 1;
    if (start === sign.index) continue;
    const operator = readOperator(text, sign.index);
    const value = readValue(sign.index + operator.length);
    const key = text.slice(start, sign.index).toLowerCase();
    tokens.push({ key, operator: operator.sign, ...value, start });
    position = value.end;
  }
}

function keyStart(text: string, end: number, floor: number): number {
  let start = end;
  const least = Math.max(floor, end - MAX_KEY_LENGTH);
  while (start > least && WORD.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function readOperator(text: string, index: number): { readonly sign: Operator; readonly length: number } {
  const first = text.charAt(index);
  if (first === ':' || first === '=') return { sign: '=', length: 1 };
  const next = text.charAt(index + 1);
  const isOpen = next !== ':' && next !== '=';
  if (first === '<') return isOpen ? { sign: '<', length: 1 } : { sign: '<=', length: 2 };
  return isOpen ? { sign: '>', length: 1 } : { sign: '>=', length: 2 };
}

function createValueReader(text: string): (from: number) => ScannedValue {
  // If no closing quote was found once, there is none later either; searching each time would take quadratic time.
  let hasSingle = true;
  let hasDouble = true;

  function readBare(from: number): ScannedValue {
    SPACE.lastIndex = from;
    const end = SPACE.exec(text)?.index ?? text.length;
    return { value: text.slice(from, end), isPhrase: false, end };
  }

  return from => {
    if (text.charAt(from) !== '"') return readBare(from);
    if (hasDouble && text.charAt(from + 1) === '"') {
      const close = text.indexOf('""', from + 2);
      if (close >= 0) return { value: text.slice(from + 2, close), isPhrase: true, end: close + 2 };
      hasDouble = false;
    }
    const close = hasSingle ? closingQuote(text, from + 1) : -1;
    if (close >= 0) return { value: unescapeQuoted(text.slice(from + 1, close)), isPhrase: false, end: close + 1 };
    hasSingle = false;
    return readBare(from);
  };
}

function closingQuote(text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') return index;
    if (character === '\\' && isEscapable(text.charAt(index + 1))) index += 1;
  }
  return -1;
}

function isEscapable(character: string): boolean {
  return character === '"' || character === '\\';
}

function unescapeQuoted(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}

/** Writes a value so that parsing the query gives the same value again. */
export function quoteValue(value: string, isPhrase: boolean): string {
  if (isPhrase) return `""${value}""`;
  return /\s|^"/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
}
