export interface Word {
  /** The word as typed, with its quotes. */
  readonly raw: string;
  readonly text: string;
  readonly quoted: boolean;
}

interface Label {
  /** The option's name as typed, in lower case. */
  readonly name: string;
  readonly length: number;
  /** True for `name:value` and `name=value`. For `--name` it is false: the value, if any, is the next word. */
  readonly separated: boolean;
  /** True for `name:` and `--name`; false for `-name`, which may be the beginning of a player's name. */
  readonly isSure: boolean;
}

// Matches an option's name. Phones turn `--` into a long dash; `https://` is an address and not a name.
const LABEL = /(--?|[\u2013\u2014])?([\p{L}\p{N}][\p{L}\p{N}_-]{0,39})(?:([:=])(?!\/\/)|(?=\s|$))/uy;
/** Matches `[two words]`, read as one word. The brackets of players' names stay: `[Crz]`, `[ Mirai ]`. */
const BRACKETED = /\[([^\s\]][^\]]{0,98}[^\s\]])\](?=\s|$)/y;
const SPACE = /\s*/y;
const PLAIN = /\S+/y;
const DOUBLE = '"“”„';
const SINGLE = "'‘’";

export type WordReader = ReturnType<typeof createWordReader>;

/**
 * Reads words one by one, in linear time.
 * @param isSearch true if a minus before a word excludes the word from a search
 */
export function createWordReader(text: string, { isSearch }: { readonly isSearch: boolean }) {
  let at = 0;
  const hopeless = new Set<string>();

  function matchAt(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(text);
  }

  function skipSpace(): void {
    at += matchAt(SPACE)?.[0].length ?? 0;
  }

  /**
   * The index of the mark that closes the quote beginning here: one of the same kind, before a space or the text's end.
   */
  function closingQuote(): number | undefined {
    const family = [DOUBLE, SINGLE].find(marks => marks.includes(text.charAt(at)));
    if (family === undefined || at >= text.length || hopeless.has(family)) return undefined;
    for (let index = at + 1; index < text.length; index += 1) {
      if (family.includes(text.charAt(index)) && /^\s?$/.test(text.charAt(index + 1))) return index;
    }
    // No later mark closes a quote of this kind, so the text is not searched again at the next mark that may begin one.
    hopeless.add(family);
    return undefined;
  }

  function next(): Word | undefined {
    skipSpace();
    if (at >= text.length) return undefined;
    const closing = closingQuote();
    const start = at;
    if (closing !== undefined) {
      at = closing + 1;
      return { raw: text.slice(start, at), text: text.slice(start + 1, closing), quoted: true };
    }
    const [whole = '', inside = ''] = matchAt(BRACKETED) ?? [];
    if (/\s/.test(inside)) {
      at += whole.length;
      return { raw: whole, text: inside, quoted: true };
    }
    const word = matchAt(PLAIN)?.[0] ?? '';
    at += word.length;
    return { raw: word, text: word, quoted: false };
  }

  return {
    next,
    /** The next word, without moving on. */
    peek(): Word | undefined {
      const here = at;
      const word = next();
      at = here;
      return word;
    },
    more(): boolean {
      skipSpace();
      return at < text.length;
    },
    label(): Label | undefined {
      const match = matchAt(LABEL);
      const [whole = '', dash, name = '', separator] = match ?? [];
      if (name === '' || (dash === undefined && separator === undefined) || (dash === '-' && isSearch))
        return undefined;
      const isSure = separator !== undefined || dash === '--' || dash === '\u2014';
      return { name: name.toLowerCase(), length: whole.length, separated: separator !== undefined, isSure };
    },
    skip(length: number): void {
      at += length;
    },
  };
}
