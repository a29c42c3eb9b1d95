/** The catalogue lay in the database of everything else before it had a file of its own. */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { tryFileLock } from '../../infra/store/file-lock.ts';
import { openStore, type Store } from '../../infra/store/store.ts';
import { type Beatmapset, beatmapsetSchema } from '../model/beatmapset.ts';
import { mergeSets } from './set-merge.ts';

export interface MoveOptions {
  readonly oldPath: string;
  readonly set: (id: number) => Beatmapset | undefined;
  /** All or nothing. `place` is where to go on after them. */
  readonly write: (sets: readonly Beatmapset[], place: string) => void;
  readonly place: () => string | undefined;
  /** What was written outlives a power cut from here on. */
  readonly sync: () => void;
  readonly signal: AbortSignal;
}

/** Sets written at once, about 10 ms in which questions wait. */
const PORTION = 50;
/** Rows deleted at once, a few milliseconds in which other writers wait. */
const ROWS = 100;
/** What is asked between two portions comes first. */
const PAUSE_MS = 4;
/** Giving the room back rewrites what is left, at once; with more pages than that the room is left to what is stored later. */
const MAX_LEFT_PAGES = 2_000;

const BODIES = 'catalogue_bodies';
const PAGE = `SELECT id, body FROM ${BODIES} WHERE id > ? ORDER BY id LIMIT ${PORTION}`;
const BodyRow = z.object({ id: z.number(), body: z.string() });
const NameRow = z.object({ name: z.string() });
const PagesRow = z.object({ pages: z.number(), free: z.number() });
const PAGES = 'SELECT page_count AS pages, freelist_count AS free FROM pragma_page_count, pragma_freelist_count';

/** Tables whose rows are deleted before they are dropped, for that would hold other writers for seconds; with what tells rows apart. */
const LARGE_TABLES: readonly (readonly [name: string, key: string, which?: string])[] = [
  ...['catalogue_text', 'catalogue_names'].flatMap(
    name =>
      [
        // The first ones say what there is; without them the index cannot even be dropped.
        [`${name}_data`, 'rowid', 'WHERE rowid > 10'],
        [`${name}_docsize`, 'rowid'],
      ] as const,
  ),
  ['catalogue_candidates', 'mode, loved, step, set_id, id'],
  ['catalogue_maps', 'set_id, id'],
  ['catalogue_sets', 'rowid'],
  // The last: while it is there, something is left to do.
  [BODIES, 'rowid'],
];

/**
 * Moves what older versions kept in `oldPath`, a few sets at a time, and when all is safe drops its tables there. A run that is cut
 * short goes on with the next start.
 *
 * @returns sets moved; 0 when there is nothing to move, or another process moves it
 * @throws the signal's reason; AppError `internal` when one of the files fails
 */
export async function moveOldCatalogue(options: MoveOptions): Promise<number> {
  const { oldPath, sync, signal } = options;
  if (!existsSync(oldPath)) return 0;
  const old = openStore(oldPath);
  try {
    if (!tablesOf(old).has(BODIES)) return 0;
    const lockPath = join(dirname(oldPath), 'catalogue-move.lock');
    const lock = tryFileLock(lockPath);
    if (lock === undefined) return 0;
    try {
      const moved = await moveSets(old, options);
      sync();
      await dropTables(old, signal);
      return moved;
    } finally {
      lock.release();
      rmSync(lockPath, { force: true });
    }
  } finally {
    old.close();
  }
}

async function moveSets(old: Store, { set: knownSet, write, place, signal }: MoveOptions): Promise<number> {
  let moved = 0;
  for (let last = Number(place() ?? -1); ; ) {
    const rows = old.all(PAGE, [last], BodyRow);
    const end = rows.at(-1);
    if (end === undefined) return moved;
    last = end.id;
    const sets = rows.flatMap(({ id, body }) => {
      const set = beatmapsetSchema.safeParse(JSON.parse(body)).data;
      // One of an older version that cannot be read any more will come again from an upstream.
      if (set === undefined) return [];
      const known = knownSet(id);
      return known === undefined ? set : mergeSets(set, known);
    });
    write(sets, String(last));
    moved += sets.length;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

async function dropTables(old: Store, signal: AbortSignal): Promise<void> {
  const indexes = old.all(
    "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'catalogue_sets' AND sql IS NOT NULL",
    [],
    NameRow,
  );
  for (const { name } of indexes) {
    old.run(`DROP INDEX ${name}`);
    await sleep(PAUSE_MS, undefined, { signal });
  }
  for (const [name, key, which = ''] of LARGE_TABLES) {
    if (!tablesOf(old).has(name)) continue;
    const sql = `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${name} ${which} LIMIT ${ROWS})`;
    while (old.run(sql).changes > 0) await sleep(PAUSE_MS, undefined, { signal });
  }
  old.transaction(() => {
    // Text indexes take their own tables with them.
    for (const name of ['catalogue_words', 'catalogue_text', 'catalogue_names']) {
      old.run(`DROP TABLE IF EXISTS ${name}`);
    }
    for (const name of [...tablesOf(old)].filter(each => each.startsWith('catalogue_'))) old.run(`DROP TABLE ${name}`);
    old.run("DELETE FROM migrations WHERE room = 'catalogue'");
  });
  const { pages, free } = old.get(PAGES, [], PagesRow) ?? { pages: 0, free: 0 };
  if (pages - free <= MAX_LEFT_PAGES && free > pages - free) old.run('VACUUM');
}

function tablesOf(old: Store): ReadonlySet<string> {
  return new Set(old.all("SELECT name FROM sqlite_schema WHERE type = 'table'", [], NameRow).map(({ name }) => name));
}
