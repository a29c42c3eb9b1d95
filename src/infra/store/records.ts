import type * as z from 'zod';
import { createLru, createMemoryCache } from '../cache/cache.ts';
import { parseJson } from '../parse-json.ts';
import type { ChangeListener, CollectionId, RecordDriver, RecordsOptions } from './record-driver.ts';

/**
 * Records that can also be listed by a group, such as the person to whom they belong.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface GroupedCollection<V> {
  get(key: string): Promise<V | undefined>;
  /** Writes a record, replacing an older one. A key must always have the same group; null means none. */
  set(key: string, value: V, group: string | null): Promise<void>;
  /** Returns the group's values, newest first, at most 5 000. */
  listGroup(group: string): Promise<readonly V[]>;
  /** @param group the group with which the record was written; null for none */
  delete(key: string, group: string | null): Promise<void>;
  deleteGroup(group: string): Promise<void>;
}

export interface CollectionOptions<V> {
  /** The collection's name, of letters and hyphens; it must be the same in every version. */
  readonly name: string;
  readonly schema: z.ZodType<V>;
  /** How long a record lives after it was set. Default: until it is deleted. */
  readonly ttlMs?: number;
  /** When there are more records than this, those that were set first are deleted. Default: no bound. */
  readonly maxRecords?: number;
}

export interface KeyedCollectionOptions<V> extends CollectionOptions<V> {
  /**
   * How many records are also held in memory, absent keys included, so that reading them again needs no round trip. A
   * record that another process changes is dropped at once. While the store cannot be read, memory is used.
   */
  readonly maxInMemory?: number;
  /**
   * True when reading a record counts as setting it, to within a day: it lives for `ttlMs` from then on, and beyond
   * `maxRecords` those that were used least recently are deleted. Default: only setting counts.
   */
  readonly isRenewedByReading?: boolean;
}

/** The store in which collections are opened. */
export interface RecordStore {
  collection<V>(options: KeyedCollectionOptions<V>): Collection<V>;
  groupedCollection<V>(options: CollectionOptions<V>): GroupedCollection<V>;
}

const MAX_LISTED = 5_000;
/** The number of records is checked only at every 500th write, so there may be up to 500 too many. */
const TRIM_EVERY = 500;

export function collectionId({ name, ttlMs, maxRecords }: Omit<CollectionOptions<unknown>, 'schema'>): CollectionId {
  return { name, ttlMs, maxRecords };
}

export function createRecordStore(driver: RecordDriver, options: RecordsOptions = {}): RecordStore {
  const { now = Date.now, log } = options;
  /** The operations that collections and grouped collections share. */
  function open<V>(options: CollectionOptions<V>) {
    const { schema, ttlMs, maxRecords } = options;
    const id = collectionId(options);
    let writes = 0;

    function parse(text: string): readonly V[] {
      const result = schema.safeParse(parseJson(text));
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
      const { maxInMemory, ttlMs, isRenewedByReading = false } = options;
      const { id, get, set } = open(options);
      const collection = {
        get,
        set,
        delete: (key: string) => driver.remove(id, key),
        expire: (key: string, at: number | null) => driver.expire(id, key, at),
        move: (from: string, to: string) => driver.move(id, from, to),
      };
      const opened =
        maxInMemory === undefined
          ? collection
          : inMemory(collection, maxInMemory, now, listen => driver.onChange(id, listen));
      return isRenewedByReading ? renewedByReading(opened, ttlMs, { now, log }) : opened;
    },
    groupedCollection(options) {
      const { id, get, set, parse } = open(options);
      return {
        get,
        set,
        listGroup: async group => (await driver.readGroup(id, group, MAX_LISTED)).flatMap(parse),
        delete: (key, group) => driver.remove(id, key, group),
        deleteGroup: group => driver.removeGroup(id, group),
      };
    },
  };
}

/**
 * Records of one kind by key, durable and the same for every process of one Medley. Values are plain JSON; one that
 * this version cannot read counts as absent.
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface Collection<V> {
  get(key: string): Promise<V | undefined>;
  /** Writes a record, replacing an older one. */
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Sets the time of the record's expiry (unix milliseconds; null: never), until it is set again. Where
   * a bound drops the oldest records, this one counts as set now.
   */
  expire(key: string, at: number | null): Promise<void>;
  /** Gives a record another key; a record that already has that key stays. The old key is deleted in both cases. */
  move(from: string, to: string): Promise<void>;
}

/** A value in memory is read again after this long, in case the announcement of a change was lost. */
const REREAD_MS = 10 * 60_000;
const REREAD = { ttlMs: () => REREAD_MS, staleIfErrorMs: () => Number.MAX_SAFE_INTEGER };

/** Holds the most recently read records and absent keys in memory, and uses them while the store cannot be read. */
function inMemory<V>(
  stored: Collection<V>,
  maxEntries: number,
  now: () => number,
  onChange: (listen: ChangeListener) => void,
): Collection<V> {
  const held = createMemoryCache<{ readonly value: V | undefined }>({ maxEntries, now });
  onChange(key => (key === undefined ? held.expire() : void held.delete(key)));

  async function change(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // A failed write may have taken place, so the value in memory is used only until the store can be read again.
      for (const key of keys) held.expire(key);
      throw error;
    }
    await Promise.all(keys.map(held.delete));
  }

  return {
    async get(key) {
      const read = async () => ({ value: await stored.get(key) });
      return (await held.wrap(key, read, REREAD)).value.value;
    },
    set: (key, value) => change([key], () => stored.set(key, value)),
    delete: key => change([key], () => stored.delete(key)),
    expire: (key, at) => change([key], () => stored.expire(key, at)),
    move: (from, to) => change([from, to], () => stored.move(from, to)),
  };
}

/** Each process renews a record at most this often, so that reading it often costs one write a day. */
const RENEW_EVERY_MS = 24 * 3_600_000;
const MAX_RENEWED = 50_000;

/** Keeps a record for longer when it is read. */
function renewedByReading<V>(
  kept: Collection<V>,
  ttlMs: number | undefined,
  { now, log }: RecordsOptions & { readonly now: () => number },
): Collection<V> {
  const renewedAt = createLru<string, number>({ max: MAX_RENEWED });
  return {
    ...kept,
    async get(key) {
      const value = await kept.get(key);
      const at = now();
      if (value === undefined || at - (renewedAt.get(key) ?? Number.NEGATIVE_INFINITY) < RENEW_EVERY_MS) return value;
      renewedAt.set(key, at);
      // The value is returned even if its record cannot be renewed. The next attempt to renew it is made after a day.
      await kept
        .expire(key, ttlMs === undefined ? null : at + ttlMs)
        .catch(error => log?.warn({ err: error }, 'a record could not be renewed'));
      return value;
    },
  };
}
