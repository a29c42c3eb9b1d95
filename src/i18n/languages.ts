export interface Language {
  /** BCP 47 tag, which is the name of its folder. */
  readonly tag: string;
  /** In the language itself. */
  readonly name: string;
}

/** Every language Medley speaks, in the order in which they are offered. A new one is a folder beside `en` and its line here. */
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
 * The language of these for someone who prefers `locale`: of the same tag, else the one of the same language and script, so that
 * es-419 is es and zh-Hans is zh-CN, but zh-TW is not. Tags of any shape are accepted.
 */
export function findLanguage(locale: string): Language | undefined {
  const exact = LANGUAGES.find(({ tag }) => tag === locale);
  const writing = exact === undefined ? writingOf(locale) : undefined;
  return writing === undefined ? exact : WRITINGS.get(writing);
}

/** Language and script, of today's codes: Android still says `in` for Indonesian. Undefined where it is no tag. */
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
