import type { Beatmapset } from '../model/beatmapset.ts';
import type { Search } from '../query/search.ts';
import type { Candidate, CandidateWindow } from './candidates.ts';
import type { Suggestion } from './catalogue-schema.ts';

/**
 * Every set that ever passed through, searched without asking anybody. Free text must be there in full, by the beginnings of words, in
 * any of a set's latin and unicode names, mappers, source, tags and difficulties. What osu! calls relevance is popularity here.
 *
 * @throws AppError `internal` from every method but `remember` when the file fails, `upstream_unavailable` while the catalogue is away,
 * `rate_limited` (params.reason `busy`) when too many questions wait
 */
export interface Catalogue {
  /** Keeps sets a little later. Sets without difficulties are left out; failures are logged. */
  remember(sets: readonly Beatmapset[]): void;
  /** Resolves when all that was to be remembered is written. */
  flush(): Promise<void>;
  search(search: Search, page: CataloguePageRequest): Promise<CatalogueResult>;
  /** The most popular sets for what has been typed so far, filters included. */
  suggest(typed: string, limit: number): Promise<readonly Suggestion[]>;
  set(id: number): Promise<Beatmapset | undefined>;
  /** Those of them that are known, in this order. */
  sets(ids: readonly number[]): Promise<readonly Beatmapset[]>;
  setOfMap(mapId: number): Promise<Beatmapset | undefined>;
  size(): Promise<number>;
  /**
   * About `size` maps that could be recommended, from all over the window; others for another seed. None whose download is disabled.
   */
  draw(window: CandidateWindow, size: number, seed: number): Promise<readonly Candidate[]>;
  /** A fill leaves its place under its name and goes on from there. */
  place(name: string): Promise<string | undefined>;
  /** After all that was remembered before is written. */
  keepPlace(name: string, place: string | null): Promise<void>;
  /** Puts the order of popularity and the indexes in shape, step by step. Takes long on a large catalogue; questions are answered meanwhile. */
  tidy(): Promise<void>;
  /** Reads the words that correct typos; done by itself when first missed, which then goes without. */
  warm(): Promise<void>;
  /** Writes what waits. Safe to call twice. */
  close(): Promise<void>;
}

export interface CataloguePageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface CatalogueResult {
  readonly sets: readonly Beatmapset[];
  /** Count of sets on all pages; known on the last. */
  readonly total: number | null;
  /** So many there are at least, when not all was looked through for this page; then nothing more is known. */
  readonly atLeast?: number;
  /** Nothing was found for the words as they were written; these are sets for words like them. */
  readonly corrected: boolean;
}
