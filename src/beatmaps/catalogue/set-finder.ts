import * as z from 'zod';
import type { SqlValue, Store } from '../../infra/store/store.ts';
import { STATUSES, type Status, statusNumber } from '../model/beatmapset.ts';
import { type Query, TEXT_KEYS, type TextFilter } from '../query/query.ts';
import { filterNeedles, SET_FIGURES } from '../query/query-match.ts';
import type { Needle } from '../query/query-text.ts';
import { type Sort, statusesOf } from '../query/query-words.ts';
import type { Search } from '../query/search.ts';
import { CountRow, IdRow, type Suggestion, SuggestionRow } from './catalogue-schema.ts';
import { figureExpression, SPOTLIGHTS } from './figure-words.ts';
import { figuresTest } from './map-figures.ts';

/** Groups of words or phrases. A set must contain at least one word or phrase of every group. */
export type Groups = readonly (readonly Needle[])[];

export type TextIndex = 'catalogue_text' | 'catalogue_names';

export interface Asked extends Search {
  /** The id of a set to leave out. */
  readonly without?: number;
}

export interface FindRequest {
  readonly asked: Asked;
  readonly groups: Groups;
  readonly limit: number;
  readonly offset: number;
  /** The index for the words in `groups`. Default: the index of all texts. */
  readonly index?: TextIndex;
  /** Checks a set for conditions that are in no index. This is slow. */
  readonly check?: (id: number) => boolean;
}

/** How many rows are read for a page: first the smaller number, then the larger one if that was not enough. */
const TIERS = [250, 4_000];
/** How many sets are checked one by one for a page, which may take some milliseconds. */
const MAX_CHECKED = 400;
/**
 * If at most this many sets are in the searched ranges (stars, AR, length and the like), each is read by its popularity
 * rank; otherwise all sets are read in the requested order, and sets outside of the ranges are skipped.
 */
const RARE = 150;
/** If at most this many sets have the searched words, the searched ranges are checked without an index. */
const FEW = 250;
/**
 * The most sets found by words that are sorted in an order other than popularity. If more are found, only the most
 * popular of them are sorted.
 */
const MAX_SORTED = 20_000;

const RankRow = z.object({ rank: z.number() });
const FiguresRow = z.object({ id: z.number(), figures: z.instanceof(Uint8Array) });
const RANKS = `SELECT rowid AS rank FROM catalogue_figures WHERE catalogue_figures MATCH ? ORDER BY rowid LIMIT ${RARE + 1}`;

const LINE = 's.id, s.artist, s.title, s.creator, s.status, s.min_stars, s.max_stars, s.figures';
const LINES = `SELECT ${LINE} FROM json_each(?) j CROSS JOIN catalogue_sets s ON s.id = j.value ORDER BY j.key`;

interface Plan {
  readonly from: string;
  readonly where: string;
  readonly order: string;
  readonly params: readonly SqlValue[];
  readonly isCutShort: boolean;
}

