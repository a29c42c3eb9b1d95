import { createLru } from '../cache/create-lru.ts';
import { createSingleFlight } from '../concurrency/abortable.ts';
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

/** A value in memory is read again so often, should the word of a change have been lost. */
const REREAD_MS = 10 * 60_000;

/** Holds in memory what was read last, and that there was nothing. While the store cannot be read, that counts. */
export function inMemory<V>(stored: Collection<V>, { maxRecords, now, onChange }: InMemoryOptions): Collection<V> {
  const held = createLru<string, Held<V>>({ max: maxRecords });
  const reads = createSingleFlight<V | undefined>();
  let gaps = 0;

  function drop(key: string): void {
    held.delete(key);
    // The value that is being read may be older than the change.
    reads.forget(key);
  }

  onChange(key => {
    if (key === undefined) gaps += 1;
    else drop(key);
  });

  async function change(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // It is not known whether it took place: the value in memory counts only until it can be read again.
      for (const key of keys) {
        const known = held.get(key);
        if (known !== undefined) held.set(key, { ...known, gaps: -1 });
        reads.forget(key);
      }
      throw error;
    }
    keys.forEach(drop);
  }

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
    set: (key, value) => change([key], () => stored.set(key, value)),
    delete: key => change([key], () => stored.delete(key)),
    expire: (key, at) => change([key], () => stored.expire(key, at)),
    move: (from, to) => change([from, to], () => stored.move(from, to)),
  };
}
