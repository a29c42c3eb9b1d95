import type { Store } from '../../infra/store/store.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { parseQuery, type Query } from '../query/query.ts';
import { matches } from '../query/query-match.ts';
import { needlesOf } from '../query/query-text.ts';
import { type Sort, statusesOf } from '../query/query-words.ts';
import type { Search } from '../query/search.ts';
import type { CataloguePageRequest, CatalogueResult } from './catalogue.ts';
import { BodyRow, CountRow, type Suggestion, suggestionOf } from './catalogue-schema.ts';
import type { Vocabulary } from './catalogue-words.ts';
import { parseBody, unpackBody } from './set-body.ts';
import { type Asked, createSetFinder, expressionOf, type Groups, type TextIndex } from './set-finder.ts';

interface Page {
  readonly sets: readonly Beatmapset[];
  /** True when there may be more sets, because only a bounded number of rows is read for a page. */
  readonly isCutShort: boolean;
}

const POPULAR: Sort = { field: 'relevance', order: 'desc' };
const COUNT = 'SELECT count(*) AS count FROM catalogue_bodies';
const BODY_OF_SET = 'SELECT body FROM catalogue_bodies WHERE id = ?';
const BODY_OF_MAP = 'SELECT b.body FROM catalogue_maps m JOIN catalogue_bodies b ON b.id = m.set_id WHERE m.id = ?';

const MAX_NEEDLES = 32;
/** The most letters of a word's beginning that each text index stores; a longer beginning is found more slowly. */
const INDEXED_LETTERS: Readonly<Record<TextIndex, number>> = { catalogue_names: 6, catalogue_text: 3 };
/** The most whole words that are searched for in place of the beginning of a word. */
const MAX_WRITTEN_OUT = 16;

/** Tests whether any row has a word: in the index of names, which is fast, or in the index of all texts. */
const ANY_NAME = 'SELECT 1 AS count FROM catalogue_names WHERE catalogue_names MATCH ? LIMIT 1';
const ANY_TEXT = 'SELECT 1 AS count FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT 1';

/**
 * Reads the catalogue's file; see {@link Catalogue}.
 * @param onFailure called when the vocabulary cannot be read; words of a search are then not corrected
 */
export function createCatalogueSearch(store: Store, vocabulary: Vocabulary, onFailure: (error: unknown) => void) {
  const finder = createSetFinder(store);

  const readSet = (id: number) => readBody(store, BODY_OF_SET, id);
  const correctGroups = createCorrection(store, vocabulary, onFailure);

  function page(asked: Asked, groups: Groups, wanted: CataloguePageRequest): Page {
    // Conditions that no index answers, such as a mapper's whole name, are checked set by set.
    const rest = isLeftToTables(asked.query) ? undefined : { ...asked.query, text: '' };
    const bodies = new Map<number, Beatmapset | undefined>();
    const read = (id: number) => {
      if (!bodies.has(id)) bodies.set(id, readSet(id));
      return bodies.get(id);
    };
    const hasRest = (id: number) => {
      const set = read(id);
      return set !== undefined && rest !== undefined && matches(rest, set);
    };
    const written = writtenOut(vocabulary, groups, 'catalogue_text');
    const { ids, isCutShort } = finder.find({ asked, groups: written, ...wanted, ...(rest && { check: hasRest }) });
    return { sets: ids.flatMap(id => read(id) ?? []), isCutShort };
  }

  function search(wanted: Search, place: CataloguePageRequest): CatalogueResult {
    const { limit, offset } = place;
    const groups = groupsOf(wanted.query);
    const first = setByNumber(store, wanted);
    if (first !== undefined) {
      const others = { ...wanted, without: first.id };
      if (offset > 0) return resultOf(page(others, groups, { limit, offset: offset - 1 }), place);
      const { sets, isCutShort } = page(others, groups, { limit: limit - 1, offset });
      return resultOf({ sets: [first, ...sets], isCutShort }, place);
    }
    const found = page(wanted, groups, place);
    const isFound =
      found.sets.length > 0 ||
      found.isCutShort ||
      (offset > 0 && page(wanted, groups, { limit: 1, offset: 0 }).sets.length > 0);
    const corrected = isFound || groups.length === 0 ? undefined : correctGroups(groups);
    if (corrected === undefined) return resultOf(found, place);
    const likely = page(wanted, corrected, place);
    return resultOf(likely, place, likely.sets.length > 0);
  }

  function suggest(typed: string, limit: number): readonly Suggestion[] {
    const query = parseQuery(typed);
    const groups = groupsOf(query);
    const asked: Asked = { query, status: 'any', sort: POPULAR };
    if (!isLeftToTables(query)) return search(asked, { limit, offset: 0 }).sets.map(suggestionOf);
    const find = (likely: Groups, index: TextIndex) =>
      finder.lines({ asked, groups: writtenOut(vocabulary, likely, index), limit, offset: 0, index });
    // A person who is typing most likely types a name, so the small index of names is tried first.
    const lines = (likely: Groups) => {
      const named = likely.length === 0 ? [] : find(likely, 'catalogue_names');
      return named.length > 0 ? named : find(likely, 'catalogue_text');
    };
    const found = lines(groups);
    // One word may be a typo even if it finds something; several words that find the same set are hardly typos.
    const isSure = groups.length === 0 || found.length >= limit || (found.length > 0 && groups.length > 1);
    const corrected = isSure ? undefined : correctGroups(groups);
    // The results for similar words take turns: otherwise the most popular word's results would leave no room for the
    // others.
    const meant = corrected === undefined ? [] : inTurns(alternativesOf(corrected).map(lines));
    const distinct = new Map([...found, ...meant].map(line => [line.id, line]));
    return [...distinct.values()].slice(0, limit);
  }

  return {
    search,
    suggest,
    set: readSet,
    setOfMap: (mapId: number) => readBody(store, BODY_OF_MAP, mapId),
    size: () => store.get(COUNT, [], CountRow)?.count ?? 0,
  };
}

