import type { Store } from '../../infra/store/store.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { parseQuery, type Query } from '../query/query.ts';
import { matches } from '../query/query-match.ts';
import { type Needle, needlesOf } from '../query/query-text.ts';
import { type Sort, statusesOf } from '../query/query-words.ts';
import type { Search } from '../query/search.ts';
import type { CataloguePageRequest, CatalogueResult } from './catalogue.ts';
import { BodyRow, CountRow, type Suggestion, suggestionOf } from './catalogue-schema.ts';
import type { Vocabulary } from './catalogue-words.ts';
import { expressionOf } from './search-conditions.ts';
import { parseBody, unpackBody } from './set-body.ts';
import { type Asked, createSetFinder, type Groups, type TextIndex } from './set-finder.ts';

interface Page {
  readonly sets: readonly Beatmapset[];
  /** See {@link Finding}. */
  readonly isCutShort: boolean;
}

const MAX_NEEDLES = 32;
/** An index has the beginnings of words up to so many letters at hand; it would gather the sets of longer ones first. */
const INDEXED_LETTERS: Readonly<Record<TextIndex, number>> = { catalogue_names: 6, catalogue_text: 3 };
/** Words that a beginning is written out as. */
const MAX_WRITTEN_OUT = 16;
const POPULAR: Sort = { field: 'relevance', order: 'desc' };

/** A row that has it, from the index that answers at once, else from the one that is certain. */
const ANY_NAME = 'SELECT 1 AS count FROM catalogue_names WHERE catalogue_names MATCH ? LIMIT 1';
const ANY_TEXT = 'SELECT 1 AS count FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT 1';
const COUNT = 'SELECT count(*) AS count FROM catalogue_bodies';
const BODY_OF_SET = 'SELECT body FROM catalogue_bodies WHERE id = ?';
const BODY_OF_MAP = 'SELECT b.body FROM catalogue_maps m JOIN catalogue_bodies b ON b.id = m.set_id WHERE m.id = ?';

export interface CatalogueSearch {
  search(search: Search, page: CataloguePageRequest): CatalogueResult;
  suggest(typed: string, limit: number): readonly Suggestion[];
  set(id: number): Beatmapset | undefined;
  setOfMap(mapId: number): Beatmapset | undefined;
  size(): number;
}

export interface CatalogueSearchOptions {
  readonly store: Store;
  readonly vocabulary: Vocabulary;
  /** Gets failures of reading in the background. */
  onFailure(error: unknown): void;
}

