/** Free text as the indexes of the catalogue are asked for it. */
import type { Store } from '../../infra/store/store.ts';
import type { Query } from '../query/query.ts';
import { type Needle, needlesOf } from '../query/query-text.ts';
import { CountRow } from './catalogue-schema.ts';
import type { Vocabulary } from './catalogue-words.ts';
import { expressionOf } from './search-conditions.ts';

/** Any of each group, all groups. */
export type Groups = readonly (readonly Needle[])[];

export type TextIndex = 'catalogue_text' | 'catalogue_names';

const MAX_NEEDLES = 32;
/** An index has the beginnings of words up to so many letters at hand; it would gather the sets of longer ones first. */
const INDEXED_LETTERS: Readonly<Record<TextIndex, number>> = { catalogue_names: 6, catalogue_text: 3 };
/** Words that a beginning is written out as. */
const MAX_WRITTEN_OUT = 16;

/** A row that has it, from the index that answers at once, else from the one that is certain. */
const ANY_NAME = 'SELECT 1 AS count FROM catalogue_names WHERE catalogue_names MATCH ? LIMIT 1';
const ANY_TEXT = 'SELECT 1 AS count FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT 1';

export function groupsOf({ text }: Query): Groups {
  return needlesOf(text)
    .slice(0, MAX_NEEDLES)
    .map(needle => [needle]);
}

/** The same with the words themselves in place of long beginnings. */
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
  /** Gets failures of reading the words, which are then missing. */
  onFailure(error: unknown): void;
}

/** Groups in which unknown words, or all when each is known, may be ones like them; undefined when there are none. */
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

/** The same with one word in place of the likely ones, for each of them. */
export function alternativesOf(groups: Groups): readonly Groups[] {
  const open = groups.findLastIndex(group => group.length > 1);
  return open < 0 ? [groups] : (groups[open] ?? []).map(needle => groups.with(open, [needle]));
}
