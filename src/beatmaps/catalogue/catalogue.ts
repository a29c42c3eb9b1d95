import type { Beatmapset } from '../model/beatmapset.ts';
import type { Search } from '../query/search.ts';
import type { Candidate, CandidateWindow } from './candidates.ts';
import type { Suggestion } from './catalogue-schema.ts';

/**
 * Every set that ever passed through, searched without asking an upstream. Every word of the free text must be the beginning of a word in a
 * set's latin and unicode names, mappers, source, tags or difficulties. Popularity stands in for osu!'s relevance.
 *
 * @throws AppError `internal` from every method but `remember` when the file fails, `upstream_unavailable` while the catalogue is away,
 * `rate_limited` (params.reason `busy`) when too many questions wait
 */
export interface Catalogue {
  /** Stores sets a little later. Sets without difficulties are left out; failures are logged. */
  remember(sets: readonly Beatmapset[]): void;
  /** Resolves when all remembered sets are written. */
  flush(): Promise<void>;
  search(search: Search, page: CataloguePageRequest): Promise<CatalogueResult>;
  /** The most popular sets that fit the text typed so far, conditions included. */
  suggest(typed: string, limit: number): Promise<readonly Suggestion[]>;
  set(id: number): Promise<Beatmapset | undefined>;
  /** The sets among these ids that are known, in this order. */
  sets(ids: readonly number[]): Promise<readonly Beatmapset[]>;
  setOfMap(mapId: number): Promise<Beatmapset | undefined>;
  size(): Promise<number>;
  /**
   * About `size` maps that may be recommended, spread over the whole window; another seed gives others. Sets whose download is disabled are
   * left out.
   */
  draw(window: CandidateWindow, size: number, seed: number): Promise<readonly Candidate[]>;
  /** The place at which a fill of this name goes on. */
  place(name: string): Promise<string | undefined>;
  /** Stores the place after all sets that were remembered before it are written. */
  keepPlace(name: string, place: string | null): Promise<void>;
  /** Sorts sets by their present popularity and merges the indexes, step by step. Takes long on a large catalogue; questions are answered meanwhile. */
  tidy(): Promise<void>;
  /** Reads the words that correct typos. The first search that needs them also starts this, but goes without them itself. */
  warm(): Promise<void>;
  /** Writes the waiting sets and closes the file. Safe to call twice. */
  close(): Promise<void>;
}

export interface CataloguePageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface CatalogueResult {
  readonly sets: readonly Beatmapset[];
  /** How many sets all pages have; known only on the last page. */
  readonly total: number | null;
  /** A lower bound of that count where the search did not look at everything; then the exact one is not known. */
  readonly atLeast?: number;
  /** True when no set has the words as they were written and these sets have similar words. */
  readonly corrected: boolean;
}
