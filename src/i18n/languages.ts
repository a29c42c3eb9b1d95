import { messages as en } from './en/index.ts';
import { messages as id } from './id/index.ts';
import type { LanguageTexts } from './messages.ts';

/** Every language Medley speaks, by its BCP 47 tag. A new one is a folder beside `en` and its line here. */
export const languages = { en, id } satisfies Readonly<Record<string, LanguageTexts>>;
