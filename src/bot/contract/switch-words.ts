import { LANGUAGES } from '../../i18n/languages.ts';
import { loadTranslator } from '../../i18n/translate.ts';

const WORDS = ['on', 'off'] as const;
let known: ReadonlyMap<string, boolean> | undefined;

/** Reads a word for on or off in any language; undefined for other words. */
export function switchOf(word: string): boolean | undefined {
  known ??= new Map(
    LANGUAGES.flatMap(({ tag }) => {
      const { switchWords } = loadTranslator(tag).messages;
      return WORDS.flatMap(state => switchWords[state].split(', ').map(each => [each, state === 'on'] as const));
    }),
  );
  return known.get(word.toLowerCase());
}
