import type { Store } from '../infra/store.ts';
import { type Beatmapset, type Ruleset, starRange } from './beatmapset.ts';
import {
  BY_POPULARITY,
  type Cursor,
  conditionsOf,
  expressionOf,
  orderOf,
  parseCursor,
  renderCursor,
  START,
  textFiltersOf,
} from './catalogue-filter.ts';
import { createWriteQueue } from './catalogue-queue.ts';
import {
  BodyRow,
  CATALOGUE_STEPS,
  CountRow,
  IdRow,
  parseBody,
  type Suggestion,
  SuggestionRow,
} from './catalogue-schema.ts';
import { createVocabulary } from './catalogue-words.ts';
import { rebuildRanks, writeSet } from './catalogue-writer.ts';
import { parseQuery, type Query, renderQuery } from './query.ts';
import { matches } from './query-match.ts';
import { type Needle, needlesOf } from './query-text.ts';
import { type Sort, type StatusFilter, statusesOf } from './query-words.ts';

/**
 * Every set that ever passed through, searched without asking anybody. Free text must be there in full, by the beginnings of words, in
 * any of a set's latin and unicode names, mappers, source, tags and difficulties; the most popular sets come first.
 *
 * @throws AppError `internal` from every method but `remember` and `close` when the store fails
 */
