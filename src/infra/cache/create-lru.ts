import { LRUCache } from 'lru-cache';

export interface LruOptions<K, V> {
  /** Entries; the least recently used goes first. */
  readonly max: number;
  /** Milliseconds. */
  readonly ttl?: number;
  readonly ttlResolution?: number;
  readonly updateAgeOnGet?: boolean;
  readonly dispose?: LRUCache.Disposer<K, V>;
  readonly perf?: { readonly now: () => number };
}

/**
 * A bounded map that takes memory as it fills. Told of `max`, the library sets aside room for that many at once: some ten megabytes for all of
 * a program that has hardly begun to use them. A bound of sizes, each being one, is the same bound without that.
 */
export function createLru<K extends NonNullable<unknown>, V extends NonNullable<unknown>>({
  max,
  ...options
}: LruOptions<K, V>): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 });
}
