import * as z from 'zod';
import { hasTable, type Store, writtenByNewer } from './store.ts';

/** A change to the shape of stored values: of the records of one collection, or of the payloads of waiting requests. */
export interface ShapeMigration {
  readonly of: { readonly collection: string } | 'requests';
  /**
   * Returns the value in its new shape. A value that has this shape already is returned unchanged, because a migration
   * that was cut short runs again.
   */
  migrate(value: unknown): unknown;
}

/**
 * The changes of shape since 0.2.0 that are made once in all stored values, oldest first. Their number is the version
 * of the stored data, kept in `PRAGMA user_version` or under a key of Redis; data of a newer version are refused. Other
 * shapes of 0.2.0, such as of requests, are converted when read. Tables have their own steps, see `Store.migrate`.
 */
export const SHAPE_MIGRATIONS: readonly ShapeMigration[] = [{ of: { collection: 'chats' }, migrate: toSiteChoices }];

const WithDisabledSources = z.looseObject({ disabledSources: z.array(z.string()) });

/** In 0.2.0 the settings of a chat listed the sites that are off; now they have a choice for each site. */
function toSiteChoices(value: unknown): unknown {
  const listed = WithDisabledSources.safeParse(value).data;
  if (listed === undefined) return value;
  const { disabledSources, ...others } = listed;
  return { ...others, sources: Object.fromEntries(disabledSources.map(id => [id, false])) };
}

/** The JSON text in its new shape; text that is no JSON stays as it is. */
export function migrateText(text: string, { migrate }: ShapeMigration): string {
  try {
    return JSON.stringify(migrate(JSON.parse(text)));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

const VersionRow = z.object({ user_version: z.number() });
const ValueRow = z.object({ id: z.number().or(z.string()), value: z.string() });

/**
 * Converts all values in a database to the shapes of this version, or none.
 * @throws AppError `internal` when a newer version wrote the database
 */
export function migrateShapes(store: Store, migrations = SHAPE_MIGRATIONS): void {
  const read = () => store.get('PRAGMA user_version', [], VersionRow)?.user_version ?? 0;
  if (read() > migrations.length) throw writtenByNewer('DATA_DIR');
  if (read() === migrations.length) return;
  store.transaction(() => {
    for (const migration of migrations.slice(read())) migrateRows(store, migration);
    store.run(`PRAGMA user_version = ${migrations.length}`);
  });
}

const REQUESTS = {
  table: 'queue',
  read: `SELECT rowid AS id, payload AS value FROM queue WHERE state <> 'done'`,
  write: 'UPDATE queue SET payload = ? WHERE rowid = ?',
};
const RECORDS = {
  table: 'records',
  read: 'SELECT key AS id, value FROM records WHERE collection = ?',
  write: 'UPDATE records SET value = ? WHERE key = ? AND collection = ?',
};

function migrateRows(store: Store, migration: ShapeMigration): void {
  const { of } = migration;
  const [{ table, read, write }, where] = of === 'requests' ? [REQUESTS, []] : [RECORDS, [of.collection]];
  if (!hasTable(store, table)) return;
  for (const { id, value } of store.all(read, where, ValueRow))
    store.run(write, [migrateText(value, migration), id, ...where]);
}
