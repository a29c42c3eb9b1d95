/** What upstreams are asked when sets are searched, and what they answer. */
import type { Beatmapset } from '../model/beatmapset.ts';
import { type Query, renderQuery } from './query.ts';
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
  /** Of all pages, when known. */
  readonly total: number | null;
  /** What the upstream gives the next page for; null after the last. */
  readonly next: string | null;
  /** Nothing has the words as they were written; these have words like them. Default false. */
  readonly corrected?: boolean;
}

/** Sets of an upstream's page. */
export const PAGE_SIZE = 50;

/** Whether nothing but statuses and an order is asked for. */
export function isListing({ query }: Search): boolean {
  return renderQuery(query) === '';
}
