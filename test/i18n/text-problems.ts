/** What keeps a language's texts from being used in place of the English ones. */
import {
  isArgumentElement,
  isPluralElement,
  isSelectElement,
  type MessageFormatElement,
  parse,
} from '@formatjs/icu-messageformat-parser';
import { files } from '../../src/i18n/en/index.ts';
import type { TextTree } from '../../src/i18n/load-texts.ts';
import { readParameters } from '../../src/i18n/messages.ts';
import { flat } from './sentences.ts';

const ENGLISH: ReadonlyMap<string, string> = new Map(Object.values(files).flatMap(texts => [...flat(texts)]));
/** Numbers of every plural category that there is. */
export const COUNTS: readonly number[] = [...Array(130).keys(), 1_000, 1_000_000];

/** The longest that a platform takes, by the keys of its texts. */
const LONGEST: readonly (readonly [keys: RegExp, characters: number])[] = [
  [/^(commands|shared)\..*\.name$/, 32],
  [/^(commands|shared)\..*description$/, 100],
  [/^(commands|shared)\..*choices\./, 100],
  [/^shared\.getMedia$/, 32],
  [/^telegram\.paste$/, 64],
];

/** A letter beside a command, other than those of addresses: Telegram shows it as words then, and not as a command that can be tapped. */
const COMMANDS = ['\\{\\w+\\}', ...Object.keys(files.commands.commands)].join('|');
const GLUED = new RegExp(`(?<=(?!\\w)\\p{L})/(?:${COMMANDS})|(?<![\\w/:.])/(?:${COMMANDS})(?=[\\p{L}\\p{N}])`, 'u');

interface Branch {
  readonly parameter: string;
  readonly kind: 'plural' | 'choice';
  /** What is said, by the name of the case. */
  readonly cases: ReadonlyMap<string, readonly MessageFormatElement[]>;
}

/** Where a text says one thing or another. */
function branchesOf(elements: readonly MessageFormatElement[]): readonly Branch[] {
  return elements.flatMap(element => {
    if (!isPluralElement(element) && !isSelectElement(element)) return [];
    const kind = isPluralElement(element) ? 'plural' : 'choice';
    const cases = new Map(Object.entries(element.options).map(([name, { value }]) => [name, value]));
    return [{ parameter: element.value, kind, cases }, ...[...cases.values()].flatMap(branchesOf)];
  });
}

function treeOf(text: string): readonly MessageFormatElement[] {
  return parse(text, { ignoreTag: true });
}

/** What keeps a text from being used in place of the English one. */
export function problemsOf(text: string, original: string, tag: string): readonly string[] {
  const known = readParameters(original);
  const used = readParameters(text);
  const missing = [...known].filter(([name, kind]) => kind === 'plain' && !used.has(name));
  const branches = branchesOf(treeOf(original));
  return [
    ...missing.map(([name]) => `has no {${name}}`),
    ...[...used].flatMap(([name, kind]) => {
      if (!known.has(name)) return [`has {${name}}, which has no value`];
      return kind === 'plain' || kind === known.get(name) ? [] : [`has a ${kind} by {${name}}`];
    }),
    ...branchesOf(treeOf(text)).flatMap(branch =>
      branch.kind === 'plural'
        ? pluralProblems(branch, tag)
        : caseProblems(branch, casesOf(branches, branch.parameter)),
    ),
  ];
}

function casesOf(branches: readonly Branch[], parameter: string): readonly string[] {
  return [...(branches.find(branch => branch.parameter === parameter)?.cases.keys() ?? [])];
}

function caseProblems({ parameter, cases }: Branch, wanted: readonly string[]): readonly string[] {
  const extra = [...cases.keys()].filter(name => !/^=\d+$/.test(name) && !wanted.includes(name));
  return [
    ...wanted.filter(name => !cases.has(name)).map(name => `lacks the case "${name}" of {${parameter}}`),
    ...extra.map(name => `has a case "${name}" of {${parameter}}`),
  ];
}

/** A case for several numbers names the number: "one" is 1 in English, and 1, 21, 31 in Russian. */
function pluralProblems(branch: Branch, tag: string): readonly string[] {
  const rules = new Intl.PluralRules(tag);
  const named = plainOf(branch.cases.get('other') ?? []);
  const unnamed = [...branch.cases].filter(([name, elements]) => {
    const isOfSeveral = COUNTS.filter(n => rules.select(n) === name).length > 1;
    return isOfSeveral && named.some(parameter => !plainOf(elements).includes(parameter));
  });
  return [
    ...caseProblems(branch, rules.resolvedOptions().pluralCategories),
    ...unnamed.map(([name]) => `lacks a number in the case "${name}"`),
  ];
}

function plainOf(elements: readonly MessageFormatElement[]): readonly string[] {
  return elements.flatMap(element => (isArgumentElement(element) ? [element.value] : []));
}

/** Each begins with the key of the text. */
export function problemsOfTexts(tag: string, texts: TextTree): readonly string[] {
  return [...flat(texts)].flatMap(([key, text]) => {
    const original = ENGLISH.get(key);
    if (original === undefined) return [`${key} is no key of the English texts`];
    const limit = LONGEST.find(([keys, characters]) => keys.test(key) && text.length > characters)?.[1];
    const isEnglish = tag !== 'en' && text === original && wordsOf(text) > 2;
    const isBraced = text.includes('{') && readParameters(original).size === 0;
    const problems = [
      ...(limit === undefined ? [] : [`has more than ${limit} characters`]),
      ...(isEnglish ? ['is in English'] : []),
      ...(GLUED.test(text) ? ['has a letter right beside a command'] : []),
      ...(isBraced ? ['has braces, and nothing to fill in'] : problemsOf(text, original, tag)),
    ];
    return problems.map(problem => `${key} ${problem}`);
  });
}

/** Two words, such as "full combo", may be the same in another language; a sentence is not. */
function wordsOf(text: string): number {
  return text.replaceAll(/\{\w+\}/g, '').match(/\p{L}{2,}/gu)?.length ?? 0;
}

/** The keys that these texts lack; they are said in English. */
export function missingOf(texts: TextTree): readonly string[] {
  const own = new Set([...flat(texts)].map(([key]) => key));
  return [...ENGLISH.keys()].filter(key => !own.has(key));
}
