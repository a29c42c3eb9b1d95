import type { Store } from '../../infra/store/store.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import { parseQuery, type Query } from '../query/query.ts';
import { matches } from '../query/query-match.ts';
import { type Needle, needlesOf } from '../query/query-text.ts';
import { type Sort, statusesOf } from '../query/query-words.ts';
import type { Search } from '../query/search.ts';
import {
  BY_POPULARITY,
  conditionsOf,
  expressionOf,
  isRareCount,
  orderOf,
  rarityProbe,
  textFiltersOf,
} from './catalogue-filter.ts';
import { createWriteQueue } from './catalogue-queue.ts';
import {
  BodyRow,
  CATALOGUE_STEPS,
  CountRow,
  dropSortIndexes,
  ensureSortIndexes,
  IdRow,
  parseBody,
  type Suggestion,
  SuggestionRow,
  suggestionOf,
} from './catalogue-schema.ts';
import { createVocabulary } from './catalogue-words.ts';
import { ensureNames, ID_OF_RANK, rebuildRanks, writeSets } from './catalogue-writer.ts';

/**
 * Every set that ever passed through, searched without asking anybody. Free text must be there in full, by the beginnings of words, in
 * any of a set's latin and unicode names, mappers, source, tags and difficulties. What osu! calls relevance is popularity here.
 *
 * @throws AppError `internal` from every method but `remember` and `close` when the store fails
 */
export interface Catalogue {
  /** Keeps sets a little later, in one go. Sets without difficulties are left out. */
  remember(sets: readonly Beatmapset[]): void;
  /** Writes what waits now. */
  flush(): void;
  search(search: Search, page: { readonly limit: number; readonly offset: number }): CatalogueResult;
  /** The most popular sets for what has been typed so far, filters included. */
  suggest(typed: string, limit: number): readonly Suggestion[];
  set(id: number): Beatmapset | undefined;
  setOfMap(mapId: number): Beatmapset | undefined;
  size(): number;
  /** Puts the order of popularity and the indexes in shape, after the catalogue was filled. Blocks for seconds when it is large. */
  rebuildRanks(): void;
  /** Reads the words that correct typos; done by itself when first missed, which then goes without. */
  warm(): Promise<void>;
  /** Writes what waits; failures go to `onFailure`. Safe to call twice. */
  close(): void;
}

export interface CatalogueResult {
  readonly sets: readonly Beatmapset[];
  /** Of all pages; known on the last. */
  readonly total: number | null;
  /** Nothing was found for the words as they were written; these are sets for words like them. */
  readonly corrected: boolean;
}

export interface CatalogueOptions {
  readonly store: Store;
  /** What could not be kept or read in the background; no caller waits for it. */
  onFailure(error: unknown): void;
  /** Default 500. */
  readonly writeDelayMs?: number;
  /** Many sets are about to come and `rebuildRanks` will be called after them: until then only the order of popularity is fast. */
  readonly isFilling?: boolean;
  /** Whether this process writes the catalogue; where several share one, the others only read it. Default: it does. */
  readonly isFiller?: () => boolean;
}

const MAX_WAITING = 5_000;
/** About 20 ms of writing. */
const PORTION = 100;
const FLUSH_PORTION = 1_000;
/** Rows looked at for one page, when texts that no index holds leave few of them. */
const MAX_EXAMINED = 2_000;
const MAX_NEEDLES = 32;
const POPULAR: Sort = { field: 'relevance', order: 'desc' };

interface Page {
  readonly limit: number;
  readonly offset: number;
}

interface Asked extends Search {
  /** Number of a set to leave out. */
  readonly without?: number;
  /** Few sets have such difficulties, and many the words. */
  readonly isRare?: boolean;
}

/** Free text as the index is asked for it: any of each group, all groups. */
type Groups = readonly (readonly Needle[])[];

