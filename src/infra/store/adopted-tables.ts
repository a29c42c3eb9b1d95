import * as z from 'zod';
import type { Store } from './store.ts';

const DAY_MS = 24 * 3_600_000;

interface AdoptedTable {
  /** Its name in the list of migrations. */
  readonly steps: string;
  readonly table: string;
  /** Its rows as records: collection, key, group_key, value, written_at, expires_at. What is no JSON is left behind. */
  readonly records: string;
}

/** What version 0.1.0 kept in tables of their own. */
const TABLES: readonly AdoptedTable[] = [
  {
    steps: 'settings',
    table: 'users',
    records: `SELECT iif(key GLOB 'web:*', 'web-users', 'users'), key, NULL,
      '{"language":' || json_quote(language) || ',"player":' || iif(json_valid(player), player, 'null') || '}', updated_at,
      iif(key GLOB 'web:*', updated_at + ${90 * DAY_MS}, NULL) FROM users`,
  },
  {
    steps: 'settings',
    table: 'chats',
    records: `SELECT 'chats', key, NULL, settings, updated_at, left_at + ${30 * DAY_MS} FROM chats WHERE json_valid(settings)`,
  },
  {
    steps: 'actions',
    table: 'actions',
    records: `SELECT 'button-arguments', key, nullif(owner_tag, ''), json, expires_at - ${7 * DAY_MS}, expires_at
      FROM actions WHERE json_valid(json)`,
  },
  {
    steps: 'served',
    table: 'served',
    records: `SELECT 'recommendations', key || ' ' || at, key, json_group_array(map_id), at, at + ${28 * DAY_MS}
      FROM served GROUP BY key, at`,
  },
  {
    steps: 'sent-files',
    table: 'sent_files',
    records: `SELECT 'sent-files', json_array(holder, source, post_id, item, form), NULL,
      json_object('variantKey', variant_key, 'fileId', file_id, 'kind', kind, 'usedAt', used_at), used_at, NULL
      FROM sent_files`,
  },
];

const NameRow = z.object({ name: z.string() });
const Found = z.object({ found: z.number() });

/** Moves what older versions left in tables of their own into `records`, all or nothing. */
export function adoptTables(store: Store): void {
  const left = tablesLeft(store);
  if (left.length === 0) return;
  store.transaction(() => {
    for (const { steps, table, records } of left) {
      store.run(`INSERT OR IGNORE INTO records ${records}`);
      store.run(`DROP TABLE ${table}`);
      store.run('DELETE FROM migrations WHERE room = ?', [steps]);
    }
  });
}

function tablesLeft(store: Store): readonly AdoptedTable[] {
  const names = tableNames(store);
  return TABLES.filter(({ table }) => names.has(table));
}

function tableNames(store: Store): ReadonlySet<string> {
  const rows = store.all("SELECT name FROM sqlite_master WHERE type = 'table'", [], NameRow);
  return new Set(rows.map(({ name }) => name));
}

export function hasTable(store: Store, name: string): boolean {
  return tableNames(store).has(name);
}

const COLUMNS = 'collection, key, group_key, value, written_at, expires_at';

/** Queries for all records: those of `records`, and the rows that are still to be moved there, which stay where they are. */
export function recordQueries(store: Store): readonly string[] {
  const current = hasTable(store, 'records') ? [`SELECT ${COLUMNS} FROM records`] : [];
  const left = tablesLeft(store).map(({ records }) => `WITH r (${COLUMNS}) AS (${records}) SELECT * FROM r`);
  return [...current, ...left];
}

export function hasRecords(store: Store): boolean {
  return recordQueries(store).some(
    query => store.get(`SELECT 1 AS found FROM (${query}) LIMIT 1`, [], Found) !== undefined,
  );
}
