export interface Language {
  /** The BCP 47 tag, which is also the name of the language's folder. */
  readonly tag: string;
  /** The language's own name. */
  readonly name: string;
}

/** All languages in the order of the menus. A new one is a folder beside `en` and a line in this list. */
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
