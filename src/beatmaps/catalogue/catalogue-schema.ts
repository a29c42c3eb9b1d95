import { z } from 'zod';
import type { Store } from '../../infra/store/store.ts';
import { type Beatmapset, beatmapsetSchema, type Status, starRange, statusOf } from '../model/beatmapset.ts';
import { CANDIDATES_STEP } from '../recommend/catalogue-candidates.ts';

/** Every order but popularity, and the columns it goes by. */
const SORT_INDEXES: readonly (readonly [name: string, columns: string])[] = [
  ['catalogue_by_plays', 'plays'],
  ['catalogue_by_favourites', 'favourites'],
  ['catalogue_by_rating', 'rating'],
  ['catalogue_by_updated', 'updated'],
  ['catalogue_by_ranked', 'ranked'],
  ['catalogue_by_artist', 'artist COLLATE NOCASE'],
  ['catalogue_by_title', 'title COLLATE NOCASE'],
  ['catalogue_by_creator', 'creator COLLATE NOCASE'],
  ['catalogue_by_min_stars', 'min_stars'],
  ['catalogue_by_max_stars', 'max_stars'],
];

/**
 * `rank` orders by popularity, best first, and is the row number of the texts: a text index answers in the order of its row numbers, so
 * the best come first without anything being sorted. The names alone have an index of their own for what is typed letter by letter.
 */
const TABLES = `
CREATE TABLE catalogue_sets (
  rank INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE,
  artist TEXT NOT NULL, title TEXT NOT NULL, creator TEXT NOT NULL, status INTEGER NOT NULL,
  min_stars REAL, max_stars REAL, plays INTEGER, favourites INTEGER, rating REAL,
  genre INTEGER, language INTEGER, video INTEGER NOT NULL, nsfw INTEGER NOT NULL,
  created INTEGER, updated INTEGER, ranked INTEGER, year INTEGER
) STRICT;
${SORT_INDEXES.map(([name, columns]) => `CREATE INDEX ${name} ON catalogue_sets (${columns}, id);`).join('\n')}
CREATE TABLE catalogue_bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
CREATE TABLE catalogue_maps (
  set_id INTEGER NOT NULL, id INTEGER NOT NULL UNIQUE, mode INTEGER NOT NULL, stars REAL NOT NULL,
  ar REAL, od REAL, cs REAL, hp REAL, bpm REAL, length REAL NOT NULL, circles INTEGER, sliders INTEGER,
  PRIMARY KEY (set_id, id)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE catalogue_names USING fts5 (
  names, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Me'"
);
CREATE VIRTUAL TABLE catalogue_text USING fts5 (
  artist, title, creator, source, tags, versions, content = '', contentless_delete = 1, prefix = '1 2 3',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Me'"
);
CREATE VIRTUAL TABLE catalogue_words USING fts5vocab (catalogue_text, row);
CREATE TABLE catalogue_feeds (name TEXT PRIMARY KEY, cursor TEXT, sets INTEGER NOT NULL) STRICT;
`;

/** Those that a filling dropped and, being killed, did not make again; seconds on a large catalogue, else nothing. */
export function ensureSortIndexes(store: Store): void {
  for (const [name, columns] of SORT_INDEXES) {
    store.run(`CREATE INDEX IF NOT EXISTS ${name} ON catalogue_sets (${columns}, id)`);
  }
}

/** Each set lands anywhere in each of them: made at the end they cost a tenth. Answers in these orders are slow until then. */
export function dropSortIndexes(store: Store): void {
  for (const [name] of SORT_INDEXES) store.run(`DROP INDEX IF EXISTS ${name}`);
}

/**
 * The beginning of a word that has no list of its own is put together from those of all words that begin so: milliseconds where it is
 * common. The names are written again by `ensureNames`.
 */
const NAMES_STEP = `
DROP TABLE catalogue_names;
CREATE VIRTUAL TABLE catalogue_names USING fts5 (
  names, content = '', contentless_delete = 1, prefix = '1 2 3 4 5 6 7 8',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc Me'"
);
`;

/** How far the fill in the background is in each ruleset, and how much it read on a day. */
const BACKGROUND_FILL_STEP = `
CREATE TABLE catalogue_background (
  ruleset TEXT PRIMARY KEY, page INTEGER NOT NULL, finished INTEGER NOT NULL
) STRICT;
CREATE TABLE catalogue_background_days (day INTEGER PRIMARY KEY, pages INTEGER NOT NULL) STRICT;
`;

/** Schema steps of the part `catalogue` of the store. */
export const CATALOGUE_STEPS: readonly string[] = [TABLES, CANDIDATES_STEP, NAMES_STEP, BACKGROUND_FILL_STEP];

/** A set as it was kept, or undefined when an older version kept it in another shape. */
export function parseBody(body: string): Beatmapset | undefined {
  return beatmapsetSchema.safeParse(JSON.parse(body)).data;
}

/** A set in one line, for lists that open while a person types. */
export interface Suggestion {
  readonly id: number;
  readonly artist: string;
  readonly title: string;
  readonly creator: string;
  readonly status: Status;
  /** Of the easiest and the hardest difficulty. */
  readonly min_stars: number | null;
  readonly max_stars: number | null;
  /** Of the longest difficulty, in seconds. */
  readonly length: number | null;
}

export function suggestionOf(set: Beatmapset): Suggestion {
  const { id, artist, title, creator, status, beatmaps } = set;
  const stars = starRange(set);
  const length = beatmaps.length === 0 ? null : Math.max(...beatmaps.map(({ total_length }) => total_length));
  return { id, artist, title, creator, status, min_stars: stars?.min ?? null, max_stars: stars?.max ?? null, length };
}

export const SuggestionRow: z.ZodType<Suggestion> = z.object({
  id: z.number(),
  artist: z.string(),
  title: z.string(),
  creator: z.string(),
  status: z.number().transform(statusOf),
  min_stars: z.number().nullable(),
  max_stars: z.number().nullable(),
  length: z.number().nullable(),
});

export const IdRow = z.object({ id: z.number() });
export const BodyRow = z.object({ body: z.string() });
export const CountRow = z.object({ count: z.number() });