/** Reads a file of the catalogue; see {@link Catalogue}. */
export function createCatalogueSearch({ store, vocabulary, onFailure }: CatalogueSearchOptions): CatalogueSearch {
  const finder = createSetFinder(store);

  function readBody(sql: string, id: number): Beatmapset | undefined {
    const row = store.get(sql, [id], BodyRow);
    return row === undefined ? undefined : parseBody(unpackBody(row.body));
  }

  const readSet = (id: number) => readBody(BODY_OF_SET, id);

  const has = (sql: string, expression: string) => store.get(sql, [expression], CountRow) !== undefined;

  /** Groups in which unknown words, or all when each is known, may be ones like them; undefined when there are none. */
  function correct(groups: Groups): Groups | undefined {
    if (!vocabulary.isLoaded) {
      vocabulary.load().catch(onFailure);
      return undefined;
    }
    const isKnown = groups.map(group => [ANY_NAME, ANY_TEXT].some(sql => has(sql, expressionOf(group))));
    const isAllKnown = isKnown.every(Boolean);
    let isChanged = false;
    const corrected = groups.map((group, index) => {
      const [needle] = group;
      if (needle === undefined || needle.isWhole || (isKnown[index] === true && !isAllKnown)) return group;
      const words = vocabulary.correct(needle.text, index === groups.length - 1);
      if (words.length > 0) isChanged = true;
      return isAllKnown || words.length === 0 ? [...group, ...words.map(asNeedle)] : words.map(asNeedle);
    });
    return isChanged ? corrected : undefined;
  }

  /** The same with the words themselves in place of long beginnings. */
  function writeOut(groups: Groups, index: TextIndex): Groups {
    return groups.map(group =>
      group.flatMap(needle => {
        const isAtHand = needle.text.length <= INDEXED_LETTERS[index] || needle.isWhole || needle.text.includes(' ');
        const words = isAtHand ? undefined : vocabulary.beginningWith(needle.text, MAX_WRITTEN_OUT);
        return words === undefined || words.length === 0 ? [needle] : words.map(text => ({ text, isWhole: true }));
      }),
    );
  }

  function page(asked: Asked, groups: Groups, wanted: CataloguePageRequest): Page {
    // No index knows whose name is meant, or one difficulty's name and all else at once. It has looked for the words though.
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
    const { ids, isCutShort } = finder.find({
      asked,
      groups: writeOut(groups, 'catalogue_text'),
      ...wanted,
      ...(rest && { check: hasRest }),
    });
    return { sets: ids.flatMap(id => read(id) ?? []), isCutShort };
  }

  /** The set whose number the text is: it comes before all others. */
  function numbered({ query, status }: Search): Beatmapset | undefined {
    if (!/^\d{1,9}$/.test(query.text)) return undefined;
    const set = readSet(Number(query.text));
    return set !== undefined && statusesOf(status).includes(set.status) && matches(query, set) ? set : undefined;
  }

  function search(wanted: Search, { limit, offset }: CataloguePageRequest): CatalogueResult {
    const groups = groupsOf(wanted.query);
    const result = ({ sets, isCutShort }: Page, corrected = false): CatalogueResult => {
      if (isCutShort) return { sets, total: null, atLeast: offset + sets.length, corrected };
      const isLast = sets.length < limit && (sets.length > 0 || offset === 0);
      return { sets, total: isLast ? offset + sets.length : null, corrected };
    };
    const first = numbered(wanted);
    if (first !== undefined) {
      const others = { ...wanted, without: first.id };
      if (offset > 0) return result(page(others, groups, { limit, offset: offset - 1 }));
      const { sets, isCutShort } = page(others, groups, { limit: limit - 1, offset });
      return result({ sets: [first, ...sets], isCutShort });
    }
    const found = page(wanted, groups, { limit, offset });
    const isFound =
      found.sets.length > 0 ||
      found.isCutShort ||
      (offset > 0 && page(wanted, groups, { limit: 1, offset: 0 }).sets.length > 0);
    const corrected = isFound || groups.length === 0 ? undefined : correct(groups);
    if (corrected === undefined) return result(found);
    const likely = page(wanted, corrected, { limit, offset });
    return result(likely, likely.sets.length > 0);
  }

  function suggest(typed: string, limit: number): readonly Suggestion[] {
    const query = parseQuery(typed);
    const groups = groupsOf(query);
    const asked: Asked = { query, status: 'any', sort: POPULAR };
    if (!isLeftToTables(query)) return search(asked, { limit, offset: 0 }).sets.map(suggestionOf);
    const find = (likely: Groups, index: TextIndex) =>
      finder.lines({ asked, groups: writeOut(likely, index), limit, offset: 0, index });
    // A person who types means a name first of all, and the index of names is small.
    const lines = (likely: Groups) => {
      const named = likely.length === 0 ? [] : find(likely, 'catalogue_names');
      return named.length > 0 ? named : find(likely, 'catalogue_text');
    };
    const found = lines(groups);
    // One mistyped word may well be the beginning of others; several that are found together hardly.
    const isSure = groups.length === 0 || found.length >= limit || (found.length > 0 && groups.length > 1);
    const corrected = isSure ? undefined : correct(groups);
    // Each likely word has its turn, or the popular ones would leave no room for the one that was meant.
    const meant = corrected === undefined ? [] : inTurns(alternativesOf(corrected).map(lines));
    const distinct = new Map([...found, ...meant].map(line => [line.id, line]));
    return [...distinct.values()].slice(0, limit);
  }

  return {
    search,
    suggest,
    set: readSet,
    setOfMap: mapId => readBody(BODY_OF_MAP, mapId),
    size: () => store.get(COUNT, [], CountRow)?.count ?? 0,
  };
}

function groupsOf({ text }: Query): Groups {
  return needlesOf(text)
    .slice(0, MAX_NEEDLES)
    .map(needle => [needle]);
}

function asNeedle(text: string): Needle {
  return { text, isWhole: false };
}

/** True when conditions and the text index answer the whole query. */
function isLeftToTables({ texts, tags, excluded = [] }: Query): boolean {
  return Object.keys(texts).length === 0 && tags.length === 0 && excluded.length === 0;
}

/** The same with one word in place of the likely ones, for each of them. */
function alternativesOf(groups: Groups): readonly Groups[] {
  const open = groups.findLastIndex(group => group.length > 1);
  return open < 0 ? [groups] : (groups[open] ?? []).map(needle => groups.with(open, [needle]));
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(list => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap(list => list.slice(index, index + 1))).flat();
}