export interface Catalogue {
  /** Keeps sets a little later, in one go. Sets without difficulties are left out. */
  remember(sets: readonly Beatmapset[]): void;
  /** Writes what waits now. */
  flush(): void;
  /** @throws AppError `invalid_request` on a cursor that is not ours */
  search(query: Query | string, options?: CatalogueSearch): CatalogueResult;
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

export interface CatalogueSearch {
  /** Instead of the query's. */
  readonly ruleset?: Ruleset | undefined;
  /** Default: any. */
  readonly status?: StatusFilter | undefined;
  /** Default, and what relevance means here: the most popular first. */
  readonly sort?: Sort | undefined;
  /** Default 20. */
  readonly limit?: number | undefined;
  /** Of the result before, with all else the same. */
  readonly cursor?: string | undefined;
}

export interface CatalogueResult {
  readonly sets: readonly Beatmapset[];
  /** Undefined at the end. */
  readonly cursor: string | undefined;
  /** Nothing was found for the words as they were written; these are sets for words like them. */
  readonly corrected: boolean;
}

export interface CatalogueOptions {
  readonly store: Store;
  /** What could not be kept or read in the background; nobody waits for it. */
  onFailure(error: unknown): void;
  /** Default 500. */
  readonly writeDelayMs?: number;
}

const MAX_WAITING = 5_000;
/** About 20 ms of writing. */
const PORTION = 100;
const DEFAULT_LIMIT = 20;
/** Rows looked at for one page, when texts that no index tells leave few of them. */
const MAX_EXAMINED = 2_000;
const MAX_NEEDLES = 32;
const RELEVANCE: Sort = { field: 'relevance', order: 'desc' };

/** Free text as the index is asked for it: any of each group, all groups. */
type Groups = readonly (readonly Needle[])[];

const ANY_WITH = 'SELECT 1 AS count FROM catalogue_text WHERE catalogue_text MATCH ? LIMIT 1';
const COUNT = 'SELECT count(*) AS count FROM catalogue_bodies';
const COLUMNS = 's.id, s.artist, s.title, s.creator, s.max_stars';
const BY_NAME = `SELECT ${COLUMNS} FROM catalogue_names CROSS JOIN catalogue_sets s ON s.rank = catalogue_names.rowid
  WHERE catalogue_names MATCH ? ORDER BY catalogue_names.rowid LIMIT ?`;
const BY_RANK = `SELECT ${COLUMNS} FROM catalogue_sets s ORDER BY s.rank LIMIT ?`;
const BODY_OF_SET = 'SELECT body FROM catalogue_bodies WHERE id = ?';
const BODY_OF_MAP = 'SELECT b.body FROM catalogue_maps m JOIN catalogue_bodies b ON b.id = m.set_id WHERE m.id = ?';

export function createCatalogue({ store, onFailure, writeDelayMs = 500 }: CatalogueOptions): Catalogue {
  store.migrate('catalogue', CATALOGUE_STEPS);
  const vocabulary = createVocabulary(store);
  const queue = createWriteQueue<Beatmapset>({
    maxSize: MAX_WAITING,
    portion: PORTION,
    delayMs: writeDelayMs,
    write(sets) {
      const texts = store.transaction(() => sets.map(set => writeSet(store, set)));
      for (const text of texts.flatMap(one => one ?? [])) vocabulary.add(text);
    },
    onFailure,
  });

  function readBody(sql: string, id: number): Beatmapset | undefined {
    const row = store.get(sql, [id], BodyRow);
    return row === undefined ? undefined : parseBody(row.body);
  }

  const readSet = (id: number) => readBody(BODY_OF_SET, id);

  /** Groups in which unknown words, or all when each is known, may be ones like them; undefined when there are none. */
  function correct(groups: Groups): Groups | undefined {
    if (!vocabulary.isLoaded) {
      vocabulary.load().catch(onFailure);
      return undefined;
    }
    const isKnown = groups.map(group => store.get(ANY_WITH, [expressionOf(group)], CountRow) !== undefined);
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

  function page(query: Query, groups: Groups, options: CatalogueSearch, start: Cursor): CatalogueResult {
    const { limit = DEFAULT_LIMIT } = options;
    const { sql, params } = rowsOf(query, groups, options);
    const { corrected } = start;
    // The index has looked for the words, corrected ones perhaps.
    const wanted = { ...query, text: '' };
    const sets: Beatmapset[] = [];
    let { offset } = start;
    while (offset - start.offset < MAX_EXAMINED) {
      const portion = limit + 1 - sets.length;
      const found = store.all(sql, [...params, portion, offset], IdRow);
      for (const { id } of found) {
        if (sets.length === limit) return { sets, cursor: renderCursor({ offset, corrected }), corrected };
        offset += 1;
        const set = readSet(id);
        if (set !== undefined && matches(wanted, set)) sets.push(set);
      }
      if (found.length < portion) return { sets, cursor: undefined, corrected };
    }
    return { sets, cursor: renderCursor({ offset, corrected }), corrected };
  }

  /** The set whose number the text is, before all others. */
  function numbered(query: Query, options: CatalogueSearch): Beatmapset | undefined {
    if (!/^\d{1,9}$/.test(query.text) || options.cursor !== undefined) return undefined;
    const set = readSet(Number(query.text));
    const isAllowed = options.status === undefined || (set && statusesOf(options.status).includes(set.status)) === true;
    return set !== undefined && isAllowed && matches(query, set) ? set : undefined;
  }

  function search(asked: Query | string, options: CatalogueSearch = {}): CatalogueResult {
    const parsed = typeof asked === 'string' ? parseQuery(asked) : asked;
    const query = options.ruleset === undefined ? parsed : { ...parsed, ruleset: options.ruleset };
    const groups = groupsOf(query);
    const start = parseCursor(options.cursor);
    if (!start.corrected) {
      const first = numbered(query, options);
      if (first !== undefined) return startingWith(first, query, groups, options);
      const result = page(query, groups, options, start);
      if (result.sets.length > 0 || groups.length === 0 || options.cursor !== undefined) return result;
    }
    const corrected = correct(groups);
    if (corrected === undefined) return { sets: [], cursor: undefined, corrected: false };
    const result = page(query, corrected, options, { ...start, corrected: true });
    return result.sets.length > 0 ? result : { ...result, corrected: false };
  }

  function startingWith(first: Beatmapset, query: Query, groups: Groups, options: CatalogueSearch): CatalogueResult {
    const limit = (options.limit ?? DEFAULT_LIMIT) - 1;
    const result = page(query, groups, { ...options, limit }, START);
    return { ...result, sets: [first, ...result.sets.filter(({ id }) => id !== first.id)] };
  }

  function suggest(typed: string, limit: number): readonly Suggestion[] {
    const query = parseQuery(typed);
    if (renderQuery(query) === query.text) {
      const groups = groupsOf(query);
      if (groups.length === 0) return store.all(BY_RANK, [limit], SuggestionRow);
      const named = store.all(BY_NAME, [groups.map(expressionOf).join(' AND '), limit], SuggestionRow);
      if (named.length > 0) return named;
    }
    return search(query, { limit }).sets.map(suggestionOf);
  }

  return {
    remember: sets => queue.add(sets.filter(set => set.beatmaps.length > 0)),
    flush: () => queue.flush(),
    search,
    suggest,
    set: readSet,
    setOfMap: mapId => readBody(BODY_OF_MAP, mapId),
    size: () => store.get(COUNT, [], CountRow)?.count ?? 0,
    rebuildRanks: () => rebuildRanks(store),
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

interface Rows {
  /** Lacks its last two parameters: how many, and after how many. */
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

function rowsOf(query: Query, groups: Groups, { status, sort = RELEVANCE }: CatalogueSearch): Rows {
  const { sql, params } = conditionsOf(query, status === undefined ? undefined : statusesOf(status));
  const words = [...groups.map(expressionOf), ...textFiltersOf(query)];
  const order = orderOf(sort);
  if (words.length === 0) {
    const where = sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`;
    return { sql: `SELECT s.id FROM catalogue_sets s ${where} ORDER BY ${order} LIMIT ? OFFSET ?`, params };
  }
  // In the index's own order nothing is sorted.
  const by = order === BY_POPULARITY ? 'catalogue_text.rowid' : order;
  const where = ['catalogue_text MATCH ?', ...sql].join(' AND ');
  return {
    sql: `SELECT s.id FROM catalogue_text CROSS JOIN catalogue_sets s ON s.rank = catalogue_text.rowid
      WHERE ${where} ORDER BY ${by} LIMIT ? OFFSET ?`,
    params: [words.join(' AND '), ...params],
  };
}

function suggestionOf(set: Beatmapset): Suggestion {
  const { id, artist, title, creator } = set;
  return { id, artist, title, creator, max_stars: starRange(set)?.max ?? null };
}
