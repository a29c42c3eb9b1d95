/** Turns free text into expressions for the indexes of the catalogue. */
import type { Store } from '../../infra/store/store.ts';
import type { Query } from '../query/query.ts';
import { type Needle, needlesOf } from '../query/query-text.ts';
import { CountRow } from './catalogue-schema.ts';
import type { Vocabulary } from './catalogue-words.ts';
import { expressionOf } from './search-conditions.ts';

/** Groups of words or phrases: a set must contain at least one needle of every group. */
export type Groups = readonly (readonly Needle[])[];

export type TextIndex = 'catalogue_text' | 'catalogue_names';

const MAX_NEEDLES = 32;
/** The longest beginning of a word that each index finds at once; a longer one would need a search of its own. */
const INDEXED_LETTERS: Readonly<Record<TextIndex, number>> = { catalogue_names: 6, catalogue_text: 3 };
/** The most whole words that are searched for in place of the beginning of a word. */
const MAX_WRITTEN_OUT = 16;

/** Tests whether any row has a word: in the index of names, which is fast, or in that of all texts. */
const ANY_NAME = 'SELECT 1 AS count FROM catalogue_names WHERE catalogue_names MATCH ? LIMIT 1';
const ANY_TEXT = 'SELECT 1 AS count FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT 1';

export function groupsOf({ text }: Query): Groups {
  return needlesOf(text)
    .slice(0, MAX_NEEDLES)
    .map(needle => [needle]);
}

/** The groups, in which each long beginning of a word is replaced by all whole words that begin with it. */
export function writtenOut(vocabulary: Vocabulary, groups: Groups, index: TextIndex): Groups {
  return groups.map(group =>
    group.flatMap(needle => {
      const isAtHand = needle.text.length <= INDEXED_LETTERS[index] || needle.isWhole || needle.text.includes(' ');
      const words = isAtHand ? undefined : vocabulary.beginningWith(needle.text, MAX_WRITTEN_OUT);
      return words === undefined || words.length === 0 ? [needle] : words.map(text => ({ text, isWhole: true }));
    }),
  );
}

export interface Correction {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  /** Called when the vocabulary cannot be read; words of a search are then not corrected. */
  onFailure(error: unknown): void;
}

/**
 * The groups with similar words in place of unknown ones; if all are known, with similar ones
 * added. Undefined if there are none.
 */
export function correctGroups({ store, vocabulary, onFailure }: Correction, groups: Groups): Groups | undefined {
  if (!vocabulary.isLoaded()) {
    vocabulary.load().catch(onFailure);
    return undefined;
  }
  const has = (sql: string, group: Groups[number]) => store.get(sql, [expressionOf(group)], CountRow) !== undefined;
  const isKnown = groups.map(group => has(ANY_NAME, group) || has(ANY_TEXT, group));
  const isAllKnown = isKnown.every(Boolean);
  let isChanged = false;
  const corrected = groups.map((group, index) => {
    const [needle] = group;
    if (needle === undefined || needle.isWhole || (isKnown[index] === true && !isAllKnown)) return group;
    const words = vocabulary.correct(needle.text, index === groups.length - 1);
    if (words.length > 0) isChanged = true;
    const likely = words.map(text => ({ text, isWhole: false }));
    return isAllKnown || words.length === 0 ? [...group, ...likely] : likely;
  });
  return isChanged ? corrected : undefined;
}

/** Splits a group of similar words into one search for each of them. */
export function alternativesOf(groups: Groups): readonly Groups[] {
  const open = groups.findLastIndex(group => group.length > 1);
  return open < 0 ? [groups] : (groups[open] ?? []).map(needle => groups.with(open, [needle]));
}
