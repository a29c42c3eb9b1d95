import {
  isArgumentElement,
  isPluralElement,
  isSelectElement,
  type MessageFormatElement,
  parse,
} from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from 'vitest';
import { messages as english } from '../../src/i18n/en/index.ts';
import { createText, readParameters } from '../../src/i18n/text.ts';
import { LANGUAGES } from '../../src/i18n/translate.ts';
import { fill } from '../../src/platforms/web/page/base/fill.ts';
import { flat, textsOf } from './sentences.ts';

const ENGLISH = new Map(flat(english));
const COUNTS = [...Array(130).keys(), 1_000, 1_000_000];

/** The longest that a platform takes, by the keys of its texts. */
const LONGEST: readonly (readonly [keys: RegExp, characters: number])[] = [
  [/^(commands|shared)\..*\.name$/, 32],
  [/^(commands|shared)\..*description$/, 100],
  [/^(commands|shared)\..*choices\./, 100],
  [/^discord\.getMedia$/, 32],
  [/^telegram\.paste$/, 64],
];

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
function problemsOf(text: string, original: string, tag: string): readonly string[] {
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

describe.each(LANGUAGES.map(({ tag }) => tag))('the texts in %s', tag => {
  const texts = new Map(flat(textsOf(tag)));
  const shared = [...texts].flatMap(([key, text]) => {
    const original = ENGLISH.get(key);
    return original === undefined ? [] : [[key, text, original] as const];
  });

  it('lack none of the English ones', () => {
    expect([...ENGLISH.keys()].filter(key => !texts.has(key))).toEqual([]);
  });

  it('have keys that the English ones have', () => {
    expect([...texts.keys()].filter(key => !ENGLISH.has(key))).toEqual([]);
  });

  it('have the parameters of the English ones, with the plurals that the language knows', () => {
    const problems = shared.flatMap(([key, text, original]) =>
      problemsOf(text, original, tag).map(problem => `${key} ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('are as long as platforms take', () => {
    const long = [...texts].filter(([key, text]) =>
      LONGEST.some(([keys, characters]) => keys.test(key) && text.length > characters),
    );
    expect(long).toEqual([]);
  });

  it('have braces for parameters alone', () => {
    const braced = shared.filter(([, text, original]) => text.includes('{') && readParameters(original).size === 0);
    expect(braced).toEqual([]);
  });

  it('are filled in by the page as by the server', () => {
    for (const [key, text] of [...texts].filter(([key]) => key.startsWith('web.'))) {
      for (const n of COUNTS) {
        const values = { n, total: 7 };
        expect(fill(text, tag, values), key).toBe(createText(text, tag)(values));
      }
    }
  });
});

describe('the check of texts', () => {
  it.each([
    ['{shown} suka', '{n, plural, one {{shown} like} other {{shown} likes}}', 'id', []],
    ['{wer} da', '{who} is here', 'de', ['has no {who}', 'has {wer}, which has no value']],
    [
      '{n, plural, one {{n} пост} other {{n} поста}}',
      '{n, plural, one {{n} post} other {{n} posts}}',
      'ru',
      ['lacks the case "few" of {n}', 'lacks the case "many" of {n}'],
    ],
    [
      '{n, plural, one {один пост} few {{n} поста} many {{n} постов} other {{n} поста}}',
      '{n, plural, one {a} other {{n}}}',
      'ru',
      ['lacks a number in the case "one"'],
    ],
    ['{n, plural, one {post} other {post}}', '{n} {n, plural, one {a} other {b}}', 'ja', ['has a case "one" of {n}']],
    ['{n, plural, other {{n}}}', '{n}', 'ja', ['has a plural by {n}']],
    [
      '{what, select, tag {t} other {o}}',
      '{what, select, page {p} other {o}}',
      'fr',
      ['lacks the case "page" of {what}', 'has a case "tag" of {what}'],
    ],
  ])('of %s for %s in %s says %j', (text, original, tag, problems) => {
    expect(problemsOf(text, original, tag)).toEqual(problems);
  });
});
