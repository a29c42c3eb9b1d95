import { inMemory } from './memory-collection.ts';
import type { CollectionId, RecordDriver } from './record-driver.ts';
import type { CollectionOptions, RecordStore } from './records.ts';

const MAX_LISTED = 5_000;
/** A collection may pass its bound by this many before it is counted again. */
const TRIM_EVERY = 500;

export function collectionId({ name, ttlMs, maxRecords }: Omit<CollectionOptions<unknown>, 'schema'>): CollectionId {
  return { name, ttlMs, isBounded: maxRecords !== undefined };
}

/** @param now unix milliseconds */
export function createRecordStore(driver: RecordDriver, now: () => number = Date.now): RecordStore {
  /** What both kinds of collections have in common. */
  function open<V>(options: CollectionOptions<V>) {
    const { schema, ttlMs, maxRecords } = options;
    const id = collectionId(options);
    let writes = 0;

    function parse(text: string): readonly V[] {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        return [];
      }
      const result = schema.safeParse(value);
      return result.success ? [result.data] : [];
    }

    return {
      id,
      parse,
      async get(key: string) {
        const text = await driver.read(id, key);
        return text === undefined ? undefined : parse(text)[0];
      },
      async set(key: string, value: V, group: string | null = null) {
        const writtenAt = now();
        const expiresAt = ttlMs === undefined ? null : writtenAt + ttlMs;
        await driver.write(id, { key, group, value: JSON.stringify(value), writtenAt, expiresAt });
        writes += 1;
        if (maxRecords !== undefined && writes % TRIM_EVERY === 1) await driver.trim(id, maxRecords);
      },
    };
  }

  return {
    collection(options) {
      const { maxInMemory } = options;
      const { id, get, set } = open(options);
      const collection = {
        get,
        set,
        delete: (key: string) => driver.remove(id, key),
        expire: (key: string, at: number | null) => driver.expire(id, key, at),
        move: (from: string, to: string) => driver.move(id, from, to),
      };
      if (maxInMemory === undefined) return collection;
      return inMemory(collection, { maxRecords: maxInMemory, now, onChange: listen => driver.onChange(id, listen) });
    },
    groupedCollection(options) {
      const { id, get, set, parse } = open(options);
      return {
        get,
        set,
        listGroup: async group => (await driver.readGroup(id, group, MAX_LISTED)).flatMap(parse),
        deleteGroup: group => driver.removeGroup(id, group),
      };
    },
  };
}
