import type { z } from 'zod';

/**
 * Records of one kind by key, durable and the same for every process of one Medley. Values are plain JSON; one that this version cannot
 * read counts as absent.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface Collection<V> {
  get(key: string): Promise<V | undefined>;
  /** Replaces. */
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<void>;
  /** The record ends at that moment (unix milliseconds), or with null never, until it is set again. */
  expire(key: string, at: number | null): Promise<void>;
  /** Gives a record another key unless there is one under it, which then stays. Nothing is left under the old key. */
  move(from: string, to: string): Promise<void>;
}

/**
 * Records that are also found by what they belong to, such as a person.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface GroupedCollection<V> {
  get(key: string): Promise<V | undefined>;
  /** Replaces. A key has always the same group; with null it belongs to none. */
  set(key: string, value: V, group: string | null): Promise<void>;
  /** The newest first, 5 000 at most. */
  listGroup(group: string): Promise<readonly V[]>;
  deleteGroup(group: string): Promise<void>;
}

export interface CollectionOptions<V> {
  /** Letters and hyphens, the same in every version. */
  readonly name: string;
  readonly schema: z.ZodType<V>;
  /** How long a record lives after it was set. Default: until it is deleted. */
  readonly ttlMs?: number;
  /** Beyond it those that were set first are deleted. Default: as many as there are. */
  readonly maxRecords?: number;
}

export interface KeyedCollectionOptions<V> extends CollectionOptions<V> {
  /**
   * So many records are held in memory too, as is the absence of one: reading them again costs no round trip. What another process
   * changes is dropped at once. While the store cannot be read, what was read last counts.
   */
  readonly maxInMemory?: number;
}

/** Where collections live. */
export interface RecordStore {
  collection<V>(options: KeyedCollectionOptions<V>): Collection<V>;
  groupedCollection<V>(options: CollectionOptions<V>): GroupedCollection<V>;
}