/** A row that has it, from the index that answers at once, else from the one that is certain. */
const ANY_NAME = 'SELECT 1 AS count FROM catalogue_names WHERE catalogue_names MATCH ? LIMIT 1';
const ANY_TEXT = 'SELECT 1 AS count FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT 1';
/** So many texts have the words that difficulties are better looked through first. */
const MANY = 10_000;
const MANY_TEXTS = `SELECT count(*) AS count FROM (SELECT 1 FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT ${MANY})`;
const COUNT = 'SELECT count(*) AS count FROM catalogue_bodies';
const LINE =
  's.id, s.artist, s.title, s.creator, s.status, s.min_stars, s.max_stars, ' +
  '(SELECT max(m.length) FROM catalogue_maps m WHERE m.set_id = s.id) AS length';
const BODY_OF_SET = 'SELECT body FROM catalogue_bodies WHERE id = ?';
const BODY_OF_MAP = 'SELECT b.body FROM catalogue_maps m JOIN catalogue_bodies b ON b.id = m.set_id WHERE m.id = ?';

export function createCatalogue(options: CatalogueOptions): Catalogue {
  const { store, onFailure, writeDelayMs = 500, isFilling = false, isFiller = () => true } = options;
  store.migrate('catalogue', CATALOGUE_STEPS);
  if (isFiller()) {
    ensureNames(store);
    if (isFilling) dropSortIndexes(store);
    else ensureSortIndexes(store);
  }
  const vocabulary = createVocabulary(store);
  const queue = createWriteQueue<Beatmapset>({
    maxSize: MAX_WAITING,
    portion: PORTION,
    flushPortion: FLUSH_PORTION,
    delayMs: writeDelayMs,
    write(sets) {
      for (const text of store.transaction(() => writeSets(store, sets))) vocabulary.add(text);
    },
    onFailure,
  });

  function readBody(sql: string, id: number): Beatmapset | undefined {
    const row = store.get(sql, [id], BodyRow);
    return row === undefined ? undefined : parseBody(row.body);
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

  function page(asked: Asked, groups: Groups, { limit, offset }: Page): readonly Beatmapset[] {
    const { sql, params } = rowsOf('s.id', asked, groups);
    if (isLeftToTables(asked.query)) return readSets(store.all(sql, [...params, limit, offset], IdRow));
    // No index knows whose name is meant, or one difficulty's name and all else at once. It has looked for the words though.
    const wanted = { ...asked.query, text: '' };
    const rows = store.all(sql, [...params, MAX_EXAMINED, 0], IdRow);
    const found: Beatmapset[] = [];
    for (let index = 0; index < rows.length && found.length < offset + limit; index += PORTION) {
      found.push(...readSets(rows.slice(index, index + PORTION)).filter(set => matches(wanted, set)));
    }
    return found.slice(offset, offset + limit);
  }

  function readSets(rows: readonly { readonly id: number }[]): readonly Beatmapset[] {
    return rows.flatMap(({ id }) => readSet(id) ?? []);
  }

  /** The set whose number the text is: it comes before all others. */
  function numbered({ query, status }: Search): Beatmapset | undefined {
    if (!/^\d{1,9}$/.test(query.text)) return undefined;
    const set = readSet(Number(query.text));
    return set !== undefined && statusesOf(status).includes(set.status) && matches(query, set) ? set : undefined;
  }

  const count = (sql: string, params: readonly (string | number)[]) => store.get(sql, params, CountRow)?.count ?? 0;

  /** Whether looking into the sets one after the other, as the order has them, would be long. */
  function isRare(query: Query, groups: Groups): boolean {
    const probe = rarityProbe(query);
    if (probe === undefined || !isRareCount(count(probe.sql, probe.params))) return false;
    const match = matchOf(query, groups);
    return match === '' || count(MANY_TEXTS, [match]) === MANY;
  }

  function search(wanted: Search, { limit, offset }: Page): CatalogueResult {
    const groups = groupsOf(wanted.query);
    const asked: Asked = { ...wanted, isRare: isRare(wanted.query, groups) };
    const result = (sets: readonly Beatmapset[], corrected = false): CatalogueResult => {
      const isLast = sets.length < limit && (sets.length > 0 || offset === 0);
      return { sets, total: isLast ? offset + sets.length : null, corrected };
    };
    const first = numbered(asked);
    if (first !== undefined) {
      const others = { ...asked, without: first.id };
      if (offset > 0) return result(page(others, groups, { limit, offset: offset - 1 }));
      return result([first, ...page(others, groups, { limit: limit - 1, offset })]);
    }
    const sets = page(asked, groups, { limit, offset });
    const isFound = sets.length > 0 || (offset > 0 && page(asked, groups, { limit: 1, offset: 0 }).length > 0);
    const corrected = isFound || groups.length === 0 ? undefined : correct(groups);
    if (corrected === undefined) return result(sets);
    const likely = page(asked, corrected, { limit, offset });
    return result(likely, likely.length > 0);
  }

  function suggest(typed: string, limit: number): readonly Suggestion[] {
    const query = parseQuery(typed);
    const groups = groupsOf(query);
    const asked: Asked = { query, status: 'any', sort: POPULAR, isRare: isRare(query, groups) };
    if (!isLeftToTables(query)) return search(asked, { limit, offset: 0 }).sets.map(suggestionOf);
    const read = ({ sql, params }: Rows) => store.all(sql, [...params, limit, 0], SuggestionRow);
    // Who types means a name first of all; the index of names is small and has every beginning at hand.
    const lines = (likely: Groups) => {
      const named = likely.length === 0 ? [] : read(rowsOf(LINE, asked, likely, 'catalogue_names'));
      return named.length > 0 ? named : read(rowsOf(LINE, asked, likely));
    };
    const found = lines(groups);
    if (found.length > 0 || groups.length === 0) return found;
    const corrected = correct(groups);
    return corrected === undefined ? [] : lines(corrected);
  }

  return {
    remember(sets) {
      if (isFiller()) queue.add(sets.filter(set => set.beatmaps.length > 0));
    },
    flush: () => queue.flush(),
    search,
    suggest,
    set: readSet,
    setOfMap: mapId => readBody(BODY_OF_MAP, mapId),
    size: () => store.get(COUNT, [], CountRow)?.count ?? 0,
    rebuildRanks() {
      rebuildRanks(store);
      ensureSortIndexes(store);
    },
    warm: () => vocabulary.load(),
    close: () => queue.close(),
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

/** What the text index is asked for; empty when it is not asked. */
function matchOf(query: Query, groups: Groups): string {
  return [...groups.map(expressionOf), ...textFiltersOf(query)].join(' AND ');
}

interface Rows {
  /** Lacks its last two parameters: how many, and after how many. */
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** Whether conditions and the text index say all there is to say. */
function isLeftToTables({ texts, tags }: Query): boolean {
  return Object.keys(texts).length === 0 && tags.length === 0;
}

function rowsOf(
  columns: string,
  { query, status, sort, without, isRare = false }: Asked,
  groups: Groups,
  index: 'catalogue_text' | 'catalogue_names' = 'catalogue_text',
): Rows {
  const match = matchOf(query, groups);
  // The index's own rows hold a set's number, so that those of other sets need not be looked up.
  const id = match === '' ? 's.id' : `(${index}.rowid ${ID_OF_RANK})`;
  const listBy = isRare ? id : undefined;
  const { sql, params } = conditionsOf(query, { statuses: statusesOf(status), without, listBy });
  const order = orderOf(sort);
  if (match === '') {
    const where = sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`;
    return { sql: `SELECT ${columns} FROM catalogue_sets s ${where} ORDER BY ${order} LIMIT ? OFFSET ?`, params };
  }
  // In the index's own order nothing is sorted.
  const by = order === BY_POPULARITY ? `${index}.rowid` : order;
  const where = [`${index} MATCH ?`, ...sql].join(' AND ');
  return {
    sql: `SELECT ${columns} FROM ${index} CROSS JOIN catalogue_sets s ON s.rank = ${index}.rowid
      WHERE ${where} ORDER BY ${by} LIMIT ? OFFSET ?`,
    params: [match, ...params],
  };
}