/** Finds sets by indexes, beginning with the rarest condition where it is quick to tell which condition that is. */
export function createSetFinder(store: Store) {
  /** Reads the rows of one page of the sets that a plan finds. */
  function rowsOf<T>(columns: string, row: z.ZodType<T>, { from, where, order, params }: Plan, page: FindRequest): T[] {
    const sql = `SELECT ${columns} FROM ${from} ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
    return store.all(sql, [...params, page.limit, page.offset], row);
  }

  /** `isCutShort`: more sets may match, because only a bounded number of rows of the catalogue was read. */
  function find(request: FindRequest): { readonly ids: readonly number[]; readonly isCutShort: boolean } {
    const plan = choosePlan(store, request);
    const { isCutShort } = plan;
    const { limit, offset, check } = request;
    const test = figuresTest(request.asked.query);
    if (test === undefined && check === undefined) {
      return { ids: rowsOf('s.id', IdRow, plan, request).map(({ id }) => id), isCutShort };
    }
    const wanted = offset + limit;
    for (const [index, tier] of TIERS.map(rows => Math.max(rows, wanted)).entries()) {
      const rows = rowsOf('s.id, s.figures', FiguresRow, plan, { ...request, limit: tier, offset: 0 });
      const likely = test === undefined ? rows : rows.filter(row => test(row.figures));
      const checked = check === undefined ? likely : likely.slice(0, MAX_CHECKED);
      const found = firstOf(checked, wanted, ({ id }) => check?.(id) !== false);
      const isEnough = found.length === wanted;
      const isAll = rows.length < tier && checked.length === likely.length;
      const isLast = index === TIERS.length - 1 || checked.length < likely.length;
      if (isEnough || isAll || isLast) {
        return { ids: found.slice(offset).map(({ id }) => id), isCutShort: !isEnough && (isCutShort || !isAll) };
      }
    }
    return { ids: [], isCutShort: true };
  }

  return {
    find,
    /** Finds sets and returns each as a line for suggestions. */
    lines(request: FindRequest): readonly Suggestion[] {
      if (request.check === undefined && figuresTest(request.asked.query) === undefined) {
        return rowsOf(LINE, SuggestionRow, choosePlan(store, request), request);
      }
      const { ids } = find(request);
      return ids.length === 0 ? [] : store.all(LINES, [JSON.stringify(ids)], SuggestionRow);
    },
  };
}

function choosePlan(store: Store, { asked, groups, index = 'catalogue_text' }: FindRequest): Plan {
  const { query, status, sort, without } = asked;
  const statuses = statusesOf(status);
  const clauses = { conditions: conditionsOf(query, statuses, without), order: orderOf(sort) };
  const match = [...groups.map(expressionOf), ...textFiltersOf(query)].join(' AND ');
  const figures = figureExpression(query, statuses);
  if (match !== '') return planByWords(store, index, match, figures, clauses);
  return figures === '' ? planOf('catalogue_sets s', clauses, []) : planByFigures(store, figures, clauses);
}

/** A plan that begins by finding the searched words, all of them in one text index. */
function planByWords(store: Store, index: TextIndex, match: string, figures: string, clauses: Clauses): Plan {
  const own = `${index} MATCH ?`;
  const ranks = figures !== '' && hasMore(store, index, match, FEW) ? rareRanks(store, figures) : undefined;
  if (ranks !== undefined) {
    const texts = `json_each(?) j CROSS JOIN ${index} ON ${index}.rowid = j.value`;
    const from = `${texts} CROSS JOIN catalogue_sets s ON s.rank = j.value`;
    return planOf(from, clauses, [JSON.stringify(ranks), match], own);
  }
  // The index answers in order of popularity, so for that order nothing has to be sorted.
  if (clauses.order === BY_POPULARITY) {
    const plan = planOf(`${index} CROSS JOIN catalogue_sets s ON s.rank = ${index}.rowid`, clauses, [match], own);
    return { ...plan, order: `${index}.rowid` };
  }
  const popular = `(SELECT rowid AS rank FROM ${index} WHERE ${own} ORDER BY rowid LIMIT ${MAX_SORTED}) t`;
  const plan = planOf(`${popular} CROSS JOIN catalogue_sets s ON s.rank = t.rank`, clauses, [match]);
  return { ...plan, isCutShort: hasMore(store, index, match, MAX_SORTED) };
}

function planByFigures(store: Store, figures: string, clauses: Clauses): Plan {
  if (clauses.order === BY_POPULARITY) {
    const sets = 'catalogue_figures CROSS JOIN catalogue_sets s ON s.rank = catalogue_figures.rowid';
    return { ...planOf(sets, clauses, [figures], 'catalogue_figures MATCH ?'), order: 'catalogue_figures.rowid' };
  }
  const ranks = rareRanks(store, figures);
  if (ranks === undefined) return planOf('catalogue_sets s', clauses, []);
  const sets = 'json_each(?) j CROSS JOIN catalogue_sets s ON s.rank = j.value';
  return planOf(sets, clauses, [JSON.stringify(ranks)]);
}

function hasMore(store: Store, index: TextIndex, match: string, count: number): boolean {
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ${count + 1})`;
  return (store.get(sql, [match], CountRow)?.count ?? 0) > count;
}

/** The ranks of the sets in the searched ranges; undefined when there are more than RARE. */
function rareRanks(store: Store, figures: string): readonly number[] | undefined {
  const ranks = store.all(RANKS, [figures], RankRow).map(({ rank }) => rank);
  return ranks.length <= RARE ? ranks : undefined;
}

interface Clauses {
  readonly conditions: readonly Condition[];
  readonly order: string;
}

/** @param params the values for `from`, then the values for the conditions in `first` */
function planOf(from: string, clauses: Clauses, params: readonly SqlValue[], ...first: readonly string[]): Plan {
  const { conditions, order } = clauses;
  const all = [...first, ...conditions.map(([sql]) => sql)];
  const where = all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`;
  return { from, where, order, params: [...params, ...conditions.flatMap(([, ...own]) => own)], isCutShort: false };
}

function firstOf<T>(values: readonly T[], count: number, isWanted: (value: T) => boolean): readonly T[] {
  const found: T[] = [];
  for (const value of values) {
    if (found.length === count) break;
    if (isWanted(value)) found.push(value);
  }
  return found;
}

/** An SQL condition with its parameters. */
type Condition = readonly [sql: string, ...params: SqlValue[]];

/**
 * SQL conditions on `catalogue_sets s` for what a query says about sets, but not for texts and difficulties.
 * @param without the id of a set to leave out
 */
function conditionsOf(query: Query, statuses: readonly Status[], without: number | undefined): readonly Condition[] {
  const { stars } = query.ranges;
  const marks = statuses.map(() => '?').join(', ');
  return [
    ...SET_FIGURES.flatMap(([key]) => compared(`s.${key} >= ?`, query.ranges[key]?.gte)),
    ...SET_FIGURES.flatMap(([key]) => compared(`s.${key} < ?`, query.ranges[key]?.lt)),
    ...(statuses.length === STATUSES.length
      ? []
      : [[`s.status IN (${marks})`, ...statuses.map(statusNumber)] as const]),
    ...compared('s.id <> ?', without),
    ...compared('s.genre = ?', query.genre),
    ...compared('s.language = ?', query.language),
    ...compared('s.video = ?', query.video),
    ...compared('s.nsfw = ?', query.nsfw),
    ...isSpotlight(query.spotlight),
    // The star range of a set as a whole spares most checks of its single difficulties.
    ...compared('s.max_stars >= ?', stars?.gte),
    ...compared('s.min_stars < ?', stars?.lt),
  ];
}

function compared(sql: string, value: number | boolean | undefined): readonly Condition[] {
  return value === undefined ? [] : [[sql, Number(value)]];
}

/** A condition on spotlights, by the index for numbers: no column states them, as few sets are in a spotlight. */
function isSpotlight(wanted: boolean | undefined): readonly Condition[] {
  if (wanted === undefined) return [];
  const ranks = 'SELECT rowid FROM catalogue_figures WHERE catalogue_figures MATCH ?';
  return [[`s.rank ${wanted ? '' : 'NOT '}IN (${ranks})`, SPOTLIGHTS]];
}

/**
 * The text filters of a query that the text index can answer. A filter by the id of a mapper is left out, because the
 * index has no such ids.
 */
function textFiltersOf({ texts, tags }: Query): readonly string[] {
  const inColumn = (column: string, filter: TextFilter) =>
    filterNeedles(filter).map(needle => `${column} : ${expressionOf([needle])}`);
  const filters = TEXT_KEYS.flatMap(key => {
    const filter = texts[key];
    if (filter === undefined || (key === 'creator' && /^\d+$/.test(filter.text))) return [];
    return inColumn(key === 'difficulty' ? 'versions' : key, filter);
  });
  return [...filters, ...tags.flatMap(tag => inColumn('tags', tag))];
}

/**
 * An expression of the text index for any of these words or phrases. They are folded to letters, digits and spaces,
 * which need no escaping.
 */
export function expressionOf(needles: readonly Needle[]): string {
  const any = needles.map(({ text, isWhole }) => (isWhole ? `"${text}"` : `"${text}" *`));
  return any.length === 1 ? any.join('') : `(${any.join(' OR ')})`;
}

/** The order by popularity, the most popular first. */
const BY_POPULARITY = 's.rank';

function orderOf({ field, order }: Sort): string {
  if (field === 'relevance' || field === 'nominations') return BY_POPULARITY;
  const stars = order === 'asc' ? 'min_stars' : 'max_stars';
  const column = field === 'difficulty' ? stars : field;
  const collation = ['artist', 'creator', 'title'].includes(field) ? ' COLLATE NOCASE' : '';
  return `s.${column}${collation} ${order} NULLS LAST, s.rank ${order}`;
}
