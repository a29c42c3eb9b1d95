export interface Language {
  /** BCP 47 tag, which is also the name of the language's folder. */
  readonly tag: string;
  /** The name of the language in that language. */
  readonly name: string;
}

/** All languages of Medley, in the order in which they are offered. A new language is a folder beside `en` and a line here. */
export const LANGUAGES: readonly [Language, ...Language[]] = [
  { tag: 'en', name: 'English' },
  { tag: 'id', name: 'Bahasa Indonesia' },
  { tag: 'es', name: 'Español' },
  { tag: 'de', name: 'Deutsch' },
  { tag: 'ja', name: '日本語' },
  { tag: 'ko', name: '한국어' },
  { tag: 'fr', name: 'Français' },
  { tag: 'pt-BR', name: 'Português (Brasil)' },
  { tag: 'pl', name: 'Polski' },
  { tag: 'ru', name: 'Русский' },
  { tag: 'tr', name: 'Türkçe' },
  { tag: 'zh-CN', name: '简体中文' },
];

/**
 * The language for someone who prefers `locale`: the one with the same tag, else one with the same language and script, so that es-419
 * gives es and zh-Hans gives zh-CN, but zh-TW does not. Tags of any shape are accepted.
 */
export function findLanguage(locale: string): Language | undefined {
  const exact = LANGUAGES.find(({ tag }) => tag === locale);
  const writing = exact === undefined ? writingOf(locale) : undefined;
  return writing === undefined ? exact : WRITINGS.get(writing);
}

/** The language and script of a tag, with today's codes: Android still says `in` for Indonesian. Undefined for text that is not a tag. */
function writingOf(locale: string): string | undefined {
  try {
    const { language, script } = new Intl.Locale(locale.replaceAll('_', '-')).maximize();
    return `${language} ${script}`;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const WRITINGS: ReadonlyMap<string | undefined, Language> = new Map(
  LANGUAGES.map(language => [writingOf(language.tag), language]),
);
