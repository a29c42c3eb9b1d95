import { type MessageFormatElement, parse } from '@formatjs/icu-messageformat-parser';
import type { TextTree } from '../../src/i18n/load-texts.ts';

export type Sentence = readonly [key: string, sentence: string];

/** Every text by its key. */
export function* flat(texts: TextTree, path = ''): Generator<readonly [key: string, text: string]> {
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text === 'string') yield [`${path}${key}`, text];
    else yield* flat(text, `${path}${key}.`);
  }
}

/** Every sentence that a language's texts can become, with a word for each value. */
export function* sentencesOf(texts: TextTree): Generator<Sentence> {
  for (const [key, text] of flat(texts)) {
    for (const sentence of expand(parse(text, { ignoreTag: true }))) yield [key, sentence];
  }
}

function expand([element, ...others]: readonly MessageFormatElement[]): readonly string[] {
  if (element === undefined) return [''];
  const ends = expand(others);
  return beginnings(element).flatMap(beginning => ends.map(end => beginning + end));
}

function beginnings(element: MessageFormatElement): readonly string[] {
  if ('options' in element) return Object.values(element.options).flatMap(({ value }) => expand(value));
  return element.type === 0 ? [element.value] : ['w'];
}
