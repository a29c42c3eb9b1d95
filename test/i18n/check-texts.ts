/** `npm run check-texts -- TAG [FILE]` checks the texts of a language, or one file of it, and names what it lacks. */
import { existsSync } from 'node:fs';
import { readTexts } from '../../src/i18n/load-texts.ts';
import { missingOf, problemsOfTexts } from './text-problems.ts';
import { textsOf } from './texts.ts';

const [tag = '', file] = process.argv.slice(2);
const path = file ?? `src/i18n/${tag}`;
if (tag === '' || !existsSync(path)) {
  console.error(tag === '' ? 'Usage: npm run check-texts -- TAG [FILE]' : `There is no ${path}.`);
  process.exit(1);
}
const texts = file === undefined ? textsOf(tag) : readTexts(file);
const problems = problemsOfTexts(tag, texts);
for (const problem of problems) console.log(problem);
const groups = new Set(Object.keys(texts));
const missing = missingOf(texts).filter(key => file === undefined || groups.has(key.split('.')[0] ?? ''));
if (missing.length > 0) console.log(`said in English, for want of a text: ${missing.join(', ')}`);
console.log(`${problems.length} to mend, ${missing.length} to write`);
process.exitCode = problems.length === 0 ? 0 : 1;
