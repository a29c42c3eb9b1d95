import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../concurrency/single-flight.ts';
import type { Collection } from './collection.ts';
import type { ChangeListener } from './record-driver.ts';

export interface InMemoryOptions {
  readonly maxRecords: number;
  readonly now: () => number;
  readonly onChange: (listen: ChangeListener) => void;
}

interface Held<V> {
  readonly value: V | undefined;
  readonly readAt: number;
  /** How often changes had gone unheard before it was read. */
  readonly gaps: number;
}

/** What is held is read again so often, should the word of a change have been lost. */
const REREAD_MS = 10 * 60_000;

/** Holds in memory what was read last, and that there was nothing. While the store cannot be read, that counts. */
export function inMemory<V>(stored: Collection<V>, { maxRecords, now, onChange }: InMemoryOptions): Collection<V> {
  const held = new LRUCache<string, Held<V>>({ max: maxRecords });
  const reads = createSingleFlight<V | undefined>();
  let gaps = 0;

  function drop(key: string): void {
    held.delete(key);
    // What is being read may be older than the change.
    reads.forget(key);
  }

  onChange(key => {
    if (key === undefined) gaps += 1;
    else drop(key);
  });

  async function read(key: string): Promise<V | undefined> {
    return reads.run(key, async flight => {
      const before = gaps;
      const value = await stored.get(key);
      if (flight.isCurrent()) held.set(key, { value, readAt: now(), gaps: before });
      return value;
    });
  }

  return {
    async get(key) {
      const known = held.get(key);
      if (known === undefined) return read(key);
      if (known.gaps === gaps && now() - known.readAt < REREAD_MS) return known.value;
      return read(key).catch(() => known.value);
    },
    async set(key, value) {
      await stored.set(key, value);
      drop(key);
    },
    async delete(key) {
      await stored.delete(key);
      drop(key);
    },
    async expire(key, at) {
      await stored.expire(key, at);
      drop(key);
    },
    async move(from, to) {
      await stored.move(from, to);
      drop(from);
      drop(to);
    },
  };
}
