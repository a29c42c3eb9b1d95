import { digestOf, nameOfDigest, type RecordDriver, type StoredRecord } from './record-driver.ts';
import type { Store } from './store.ts';

const STEPS = ['CREATE TABLE returned_records (at INTEGER NOT NULL) STRICT'];

export interface ReturnedRecord extends StoredRecord {
  readonly collection: string;
}

/**
 * Puts records from Redis, named by `nameOfDigest`, into a database without records; all or none.
 * @returns how many records of each collection
 * @throws AppError `internal` when the store cannot be written
 */
export function addReturnedRecords(store: Store, records: readonly ReturnedRecord[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  store.migrate('returned-records', STEPS);
  store.transaction(() => {
    store.run('INSERT INTO returned_records VALUES (?)', [Date.now()]);
    for (const { collection, key, group, value, writtenAt, expiresAt } of records) {
      store.run(
        `INSERT INTO records (collection, key, group_key, value, written_at, expires_at)
        VALUES (:collection, :key, :group, :value, :writtenAt, :expiresAt)`,
        { collection, key, group, value, writtenAt, expiresAt },
      );
      counts.set(collection, (counts.get(collection) ?? 0) + 1);
    }
  });
  return counts;
}

/** Finds records that came from Redis, which kept only digests: a record gets its real name when first asked for. */
export function withReturnedRecords(driver: RecordDriver, store: Store): RecordDriver {
  function name(column: 'key' | 'group_key', collection: string, value: string): void {
    const sql = `UPDATE OR REPLACE records SET ${column} = :value WHERE collection = :collection AND ${column} = :digest`;
    store.run(sql, { collection, value, digest: nameOfDigest(digestOf(value)) });
  }

  return {
    ...driver,
    async read(collection, key) {
      name('key', collection.name, key);
      return driver.read(collection, key);
    },
    async readGroup(collection, group, limit) {
      name('group_key', collection.name, group);
      return driver.readGroup(collection, group, limit);
    },
    async write(collection, record) {
      name('key', collection.name, record.key);
      await driver.write(collection, record);
    },
    async expire(collection, key, at) {
      name('key', collection.name, key);
      await driver.expire(collection, key, at);
    },
    async move(collection, from, to) {
      name('key', collection.name, from);
      name('key', collection.name, to);
      await driver.move(collection, from, to);
    },
    async remove(collection, key, group) {
      name('key', collection.name, key);
      await driver.remove(collection, key, group);
    },
    async removeGroup(collection, group) {
      name('group_key', collection.name, group);
      await driver.removeGroup(collection, group);
    },
  };
}
