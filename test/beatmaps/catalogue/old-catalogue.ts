/** What versions up to 0.2.0 left in medley.db: the tables that hold much or are read, and of the others that they are there. */
import type { Beatmapset } from '../../../src/beatmaps/model/beatmapset.ts';
import { openStore } from '../../../src/infra/store/store.ts';

const STEPS = [
  `CREATE TABLE catalogue_sets (rank INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, title TEXT NOT NULL, plays INTEGER) STRICT;
  CREATE INDEX catalogue_by_plays ON catalogue_sets (plays, id);
  CREATE TABLE catalogue_bodies (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE catalogue_maps (set_id INTEGER NOT NULL, id INTEGER NOT NULL UNIQUE, PRIMARY KEY (set_id, id)) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE catalogue_names USING fts5 (names, content = '', contentless_delete = 1, prefix = '1 2 3');
  CREATE VIRTUAL TABLE catalogue_text USING fts5 (title, tags, content = '', contentless_delete = 1, prefix = '1 2 3');
  CREATE VIRTUAL TABLE catalogue_words USING fts5vocab (catalogue_text, row);
  CREATE TABLE catalogue_feeds (name TEXT PRIMARY KEY, cursor TEXT, sets INTEGER NOT NULL) STRICT;`,
  `CREATE TABLE catalogue_candidates (
    mode INTEGER NOT NULL, loved INTEGER NOT NULL, step INTEGER NOT NULL, set_id INTEGER NOT NULL, id INTEGER NOT NULL,
    PRIMARY KEY (mode, loved, step, set_id, id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE catalogue_background (ruleset TEXT PRIMARY KEY, page INTEGER NOT NULL, finished INTEGER NOT NULL) STRICT;
  CREATE TABLE catalogue_background_days (day INTEGER PRIMARY KEY, pages INTEGER NOT NULL) STRICT`,
];

export function writeOldCatalogue(path: string, sets: readonly Beatmapset[]): void {
  const store = openStore(path);
  store.migrate('catalogue', STEPS);
  store.transaction(() => {
    for (const set of sets) {
      store.run('INSERT INTO catalogue_sets VALUES (?, ?, ?, ?)', [
        set.id + 1_000_000,
        set.id,
        set.title,
        set.play_count,
      ]);
      store.run('INSERT INTO catalogue_bodies VALUES (?, ?)', [set.id, JSON.stringify(set)]);
      store.run('INSERT INTO catalogue_names (rowid, names) VALUES (?, ?)', [set.id, set.title]);
      store.run('INSERT INTO catalogue_text (rowid, title, tags) VALUES (?, ?, ?)', [set.id, set.title, set.tags]);
      for (const { id } of set.beatmaps) {
        store.run('INSERT INTO catalogue_maps VALUES (?, ?)', [set.id, id]);
        store.run('INSERT INTO catalogue_candidates VALUES (0, 0, 1, ?, ?)', [set.id, id]);
      }
    }
  });
  store.close();
}
