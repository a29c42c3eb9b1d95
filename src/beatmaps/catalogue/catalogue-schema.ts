import * as z from 'zod';
import type { Store } from '../../infra/store/store.ts';
import { type Beatmapset, starRange, statusOf } from '../model/beatmapset.ts';
import { CANDIDATES_TABLE } from './candidates.ts';
import { longestOf } from './map-figures.ts';

/** The indexes for sorting sets, each with its column. Popularity needs none, because it orders the table itself. */
const SORT_INDEXES: readonly (readonly [name: string, column: string])[] = [
  ...['plays', 'favourites', 'rating', 'updated', 'ranked'].map(name => [`catalogue_by_${name}`, name] as const),
  ...['artist', 'title', 'creator'].map(name => [`catalogue_by_${name}`, `${name} COLLATE NOCASE`] as const),
  ...['min_stars', 'max_stars'].map(name => [`catalogue_by_${name}`, name] as const),
];

/**
 * The tables of sets. `rank` orders sets by popularity, best first, and is the row number in the text indexes: these
 * answer in that order, so the most popular sets come first without sorting. Names have an index of their own, for
 * searches while a person types.
 */
const TABLES = `
CREATE TABLE catalogue_sets (
  rank INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE,
  artist TEXT NOT NULL, title TEXT NOT NULL, creator TEXT NOT NULL, status INTEGER NOT NULL,
  min_stars REAL, max_stars REAL, plays INTEGER, favourites INTEGER, rating REAL,
  genre INTEGER, language INTEGER, video INTEGER NOT NULL, nsfw INTEGER NOT NULL,
  created INTEGER, updated INTEGER, ranked INTEGER, year INTEGER, figures BLOB NOT NULL
) STRICT;
${SORT_INDEXES.map(([name, column]) => `CREATE INDEX ${name} ON catalogue_sets (${column});`).join('\n')}
CREATE TABLE catalogue_bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE catalogue_maps (id INTEGER PRIMARY KEY, set_id INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE catalogue_figures USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = "unicode61 categories 'Co'"
);
CREATE VIRTUAL TABLE catalogue_names USING fts5 (
  names, content = '', contentless_delete = 1, prefix = '1 2 3 4 5 6',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Me'"
);
CREATE VIRTUAL TABLE catalogue_text USING fts5 (
  artist, title, creator, source, tags, versions, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Me'"
);
CREATE VIRTUAL TABLE catalogue_words USING fts5vocab (catalogue_text, row);
CREATE TABLE catalogue_places (name TEXT PRIMARY KEY, place TEXT NOT NULL) STRICT;
`;

/**
 * Creates the missing indexes for sorting. A fill drops them, and a fill that was killed has not created them again. On
 * a large catalogue it takes seconds.
 */
export function ensureSortIndexes(store: Store): void {
  for (const [name, column] of SORT_INDEXES) {
    store.run(`CREATE INDEX IF NOT EXISTS ${name} ON catalogue_sets (${column})`);
  }
}

/** Drops the indexes for sorting before a fill: building them afterwards takes a tenth of the time of updating them. */
export function dropSortIndexes(store: Store): void {
  for (const [name] of SORT_INDEXES) store.run(`DROP INDEX IF EXISTS ${name}`);
}

/** The steps of `Store.migrate` that create the catalogue's tables. */
export const CATALOGUE_STEPS: readonly string[] = [TABLES, CANDIDATES_TABLE];

export function suggestionOf(set: Beatmapset): Suggestion {
  const { id, artist, title, creator, status, beatmaps } = set;
  const stars = starRange(set);
  const length = beatmaps.length === 0 ? null : Math.max(...beatmaps.map(({ total_length }) => total_length));
  return { id, artist, title, creator, status, min_stars: stars?.min ?? null, max_stars: stars?.max ?? null, length };
}

export const SuggestionRow = z
  .object({
    id: z.number(),
    artist: z.string(),
    title: z.string(),
    creator: z.string(),
    status: z.number().transform(statusOf),
    /** The stars of the easiest and the hardest difficulty. */
    min_stars: z.number().nullable(),
    max_stars: z.number().nullable(),
    figures: z.instanceof(Uint8Array),
  })
  .transform(({ figures, ...line }) => ({
    ...line,
    /** The length of the longest difficulty, in seconds. */
    length: longestOf(figures),
  }));

/** A set as one line of the suggestions while a person types. */
export type Suggestion = Readonly<z.output<typeof SuggestionRow>>;

export const IdRow = z.object({ id: z.number() });
export const BodyRow = z.object({ body: z.instanceof(Uint8Array) });
export const CountRow = z.object({ count: z.number() });
