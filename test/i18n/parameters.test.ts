import { expect, it } from 'vitest';
import { files } from '../../src/i18n/en/index.ts';
import type { TextTree } from '../../src/i18n/load-texts.ts';
import { type ParameterKind, readParameters } from '../../src/i18n/messages.ts';

const TYPES: Readonly<Record<ParameterKind, string>> = { plain: ': Value', plural: ': number', choice: '?: Value' };
const LINE = 120;

/** A line for each English text that has parameters; those of the page are filled in by the page. */
function* linesOf(texts: TextTree, path: string): Generator<string> {
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text === 'object') yield* linesOf(text, `${path}${key}.`);
    else if (readParameters(text).size > 0) yield lineOf(`${path}${key}`, text);
  }
}

function lineOf(key: string, text: string): string {
  const members = [...readParameters(text)].map(([name, kind]) => `${name}${TYPES[kind]}`);
  const line = `  '${key}': { ${members.join('; ')} };`;
  return line.length <= LINE ? line : `  '${key}': {\n${members.map(member => `    ${member};\n`).join('')}  };`;
}

it('has the types of all parameters: `npm run texts` writes them anew', async () => {
  const { web, ...others } = files;
  const file = [
    '// Written by `npm run texts` from the English texts, and checked by a test: do not edit.',
    '',
    'type Value = string | number;',
    '',
    '/** The values that the texts are filled in with, by the keys of the texts. */',
    'export interface Parameters {',
    ...Object.values(others).flatMap(texts => [...linesOf(texts, '')]),
    '}',
    '',
  ].join('\n');
  await expect(file).toMatchFileSnapshot('../../src/i18n/parameters.ts');
});
