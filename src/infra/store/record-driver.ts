import { createHash } from 'node:crypto';
import type { Logger } from '../log.ts';

export interface RecordsOptions {
  /** The clock, in unix milliseconds. */
  readonly now?: (() => number) | undefined;
  /** Is told what fails without keeping a record from being read. */
  readonly log?: Logger | undefined;
}

/** The properties of a collection that a driver must know. */
export interface CollectionId {
  readonly name: string;
  /** How long a record lives, unless another time is set for it. Undefined: until it is deleted. */
  readonly ttlMs: number | undefined;
  /** How many records the collection keeps; the oldest are deleted first. Undefined: no bound. */
  readonly maxRecords: number | undefined;
}

export interface StoredRecord {
  readonly key: string;
  readonly group: string | null;
  /** The value as JSON. */
  readonly value: string;
  /** The time of writing, unix milliseconds. */
  readonly writtenAt: number;
  /** The time of expiry, unix milliseconds; null for a record that never expires. */
  readonly expiresAt: number | null;
}

/** Called with the key that another process changed, or with undefined when changes may have been missed. */
export type ChangeListener = (key: string | undefined) => void;

/**
 * Keeps records as text. An expired record counts as absent and is deleted sooner or later.
 *
 * @throws AppError `internal` from every method but `onChange` when the store cannot be read or written
 */
export interface RecordDriver {
  /** The record's value as JSON; undefined when there is no such record. */
  read(collection: CollectionId, key: string): Promise<string | undefined>;
  /** The values of a group, the newest first, at most `limit`. */
  readGroup(collection: CollectionId, group: string, limit: number): Promise<readonly string[]>;
  write(collection: CollectionId, record: StoredRecord): Promise<void>;
  /**
   * Sets when a record expires (null: never). `trim` then treats the record as if it had been written now. Neither this
   * nor `move` changes the index of a group, so both are only for records without a group.
   */
  expire(collection: CollectionId, key: string, at: number | null): Promise<void>;
  move(collection: CollectionId, from: string, to: string): Promise<void>;
  /** @param group the record's group. Default: none */
  remove(collection: CollectionId, key: string, group?: string | null): Promise<void>;
  removeGroup(collection: CollectionId, group: string): Promise<void>;
  /** Keeps only the `maxRecords` records that were written last. */
  trim(collection: CollectionId, maxRecords: number): Promise<void>;
  onChange(collection: CollectionId, listen: ChangeListener): void;
}

/** A digest under which Redis keeps a name, so that it does not show what people searched for and who they are. */
export function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

const DIGEST = 'sha256:';

/** Makes a name for a record, or a group, whose real name is unknown: only its digest is known. */
export function nameOfDigest(digest: string): string {
  return DIGEST + digest;
}

/** The digest in a name that `nameOfDigest` made; undefined for any other name. */
export function digestIn(name: string): string | undefined {
  return name.startsWith(DIGEST) ? name.slice(DIGEST.length) : undefined;
}
