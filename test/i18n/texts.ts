import { readdirSync } from 'node:fs';
import { readTexts, type TextTree } from '../../src/i18n/load-texts.ts';

/** All texts in a language's folder. */
export function textsOf(tag: string): TextTree {
  const names = readdirSync(`src/i18n/${tag}`).filter(name => name.endsWith('.json'));
  return Object.assign({}, ...names.map(name => readTexts(`src/i18n/${tag}/${name}`)));
}
