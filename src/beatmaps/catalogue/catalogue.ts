import type { Beatmapset } from '../model/beatmapset.ts';
import type { Search } from '../query/search.ts';
import type { Candidate, CandidateWindow } from './candidates.ts';
import type { Suggestion } from './catalogue-schema.ts';

/**
 * All sets that Medley has ever read, searched without an upstream. A set is found if each typed word begins a word of
 * its latin or unicode names, mappers, source, tags or difficulties. Sorted by relevance, the popular ones come first.
 * @throws AppError `internal` from every method but `remember` when the file fails, `upstream_unavailable` while the
 * catalogue's thread cannot run, `rate_limited` (params.reason `busy`) when too many calls wait
 */
export interface Catalogue {
  /** Stores sets after a short delay. Sets without difficulties are left out; failures are logged. */
  remember(sets: readonly Beatmapset[]): void;
  /** Resolves when all sets passed to `remember` are written. */
  flush(): Promise<void>;
  search(search: Search, page: CataloguePageRequest): Promise<CatalogueResult>;
  /** The most popular sets that match the words and conditions (`ar>9`) that a person has typed so far. */
  suggest(typed: string, limit: number): Promise<readonly Suggestion[]>;
  set(id: number): Promise<Beatmapset | undefined>;
  /** The catalogue's sets with these ids, in the order of the ids; unknown ones are left out. */
  sets(ids: readonly number[]): Promise<readonly Beatmapset[]>;
  setOfMap(mapId: number): Promise<Beatmapset | undefined>;
  size(): Promise<number>;
  /**
   * Draws about `size` maps for recommendations from all parts of the window; another seed draws other maps. Sets that
   * cannot be downloaded are left out.
   */
  draw(window: CandidateWindow, size: number, seed: number): Promise<readonly Candidate[]>;
  /** The stored position at which the fill of that name continues. */
  place(name: string): Promise<string | undefined>;
  /** Stores the position at which a fill continues, after storing all sets that were remembered before. */
  keepPlace(name: string, place: string | null): Promise<void>;
  /** Merges the indexes, step by step, and creates indexes that a fill dropped; may take long. */
  tidy(): Promise<void>;
  /** Resolves when the words for correcting typos are in memory. A new thread loads them; a search does not wait. */
  warm(): Promise<void>;
  /** Writes the remembered sets and closes the file. Safe to call twice. */
  close(): Promise<void>;
}

export interface CataloguePageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface CatalogueResult {
  readonly sets: readonly Beatmapset[];
  /** The number of sets on all pages together, if known; the catalogue knows it only on the last page. */
  readonly total: number | null;
  /** A lower bound of the number of sets, when the search stopped early. The pages may not show all of them. */
  readonly atLeast?: number;
  /** True when no set has the typed words, so that sets with similar words are returned instead. */
  readonly corrected: boolean;
}
