import type { SqlValue } from '../../infra/store/store.ts';
import { STATUSES, type Status, statusNumber } from '../model/beatmapset.ts';
import type { Query, RangeKey, TextKey } from '../query/query.ts';
import { filterNeedles } from '../query/query-match.ts';
import type { Needle } from '../query/query-text.ts';
import type { Range } from '../query/query-values.ts';
import type { Sort } from '../query/query-words.ts';
import { SPOTLIGHTS } from './figure-words.ts';

/** SQL conditions, all of which must hold. */
export interface Conditions {
  readonly sql: readonly string[];
  readonly params: readonly SqlValue[];
}

const SET_COLUMNS: readonly (readonly [RangeKey, string])[] = [
  ['favourites', 's.favourites'],
  ['status', 's.status'],
  ['created', 's.created'],
  ['updated', 's.updated'],
  ['ranked', 's.ranked'],
  ['year', 's.year'],
];

export interface ConditionOptions {
  readonly statuses: readonly Status[];
  /** The id of a set to leave out. */
  readonly without: number | undefined;
}

/** SQL conditions on `catalogue_sets s` for what a query says about sets, but not for texts and difficulties. */
export function conditionsOf(query: Query, { statuses, without }: ConditionOptions): Conditions {
  const { stars } = query.ranges;
  return join([
    ...SET_COLUMNS.map(([key, column]) => within(column, query.ranges[key])),
    statuses.length === STATUSES.length ? NONE : oneOf('s.status', statuses.map(statusNumber)),
    without === undefined ? NONE : { sql: ['s.id <> ?'], params: [without] },
    equal('s.genre', query.genre),
    equal('s.language', query.language),
    equal('s.video', query.video === undefined ? undefined : Number(query.video)),
    equal('s.nsfw', query.nsfw === undefined ? undefined : Number(query.nsfw)),
    isSpotlight(query.spotlight),
    // The set's bounds of stars spare most checks of its difficulties one by one.
    within('s.max_stars', stars?.gte === undefined ? undefined : { gte: stars.gte }),
    within('s.min_stars', stars?.lt === undefined ? undefined : { lt: stars.lt }),
  ]);
}

function within(column: string, range: Range | undefined): Conditions {
  return join([
    range?.gte === undefined ? NONE : { sql: [`${column} >= ?`], params: [range.gte] },
    range?.lt === undefined ? NONE : { sql: [`${column} < ?`], params: [range.lt] },
  ]);
}

function equal(column: string, value: number | undefined): Conditions {
  return value === undefined ? NONE : { sql: [`${column} = ?`], params: [value] };
}

/** A condition by the index of figures: no column says which sets are in a spotlight, since few are. */
function isSpotlight(wanted: boolean | undefined): Conditions {
  if (wanted === undefined) return NONE;
  const ranks = 'SELECT rowid FROM catalogue_figures WHERE catalogue_figures MATCH ?';
  return { sql: [`s.rank ${wanted ? '' : 'NOT '}IN (${ranks})`], params: [SPOTLIGHTS] };
}

function oneOf(column: string, values: readonly number[]): Conditions {
  return { sql: [`${column} IN (${values.map(() => '?').join(', ')})`], params: values };
}

const NONE: Conditions = { sql: [], params: [] };

function join(conditions: readonly Conditions[]): Conditions {
  return { sql: conditions.flatMap(one => one.sql), params: conditions.flatMap(one => one.params) };
}

const TEXT_COLUMNS: readonly (readonly [TextKey, string])[] = [
  ['artist', 'artist'],
  ['title', 'title'],
  ['creator', 'creator'],
  ['source', 'source'],
  ['difficulty', 'versions'],
];

/** The text filters of a query that the text index can answer; ids of mappers are in no text. */
export function textFiltersOf({ texts, tags }: Query): readonly string[] {
  const filters = TEXT_COLUMNS.flatMap(([key, column]) => {
    const filter = texts[key];
    if (filter === undefined || (key === 'creator' && /^\d+$/.test(filter.text))) return [];
    return filterNeedles(filter).map(needle => `${column} : ${expressionOf([needle])}`);
  });
  return [...filters, ...tags.flatMap(tag => filterNeedles(tag).map(needle => `tags : ${expressionOf([needle])}`))];
}

/** An expression for any of the needles. It needs no escaping: folded text has only letters, digits and spaces. */
export function expressionOf(needles: readonly Needle[]): string {
  const any = needles.map(({ text, isWhole }) => (isWhole ? `"${text}"` : `"${text}" *`));
  return any.length === 1 ? any.join('') : `(${any.join(' OR ')})`;
}

/** The order by popularity, the most popular first. */
export const BY_POPULARITY = 's.rank';

export function orderOf({ field, order }: Sort): string {
  const by = (column: string) => `${column} ${order} NULLS LAST, s.rank ${order}`;
  switch (field) {
    case 'artist':
    case 'creator':
    case 'title':
      return by(`s.${field} COLLATE NOCASE`);
    case 'difficulty':
      return by(order === 'asc' ? 's.min_stars' : 's.max_stars');
    case 'favourites':
    case 'plays':
    case 'ranked':
    case 'rating':
    case 'updated':
      return by(`s.${field}`);
    default:
      return BY_POPULARITY;
  }
}
