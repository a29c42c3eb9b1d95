/** How one `wrap` call treats its value and its failures. All times in milliseconds; 0 means not kept. */
export interface CachePolicy<V> {
  /** Freshness of a loaded value. */
  ttlMs(value: V): number;
  /** How long after that an old value may still answer when loading fails. Default 0. */
  staleIfErrorMs?(value: V): number;
  /** How long a failure is remembered and thrown again without asking. Default 0. */
  errorTtlMs?(error: unknown): number;
}

export interface CacheHit<V> {
  readonly value: V;
  readonly from: 'cache' | 'load' | 'stale';
}

/**
 * Bounded store of answers by canonical key. Concurrent `wrap` calls for one key share one load; a caller that gives up
 * (its `signal`) does not end the load for the others.
 */
export interface Cache<V> {
  get(key: string): Promise<V | undefined>;
  set(key: string, value: V, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** `load` gets a signal that aborts only when every waiting caller has given up. */
  wrap(key: string, load: (signal: AbortSignal) => Promise<V>, policy: CachePolicy<V>, signal?: AbortSignal): Promise<CacheHit<V>>;
}
