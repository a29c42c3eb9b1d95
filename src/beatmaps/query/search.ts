/** A search for sets as it is sent to upstreams, and their pages of answers. */
import { type Beatmapset, type Ruleset, starRange } from '../model/beatmapset.ts';
import { type Query, renderQuery } from './query.ts';
import { time } from './query-match.ts';
import type { Sort, StatusFilter } from './query-words.ts';

/** A search, whichever page of its results is wanted. */
export interface Search {
  /** The query, including a ruleset that was stated beside the text. */
  readonly query: Query;
  readonly status: StatusFilter;
  readonly sort: Sort;
}

/** One page of sets from an upstream. */
export interface SearchPage {
  /** True when no set in the answer matches: the upstream has none, or it ignored a condition. Default false. */
  readonly isUnsure?: boolean;
  readonly sets: readonly Beatmapset[];
  /** How many sets all pages have together, if known. */
  readonly total: number | null;
  /** The token for the next page; null on the last one. */
  readonly next: string | null;
  /** True when no set has the typed words, so that sets with similar words are returned. Default false. */
  readonly corrected?: boolean;
}

/** How many sets a page of an upstream has. */
export const PAGE_SIZE = 50;

/** True when the search consists of a status filter and an order only. */
export function isListing({ query }: Search): boolean {
  return renderQuery(query) === '';
}

/**
 * Sorts sets as osu! would; equal ones by id. Only the upstream knows `relevance` and `nominations`, so lists in these
 * orders stay as they are. Sets that lack the figure come last.
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
