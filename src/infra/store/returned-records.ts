import { type CollectionId, digestOf, nameOfDigest, type RecordDriver, type StoredRecord } from './record-driver.ts';
import type { Store } from './store.ts';

const STEPS = ['CREATE TABLE returned_records (at INTEGER NOT NULL) STRICT'];

export interface ReturnedRecord extends StoredRecord {
  readonly collection: string;
}

/**
 * Puts records from Redis, named by `nameOfDigest`, into a database without records; all or none.
 * @returns how many records were put into each collection
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

/** Finds records that came from Redis, which kept only digests of names; asking for a record restores its name. */
export function withReturnedRecords(driver: RecordDriver, store: Store): RecordDriver {
  /** Gives a record or a group its real name, and returns that name. */
  function named(column: 'key' | 'group_key', { name: collection }: CollectionId, value: string): string {
    const sql = `UPDATE OR REPLACE records SET ${column} = :value WHERE collection = :collection AND ${column} = :digest`;
    store.run(sql, { collection, value, digest: nameOfDigest(digestOf(value)) });
    return value;
  }

  return {
    ...driver,
    read: async (collection, key) => driver.read(collection, named('key', collection, key)),
    readGroup: async (collection, group, limit) =>
      driver.readGroup(collection, named('group_key', collection, group), limit),
    async write(collection, record) {
      named('key', collection, record.key);
      await driver.write(collection, record);
    },
    expire: async (collection, key, at) => driver.expire(collection, named('key', collection, key), at),
    move: async (collection, from, to) =>
      driver.move(collection, named('key', collection, from), named('key', collection, to)),
    remove: async (collection, key, group) => driver.remove(collection, named('key', collection, key), group),
    removeGroup: async (collection, group) => driver.removeGroup(collection, named('group_key', collection, group)),
  };
}
