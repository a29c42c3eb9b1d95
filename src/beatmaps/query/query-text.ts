/** Scripts that put no spaces between words: each character counts as one. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/gu;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Text as it is compared: words in lower case without accents and apostrophes, separated by single spaces. Chinese and Japanese
 * characters each become a word.
 */
export function foldText(text: string): string {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'\u2019`´]/g, '')
    .normalize('NFC');
  return plain.replace(UNSPACED, ' $& ').match(WORDS)?.join(' ') ?? '';
}

/** One thing that free text asks for. */
export interface Needle {
  /** Folded. */
  readonly text: string;
  /** Quoted: the last word must end there, too. */
  readonly isWhole: boolean;
}

/** The words and `"quoted phrases"` of free text; what has no letter or digit asks for nothing. */
export function needlesOf(text: string): readonly Needle[] {
  const needles: Needle[] = [];
  for (const [piece] of text.matchAll(/"[^"]*"|[^\s"]+/g)) {
    const isWhole = piece.startsWith('"');
    const folded = foldText(piece);
    if (folded !== '') needles.push({ text: folded, isWhole });
  }
  return needles;
}

/** Fields made ready for {@link hasNeedle}; no phrase runs from one into the next. */
export function haystackOf(fields: readonly (string | null)[]): string {
  return ` ${fields.map(field => foldText(field ?? '')).join(' | ')} `;
}

/** Whether words of the haystack begin with the needle's. */
export function hasNeedle(haystack: string, { text, isWhole }: Needle): boolean {
  return haystack.includes(isWhole ? ` ${text} ` : ` ${text}`);
}
