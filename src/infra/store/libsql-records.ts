import * as z from 'zod';
import type { RecordDriver, RecordsOptions } from './record-driver.ts';
import { withReturnedRecords } from './returned-records.ts';
import { hasTable, type Store } from './store.ts';

const STEPS = [
  `CREATE TABLE records (
    collection TEXT NOT NULL, key TEXT NOT NULL, group_key TEXT, value TEXT NOT NULL, written_at INTEGER NOT NULL,
    expires_at INTEGER, PRIMARY KEY (collection, key)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX records_by_group ON records (collection, group_key, written_at) WHERE group_key IS NOT NULL',
  'CREATE INDEX records_by_age ON records (collection, written_at)',
  'CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL',
];

const PURGE_EVERY_MS = 3_600_000;
const WRITE = `INSERT INTO records (collection, key, group_key, value, written_at, expires_at)
  VALUES (:collection, :key, :group, :value, :writtenAt, :expiresAt)
  ON CONFLICT (collection, key) DO UPDATE SET group_key = excluded.group_key, value = excluded.value,
  written_at = excluded.written_at, expires_at = excluded.expires_at`;
const IS_LIVE = '(expires_at IS NULL OR expires_at > :now)';

const ValueRow = z.object({ value: z.string() });

/** Keeps records in the embedded database, which only one process uses. */
export function createLibsqlRecords(store: Store, { now = Date.now, log }: RecordsOptions = {}): RecordDriver {
  store.migrate('records', STEPS);
  let purgedAt = Number.NEGATIVE_INFINITY;

  function purge(): void {
    const at = now();
    if (at - purgedAt < PURGE_EVERY_MS) return;
    purgedAt = at;
    try {
      store.run('DELETE FROM records WHERE expires_at <= ?', [at]);
    } catch (error) {
      // Expired records are never returned, so reading goes on. The next attempt to delete them is made an hour later.
      log?.warn({ err: error }, 'expired records could not be deleted');
    }
  }

  purge();

  const driver: RecordDriver = {
    async read({ name: collection }, key) {
      purge();
      const sql = `SELECT value FROM records WHERE collection = :collection AND key = :key AND ${IS_LIVE}`;
      return store.get(sql, { collection, key, now: now() }, ValueRow)?.value;
    },
    async readGroup({ name: collection }, group, limit) {
      const sql = `SELECT value FROM records WHERE collection = :collection AND group_key = :group AND ${IS_LIVE}
        ORDER BY written_at DESC LIMIT :limit`;
      return store.all(sql, { collection, group, limit, now: now() }, ValueRow).map(({ value }) => value);
    },
    async write({ name: collection }, record) {
      purge();
      store.run(WRITE, { collection, ...record });
    },
    async expire({ name: collection, maxRecords }, key, at) {
      purge();
      const sql = `UPDATE records SET expires_at = :at, written_at = :now
        WHERE collection = :collection AND key = :key AND (expires_at IS NOT :at OR :isBounded)`;
      store.run(sql, { collection, key, at, now: now(), isBounded: Number(maxRecords !== undefined) });
    },
    async move({ name: collection }, from, to) {
      if (from === to) return;
      store.transaction(() => {
        store.run('DELETE FROM records WHERE collection = ? AND key = ? AND expires_at <= ?', [collection, to, now()]);
        const sql =
          'UPDATE OR IGNORE records SET key = :to, expires_at = NULL WHERE collection = :collection AND key = :from';
        store.run(sql, { collection, from, to });
        store.run('DELETE FROM records WHERE collection = ? AND key = ?', [collection, from]);
      });
    },
    async remove({ name: collection }, key) {
      store.run('DELETE FROM records WHERE collection = ? AND key = ?', [collection, key]);
    },
    async removeGroup({ name: collection }, group) {
      store.run('DELETE FROM records WHERE collection = ? AND group_key = ?', [collection, group]);
    },
    async trim({ name: collection }, maxRecords) {
      const sql = `DELETE FROM records WHERE collection = :collection AND written_at <= (
        SELECT written_at FROM records WHERE collection = :collection ORDER BY written_at DESC LIMIT 1 OFFSET :maxRecords)`;
      store.run(sql, { collection, maxRecords });
    },
    // No other process writes to an embedded database, so there are no changes to report.
    onChange: () => undefined,
  };
  return hasTable(store, 'returned_records') ? withReturnedRecords(driver, store) : driver;
}

const Found = z.object({ found: z.number() });

/** True when a database has records. A database that never kept any has no table for them. */
export function hasRecords(store: Store): boolean {
  return hasTable(store, 'records') && store.get('SELECT 1 AS found FROM records LIMIT 1', [], Found) !== undefined;
}
