import { z } from 'zod';
import type { SqlValue, Store } from '../../infra/store/store.ts';
import type { Needle } from '../query/query-text.ts';
import { statusesOf } from '../query/query-words.ts';
import type { Search } from '../query/search.ts';
import { figureExpression } from './figure-words.ts';
import { figuresTest } from './map-figures.ts';
import { BY_POPULARITY, conditionsOf, expressionOf, orderOf, textFiltersOf } from './search-conditions.ts';

export interface Asked extends Search {
  /** Number of a set to leave out. */
  readonly without?: number;
}

/** Free text as the index is asked for it: any of each group, all groups. */
export type Groups = readonly (readonly Needle[])[];

export type TextIndex = 'catalogue_text' | 'catalogue_names';

export interface FindRequest {
  readonly asked: Asked;
  readonly groups: Groups;
  readonly limit: number;
  readonly offset: number;
  /** Where the words of `groups` are looked for. Default: everywhere. */
  readonly index?: TextIndex;
  /** What no index knows. Takes long. */
  readonly check?: (id: number) => boolean;
}

export interface Finding {
  readonly ids: readonly number[];
  /** There may be more: no more rows are looked at for one page. */
  readonly isCutShort: boolean;
}

/** Rows looked at for one page, until there are enough of them. */
const TIERS = [250, 2_000, 8_000];
/** Those that a check takes long for; some milliseconds. */
const MAX_CHECKED = 400;
/** So few sets with some figures are looked up one by one, whatever else is asked for. */
const RARE = 150;
/** Texts sorted by anything but popularity. */
const MAX_SORTED = 20_000;

const IdRow = z.object({ id: z.number() });
const RankRow = z.object({ rank: z.number() });
const CountRow = z.object({ count: z.number() });
const FiguresRow = z.object({ id: z.number(), figures: z.instanceof(Uint8Array) });
const RANKS = `SELECT rowid AS rank FROM catalogue_figures WHERE catalogue_figures MATCH ? ORDER BY rowid LIMIT ${RARE + 1}`;

interface Plan {
  /** From `FROM` to the order. */
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly isCutShort: boolean;
}

/** Finds sets by indexes, the rarest first as far as can be known in a moment. */
export function createSetFinder(store: Store) {
  function hasMore(index: TextIndex, match: string, count: number): boolean {
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ${count + 1})`;
    return (store.get(sql, [match], CountRow)?.count ?? 0) > count;
  }

  function planOf({ asked, groups, index = 'catalogue_text' }: FindRequest): Plan {
    const { query, status, sort, without } = asked;
    const statuses = statusesOf(status);
    const match = [...groups.map(expressionOf), ...textFiltersOf(query)].join(' AND ');
    const figures = figureExpression(query, statuses);
    const conditions = conditionsOf(query, { statuses, without });
    const order = orderOf(sort);
    const isByPopularity = order === BY_POPULARITY;
    const where = (...first: readonly string[]) => {
      const all = [...first, ...conditions.sql];
      return all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`;
    };
    const plan = (sql: string, params: readonly SqlValue[], isCutShort = false): Plan => ({
      sql: `FROM ${sql} ORDER BY ${order}`,
      params: [...params, ...conditions.params],
      isCutShort,
    });

    if (figures !== '' && (match !== '' || !isByPopularity)) {
      const ranks = store.all(RANKS, [figures], RankRow).map(({ rank }) => rank);
      const list = JSON.stringify(ranks);
      if (ranks.length <= RARE) {
        const text = match === '' ? '' : `CROSS JOIN ${index} ON ${index}.rowid = j.value`;
        const sets = `json_each(?) j ${text} CROSS JOIN catalogue_sets s ON s.rank = j.value`;
        return match === ''
          ? plan(`${sets} ${where()}`, [list])
          : plan(`${sets} ${where(`${index} MATCH ?`)}`, [list, match]);
      }
    }
    if (match !== '' && !isByPopularity) {
      const popular = `(SELECT rowid AS rank FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid LIMIT ${MAX_SORTED}) t`;
      const sets = `${popular} CROSS JOIN catalogue_sets s ON s.rank = t.rank`;
      return plan(`${sets} ${where()}`, [match], hasMore(index, match, MAX_SORTED));
    }
    const [driver, expression] = match === '' ? ['catalogue_figures', figures] : [index, match];
    if (expression === '' || !isByPopularity) return plan(`catalogue_sets s ${where()}`, []);
    // In the index's own order nothing is sorted.
    return {
      ...plan(`${driver} CROSS JOIN catalogue_sets s ON s.rank = ${driver}.rowid ${where(`${driver} MATCH ?`)}`, [
        expression,
      ]),
    };
  }

  function find(request: FindRequest): Finding {
    const { asked, limit, offset, check } = request;
    const { sql, params, isCutShort } = planOf(request);
    const test = figuresTest(asked.query);
    if (test === undefined && check === undefined) {
      const rows = store.all(`SELECT s.id ${sql} LIMIT ? OFFSET ?`, [...params, limit, offset], IdRow);
      return { ids: rows.map(({ id }) => id), isCutShort };
    }
    const wanted = offset + limit;
    let found: number[] = [];
    let checked = 0;
    for (const tier of TIERS.map(rows => Math.max(rows, wanted))) {
      found = [];
      checked = 0;
      const rows = store.all(`SELECT s.id, s.figures ${sql} LIMIT ?`, [...params, tier], FiguresRow);
      for (const { id, figures } of rows) {
        if (test !== undefined && !test(figures)) continue;
        if (check !== undefined && ++checked > MAX_CHECKED) break;
        if (check === undefined || check(id)) found.push(id);
        if (found.length === wanted) break;
      }
      const isAll = rows.length < tier && checked <= MAX_CHECKED;
      if (found.length === wanted || isAll) return { ids: found.slice(offset), isCutShort: isCutShort && isAll };
      if (checked > MAX_CHECKED) break;
    }
    return { ids: found.slice(offset), isCutShort: true };
  }

  return { find };
}
