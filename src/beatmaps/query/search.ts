/** A search for sets as it is sent to upstreams, and their pages of answers. */
import { type Beatmapset, type Ruleset, starRange } from '../model/beatmapset.ts';
import { type Query, renderQuery } from './query.ts';
import { dateMs } from './query-match.ts';
import type { Sort, SortField, StatusFilter } from './query-words.ts';

/** A search, without the number of the wanted page. */
export interface Search {
  /** The query, including a ruleset that was stated beside the text. */
  readonly query: Query;
  readonly status: StatusFilter;
  readonly sort: Sort;
}

/** One page of sets from an upstream. */
export interface SearchPage {
  /**
   * True when no set in the upstream's answer matches, so that `sets` is empty: the upstream finds nothing, or it
   * ignored a condition. Default false.
   */
  readonly isUnsure?: boolean;
  readonly sets: readonly Beatmapset[];
  /** How many sets all pages have together, if known. */
  readonly total: number | null;
  /** The token for the next page; null on the last one. */
  readonly next: string | null;
  /** True when no set has the typed words, so that sets with similar words are returned instead. Default false. */
  readonly corrected?: boolean;
}

/** How many sets a page of an upstream has. */
export const PAGE_SIZE = 50;

/** True when the search consists of a status filter and an order only. */
export function isListing({ query }: Search): boolean {
  return renderQuery(query) === '';
}

/**
 * Sorts sets as osu! would, and equal sets by id. Only the upstream knows `relevance` and `nominations`, so lists in
 * these orders stay as they are. Sets whose value is unknown come last.
 */
export function sortSets(sets: readonly Beatmapset[], sort: Sort, ruleset?: Ruleset): readonly Beatmapset[] {
  const { field, order } = sort;
  const read = READERS[field];
  if (read === undefined) return sets;
  const sign = order === 'asc' ? 1 : -1;
  return sets
    .map(set => ({ set, value: read(set, order, ruleset) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      return sign * (compare(a.value, b.value) || a.set.id - b.set.id);
    })
    .map(({ set }) => set);
}

type Reader = (set: Beatmapset, order: Sort['order'], ruleset: Ruleset | undefined) => string | number | null;

const READERS: Readonly<Partial<Record<SortField, Reader>>> = {
  artist: set => set.artist.toLowerCase(),
  creator: set => set.creator.toLowerCase(),
  title: set => set.title.toLowerCase(),
  difficulty: (set, order, ruleset) => starRange(set, ruleset)?.[order === 'asc' ? 'min' : 'max'] ?? null,
  favourites: set => set.favourite_count,
  plays: set => set.play_count,
  rating: set => set.rating,
  ranked: set => dateMs(set.ranked_date),
  updated: set => dateMs(set.last_updated),
};

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
