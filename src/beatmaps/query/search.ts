/** Questions to upstreams when sets are searched, and their answers. */
import { type Beatmapset, type Ruleset, starRange } from '../model/beatmapset.ts';
import { type Query, renderQuery } from './query.ts';
import { time } from './query-match.ts';
import type { Sort, StatusFilter } from './query-words.ts';

/** One search, pages apart. */
export interface Search {
  /** With the ruleset asked for beside the text in it. */
  readonly query: Query;
  readonly status: StatusFilter;
  readonly sort: Sort;
}

/** One page as an upstream gives it. */
export interface SearchPage {
  /** The upstream answered with sets, but none is what was asked for: it has none, or it did not look. Default false. */
  readonly isUnsure?: boolean;
  readonly sets: readonly Beatmapset[];
  /** Count of sets on all pages, when known. */
  readonly total: number | null;
  /** The token for the next page; null after the last. */
  readonly next: string | null;
  /** Nothing has the words as they were written; these have words like them. Default false. */
  readonly corrected?: boolean;
}

/** Sets of an upstream's page. */
export const PAGE_SIZE = 50;

/** True when nothing but statuses and an order is asked for. */
export function isListing({ query }: Search): boolean {
  return renderQuery(query) === '';
}

/**
 * Sets in the order that osu! would give them, ties by id. `relevance` and `nominations` are the upstream's knowledge: such lists stay
 * as they are. What a set does not say comes last.
 */
export function sortSets(sets: readonly Beatmapset[], sort: Sort, ruleset?: Ruleset): readonly Beatmapset[] {
  const read = reader(sort, ruleset);
  if (read === undefined) return sets;
  const sign = sort.order === 'asc' ? 1 : -1;
  return sets
    .map(set => ({ set, value: read(set) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return sign * (compare(a.value, b.value) || a.set.id - b.set.id);
    })
    .map(({ set }) => set);
}

function reader({ field, order }: Sort, ruleset?: Ruleset): ((set: Beatmapset) => string | number | null) | undefined {
  switch (field) {
    case 'artist':
    case 'creator':
    case 'title':
      return set => set[field].toLowerCase();
    case 'difficulty':
      return set => starRange(set, ruleset)?.[order === 'asc' ? 'min' : 'max'] ?? null;
    case 'favourites':
      return set => set.favourite_count;
    case 'plays':
      return set => set.play_count;
    case 'rating':
      return set => set.rating;
    case 'ranked':
      return set => time(set.ranked_date);
    case 'updated':
      return set => time(set.last_updated);
    default:
      return undefined;
  }
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
