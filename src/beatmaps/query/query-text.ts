/** Characters of scripts that put no spaces between words: each counts as a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/gu;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Folds a text for comparison: words in lower case without accents and apostrophes, separated by single spaces. Each
 * Chinese or Japanese character is a word.
 */
export function foldText(text: string): string {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'\u2019`\xb4]/g, '')
    .normalize('NFC');
  return plain.replace(UNSPACED, ' $& ').match(WORDS)?.join(' ') ?? '';
}

/** A word or phrase of the free text that is searched for. */
export interface Needle {
  /** The text, folded by {@link foldText}. */
  readonly text: string;
  /** True for a quoted phrase, whose last word must be whole; false for a word, which may be a beginning. */
  readonly isWhole: boolean;
}

/** The words and `"quoted phrases"` of free text; those with neither letter nor digit are left out. */
export function needlesOf(text: string): readonly Needle[] {
  const needles: Needle[] = [];
  for (const [piece] of text.matchAll(/"[^"]*"|[^\s"]+/g)) {
    const isWhole = piece.startsWith('"');
    const folded = foldText(piece);
    if (folded !== '') needles.push({ text: folded, isWhole });
  }
  return needles;
}

/** Joins fields into a text for {@link hasNeedle}, in which no phrase spans two fields. */
export function haystackOf(fields: readonly (string | null)[]): string {
  return ` ${fields.map(field => foldText(field ?? '')).join(' | ')} `;
}

/**
 * True when the haystack has the needle's words one after the other. Unless the needle `isWhole`, the last of them may
 * be only the beginning of a word of the haystack.
 */
export function hasNeedle(haystack: string, { text, isWhole }: Needle): boolean {
  return haystack.includes(isWhole ? ` ${text} ` : ` ${text}`);
}

/**
 * How many letters to insert, remove, replace or swap with their neighbour to turn `word` into `other` or a beginning
 * of `other` (optimal string alignment).
 * @returns undefined when it takes more than `most`
 */
export function wordDistance(
  word: string,
  other: string,
  { most, isBeginningEnough }: { readonly most: number; readonly isBeginningEnough: boolean },
): number | undefined {
  const width = word.length;
  const height = Math.min(other.length, width + most);
  if (height < width - most || (!isBeginningEnough && other.length > height)) return undefined;
  const far = most + 1;
  const lines = [Array.from({ length: width + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => lines[row]?.[column] ?? far;

  function distanceAt(row: number, column: number): number {
    const isSame = word[column - 1] === other[row - 1];
    const replaced = at(row - 1, column - 1) + (isSame ? 0 : 1);
    const least = Math.min(replaced, at(row - 1, column) + 1, at(row, column - 1) + 1);
    const isSwap = word[column - 1] === other[row - 2] && word[column - 2] === other[row - 1];
    return isSwap ? Math.min(least, at(row - 2, column - 2) + 1) : least;
  }

  for (let row = 1; row <= height; row += 1) {
    const line = new Array<number>(width + 1).fill(far);
    if (row <= most) line[0] = row;
    lines.push(line);
    for (let column = Math.max(1, row - most); column <= Math.min(width, row + most); column += 1) {
      line[column] = distanceAt(row, column);
    }
  }
  const distances = isBeginningEnough ? lines.map(line => line[width] ?? far) : [at(height, width)];
  const distance = Math.min(...distances);
  return distance > most ? undefined : distance;
}