/**
 * Makes the function that replaces unknown words by similar ones; if all words are known, it adds similar words beside
 * them. It returns undefined when there are no similar words.
 */
function createCorrection(store: Store, vocabulary: Vocabulary, onFailure: (error: unknown) => void) {
  const has = (sql: string, group: Groups[number]) => store.get(sql, [expressionOf(group)], CountRow) !== undefined;

  return (groups: Groups): Groups | undefined => {
    if (!vocabulary.isLoaded()) {
      vocabulary.load().catch(onFailure);
      return undefined;
    }
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
  };
}

function readBody(store: Store, sql: string, id: number): Beatmapset | undefined {
  const row = store.get(sql, [id], BodyRow);
  return row === undefined ? undefined : parseBody(unpackBody(row.body));
}

/** The set whose id is the searched text; it is shown first. */
function setByNumber(store: Store, { query, status }: Search): Beatmapset | undefined {
  if (!/^\d{1,9}$/.test(query.text)) return undefined;
  const set = readBody(store, BODY_OF_SET, Number(query.text));
  return set !== undefined && statusesOf(status).includes(set.status) && matches(query, set) ? set : undefined;
}

function resultOf({ sets, isCutShort }: Page, place: CataloguePageRequest, corrected = false): CatalogueResult {
  const { limit, offset } = place;
  if (isCutShort) return { sets, total: null, atLeast: offset + sets.length, corrected };
  const isLast = sets.length < limit && (sets.length > 0 || offset === 0);
  return { sets, total: isLast ? offset + sets.length : null, corrected };
}

/** True when the tables and the text index answer the whole query, so that no set has to be checked by itself. */
function isLeftToTables({ texts, tags, featuredArtist, excluded = [] }: Query): boolean {
  const isInTables = featuredArtist === undefined && excluded.length === 0;
  return isInTables && Object.keys(texts).length === 0 && tags.length === 0;
}

/** Merges lists in turns: the first of each, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(list => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap(list => list.slice(index, index + 1))).flat();
}

function groupsOf({ text }: Query): Groups {
  return needlesOf(text)
    .slice(0, MAX_NEEDLES)
    .map(needle => [needle]);
}

/**
 * The index finds words by their first `INDEXED_LETTERS` letters. A searched beginning with more letters is replaced by
 * all whole words of the vocabulary that begin with it.
 */
function writtenOut(vocabulary: Vocabulary, groups: Groups, index: TextIndex): Groups {
  return groups.map(group =>
    group.flatMap(needle => {
      const isIndexed = needle.text.length <= INDEXED_LETTERS[index] || needle.isWhole || needle.text.includes(' ');
      const words = isIndexed ? undefined : vocabulary.beginningWith(needle.text, MAX_WRITTEN_OUT);
      return words === undefined || words.length === 0 ? [needle] : words.map(text => ({ text, isWhole: true }));
    }),
  );
}

/** Splits a group of similar words into one search for each of them. */
function alternativesOf(groups: Groups): readonly Groups[] {
  const open = groups.findLastIndex(group => group.length > 1);
  return open < 0 ? [groups] : (groups[open] ?? []).map(needle => groups.with(open, [needle]));
}
