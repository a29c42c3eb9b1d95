import { languages } from '../../i18n/languages.ts';

const WORDS = Object.values(languages).map(({ switchWords }) => switchWords);
const ON: ReadonlySet<string> = new Set(WORDS.flatMap(({ on }) => on.split(', ')));
const OFF: ReadonlySet<string> = new Set(WORDS.flatMap(({ off }) => off.split(', ')));

/** Reads a word for on or off, in any of the languages; undefined when it says neither. */
export function switchOf(word: string): boolean | undefined {
  const lower = word.toLowerCase();
  if (ON.has(lower)) return true;
  return OFF.has(lower) ? false : undefined;
}
