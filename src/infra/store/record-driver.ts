import { createHash } from 'node:crypto';

/** Everything that a driver must know of a collection. */
export interface CollectionId {
  readonly name: string;
  /** How long its records live, unless it is said of one of them. */
  readonly ttlMs: number | undefined;
  /** True when it is trimmed. */
  readonly isBounded: boolean;
}

export interface StoredRecord {
  readonly key: string;
  readonly group: string | null;
  /** JSON. */
  readonly value: string;
  /** Unix milliseconds. */
  readonly writtenAt: number;
  /** Unix milliseconds; null for one that stays. */
  readonly expiresAt: number | null;
}

/** Hears the keys of records that another process has changed; undefined when changes may have gone unheard. */
export type ChangeListener = (key: string | undefined) => void;

/**
 * Keeps records as text. What has expired is as good as absent, and deleted sooner or later.
 *
 * @throws AppError `internal` from every method but `onChange` when the store cannot be read or written
 */
export interface RecordDriver {
  /** The value. */
  read(collection: CollectionId, key: string): Promise<string | undefined>;
  /** Values, the newest first. */
  readGroup(collection: CollectionId, group: string, limit: number): Promise<readonly string[]>;
  write(collection: CollectionId, record: StoredRecord): Promise<void>;
  /** Like the next one, for records without a group. */
  expire(collection: CollectionId, key: string, at: number | null): Promise<void>;
  move(collection: CollectionId, from: string, to: string): Promise<void>;
  /** @param group the record's own. Default: none */
  remove(collection: CollectionId, key: string, group?: string | null): Promise<void>;
  removeGroup(collection: CollectionId, group: string): Promise<void>;
  /** Keeps those that were written last. */
  trim(collection: CollectionId, maxRecords: number): Promise<void>;
  onChange(collection: CollectionId, listen: ChangeListener): void;
}

/** Redis keeps digests in the place of names, so that what people searched for and who they are stays unreadable there. */
export function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

const DIGEST = 'sha256:';

/** The name of a record, or of a group, of which only the digest is known. */
export function nameOfDigest(digest: string): string {
  return DIGEST + digest;
}

/** The digest in a name that `nameOfDigest` made; undefined for any other name. */
export function digestIn(name: string): string | undefined {
  return name.startsWith(DIGEST) ? name.slice(DIGEST.length) : undefined;
}
