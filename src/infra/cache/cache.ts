import { LRUCache } from 'lru-cache';
import { createSingleFlight, type Flight } from '../concurrency/abortable.ts';

/** How one `wrap` call treats its value and its failures. Times are in milliseconds; 0 means that nothing is kept. */
export interface CachePolicy<V> {
  /** How long a loaded value is fresh. */
  ttlMs(value: V): number;
  /** How long after the end of its freshness a value may still answer when loading fails. Default 0. */
  staleIfErrorMs?(value: V): number;
  /**
   * True when an old value may be returned in place of this failure. False for a definitive failure (the post is gone),
   * which also removes the old value. Default: always true.
   */
  staleOnError?(error: unknown): boolean;
  /** How long a failure is remembered: until then calls throw it again without loading. Default 0. */
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
  /** The fresh value in this process's memory, without asking another store; undefined when there is none. */
  peek(key: string): V | undefined;
  get(key: string): Promise<V | undefined>;
  /** @param staleIfErrorMs see {@link CachePolicy}. Default 0 */
  set(key: string, value: V, ttlMs: number, staleIfErrorMs?: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Makes a value, or all, outdated: calls load anew, or return it if that fails. A shared cache is not changed. */
  expire(key?: string): void;
  /** Returns a fresh value, else loads one. The signal of `load` aborts only when every waiting caller has given up. */
  wrap(key: string, load: Load<V>, policy: CachePolicy<V>, signal?: AbortSignal): Promise<CacheHit<V>>;
}

export interface SharedCacheEntry<V> {
  readonly value: V;
  /** When the value stops being fresh, unix milliseconds. */
  readonly freshUntil: number;
  /** When the value may no longer be returned in place of a failure, unix milliseconds; never before `freshUntil`. */
  readonly staleUntil: number;
}

/** A store in which processes find each other's answers. Never rejects or waits long: a failed read finds nothing. */
export interface SharedCache<V> {
  read(key: string): Promise<SharedCacheEntry<V> | undefined>;
  write(key: string, entry: SharedCacheEntry<V>): Promise<void>;
  remove(key: string): Promise<void>;
}

/** A value in the form in which it is kept in memory, with its size. */
export interface HeldValue<V> {
  readonly size: number;
  read(): V;
}

export interface MemoryCacheOptions<V> {
  /** The most entries. It may be left out where `maxSize` bounds the values by their sizes. */
  readonly maxEntries?: number;
  /** Bound on the sum of all sizes; needs `sizeOf` or `hold`. A single value beyond it is returned but not kept. */
  readonly maxSize?: number;
  readonly sizeOf?: (value: V) => number;
  /** The form in which values are kept in memory. Default: the values themselves, with the size by `sizeOf`. */
  readonly hold?: (value: V) => HeldValue<V>;
  /**
   * A shared cache, which is asked for values that are not in memory and gets every loaded value. A value in memory is
   * used as long as it is fresh, even if other processes store a newer one; failures are not shared.
   */
  readonly behind?: SharedCache<V> | undefined;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

/** The number of failures is bounded, because a flood of invalid keys must not fill memory. */
const MAX_FAILURES = 200;

interface Entry<V> {
  readonly held: HeldValue<V>;
  freshUntil: number;
  readonly staleUntil: number;
}

/** A Cache in this process's memory. Least recently used entries are dropped first; failures are kept apart. */
export function createMemoryCache<V>(options: MemoryCacheOptions<V>): Cache<V> {
  const { now = Date.now } = options;
  const values = createValues(options, now);
  const failures = createLru<string, { readonly error: unknown; readonly at: number; readonly ttlMs: number }>({
    max: Math.min(options.maxEntries ?? MAX_FAILURES, MAX_FAILURES),
  });
  const flights = createSingleFlight<CacheHit<V>>();

  function remember(key: string, error: unknown, policy: CachePolicy<V>): void {
    const ttlMs = positive(policy.errorTtlMs?.(error) ?? 0);
    if (ttlMs > 0) failures.set(key, { error, at: now(), ttlMs });
    if (policy.staleOnError?.(error) === false) void values.drop(key);
  }

  /**
   * Returns an old value instead of throwing the failure of a load.
   * @throws the failure when there is no old value or the policy does not allow it
   */
  function standIn(key: string, error: unknown, policy: CachePolicy<V>): CacheHit<V> {
    const old = values.get(key);
    if (old === undefined || now() >= old.staleUntil || policy.staleOnError?.(error) === false) throw error;
    return { value: old.held.read(), from: 'stale' };
  }

  async function refresh(key: string, load: Load<V>, policy: CachePolicy<V>, flight: Flight): Promise<CacheHit<V>> {
    const known = await values.lookUp(key);
    if (known !== undefined) return { value: known.value, from: 'cache' };
    let value: V;
    try {
      flight.signal.throwIfAborted();
      value = await load(flight.signal);
    } catch (error) {
      if (flight.signal.aborted) throw error;
      if (flight.isCurrent()) remember(key, error, policy);
      return standIn(key, error, policy);
    }
    // If the key was set or deleted during this load, the newer value stays.
    if (flight.isCurrent()) {
      failures.delete(key);
      void values.keep(key, value, policy.ttlMs(value), policy.staleIfErrorMs?.(value) ?? 0);
    }
    return { value, from: 'load' };
  }

  function forget(key?: string): void {
    flights.forget(key);
    values.forget(key);
    if (key === undefined) failures.clear();
    else failures.delete(key);
  }

  return {
    peek: key => values.fresh(key)?.held.read(),
    async get(key) {
      const entry = values.fresh(key);
      return entry === undefined ? (await values.lookUp(key))?.value : entry.held.read();
    },
    async set(key, value, ttlMs, staleIfErrorMs = 0) {
      forget(key);
      await values.keep(key, value, ttlMs, staleIfErrorMs);
    },
    async delete(key) {
      forget(key);
      await values.drop(key);
    },
    expire(key) {
      forget(key);
      values.expire(key);
    },
    wrap(key, load, policy, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const entry = values.fresh(key);
      if (entry !== undefined) return Promise.resolve({ value: entry.held.read(), from: 'cache' });
      const failure = failures.get(key);
      // The difference is absolute, so that a clock that was set back does not make a failure last longer.
      if (failure !== undefined && Math.abs(now() - failure.at) < failure.ttlMs) {
        return new Promise(resolve => resolve(standIn(key, failure.error, policy)));
      }
      return flights.run(key, flight => refresh(key, load, policy, flight), signal);
    },
  };
}

/** The values in this process's memory and in the shared cache behind it. */
function createValues<V>(options: MemoryCacheOptions<V>, now: () => number) {
  const { behind, sizeOf = () => 1 } = options;
  const { hold = (value: V): HeldValue<V> => ({ size: sizeOf(value), read: () => value }) } = options;
  const entries = createEntries(options);
  const lookups = createSingleFlight<SharedCacheEntry<V> | undefined>();

  async function drop(key: string): Promise<void> {
    entries.delete(key);
    await behind?.remove(key);
  }

  return {
    drop,
    get: (key: string) => entries.get(key),
    expire(key?: string): void {
      const expired = key === undefined ? entries.values() : [entries.peek(key)];
      for (const entry of expired) if (entry !== undefined) entry.freshUntil = 0;
    },
    fresh(key: string): Entry<V> | undefined {
      const entry = entries.get(key);
      return entry !== undefined && now() < entry.freshUntil ? entry : undefined;
    },
    /** The value is in memory at once; the promise resolves when the shared cache has it too. */
    async keep(key: string, value: V, ttlMs: number, staleMs: number): Promise<void> {
      const at = now();
      const freshUntil = at + positive(ttlMs);
      const staleUntil = freshUntil + positive(staleMs);
      if (staleUntil <= at) return drop(key);
      entries.set(key, { held: hold(value), freshUntil, staleUntil });
      await behind?.write(key, { value, freshUntil, staleUntil });
    },
    /** A running lookup of a changed key may return the older value, so its result is ignored from now on. */
    forget: (key?: string) => lookups.forget(key),
    /** The fresh value that another process shared, else undefined. An old value is kept, in case loading fails. */
    async lookUp(key: string): Promise<SharedCacheEntry<V> | undefined> {
      if (behind === undefined) return undefined;
      const entry = await lookups.run(key, async flight => {
        const found = await behind.read(key);
        // If the key was set or deleted during the lookup, that value is newer.
        if (found === undefined || !flight.isCurrent()) return undefined;
        const { value, ...times } = found;
        const mine = entries.get(key);
        if (mine === undefined || mine.freshUntil < times.freshUntil) entries.set(key, { held: hold(value), ...times });
        return found;
      });
      return entry !== undefined && now() < entry.freshUntil ? entry : undefined;
    },
  };
}

type Load<V> = (signal: AbortSignal) => Promise<V>;

function createEntries<V>({ maxEntries, maxSize }: MemoryCacheOptions<V>): LRUCache<string, Entry<V>> {
  if (maxSize === undefined) {
    if (maxEntries === undefined) throw new Error('a cache without a bound');
    return createLru({ max: maxEntries });
  }
  const sizeCalculation = ({ held }: Entry<V>) => Math.max(1, Math.ceil(held.size));
  return new LRUCache({ maxSize, sizeCalculation, ...(maxEntries !== undefined && { max: maxEntries }) });
}

/** A time that a policy computed, or 0 (the value is not kept) where it is negative or not a number. */
function positive(ms: number): number {
  return Math.max(ms || 0, 0);
}

/** Memory that one value takes in addition to its bytes: its buffer object, its times, its key and its list entry. */
const ENTRY_BYTES = 600;

const SCRATCH_BYTES = 64 * 1024;

/**
 * Holds plain values as JSON in bytes outside the heap: as an object of many parts a value takes several times as much
 * memory, and the garbage collector has to move every long-lived object. Sizes are in bytes.
 * @param maxUnpacked how many recently read values are also held as objects, which repeated reads return
 * @param maxUnpackedBytes bound on the sum of their JSON sizes; as objects they take several times as much memory
 */
export function createPacking<V>(maxUnpacked: number, maxUnpackedBytes: number): (value: V) => HeldValue<V> {
  const scratch = new Uint8Array(SCRATCH_BYTES);
  const encoder = new TextEncoder();
  const unpacked = new LRUCache<HeldValue<V>, { readonly value: V }>({
    max: maxUnpacked,
    maxSize: maxUnpackedBytes,
    sizeCalculation: (_, { size }) => size,
  });

  /** The text gets a buffer of its own: a small slice of Node's shared pool would keep the whole pool in memory. */
  function encode(text: string): Buffer {
    // A UTF-16 character takes at most three bytes of UTF-8, so such a text surely fits into the scratch buffer.
    const isShort = text.length * 3 <= SCRATCH_BYTES;
    const encoded = isShort ? scratch.subarray(0, encoder.encodeInto(text, scratch).written) : Buffer.from(text);
    const bytes = Buffer.allocUnsafeSlow(encoded.length);
    bytes.set(encoded);
    return bytes;
  }

  return value => {
    const bytes = encode(JSON.stringify(value));
    const held: HeldValue<V> = {
      size: bytes.length + ENTRY_BYTES,
      read() {
        const known = unpacked.get(held);
        if (known !== undefined) return known.value;
        const parsed: V = JSON.parse(bytes.toString());
        unpacked.set(held, { value: parsed });
        return parsed;
      },
    };
    return held;
  };
}

export interface LruOptions<K, V>
  extends Pick<LRUCache.OptionsBase<K, V, unknown>, 'ttl' | 'ttlResolution' | 'updateAgeOnGet' | 'dispose' | 'perf'> {
  /** The greatest number of entries; the least recently used one is dropped first. */
  readonly max: number;
}

/**
 * A bounded map whose memory grows as it fills. Given `max`, lru-cache reserves memory for that many entries at once,
 * some ten megabytes for all caches of this program. A `maxSize` with size 1 for each entry sets the same bound without
 * reserving anything.
 */
export function createLru<K extends NonNullable<unknown>, V extends NonNullable<unknown>>({
  max,
  ...options
}: LruOptions<K, V>): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 });
}
