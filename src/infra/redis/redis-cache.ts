import * as z from 'zod';
import type { SharedCache, SharedCacheEntry } from '../cache/cache.ts';
import { parseJson } from '../parse-json.ts';
import { type RedisLink, redisKey } from './redis-link.ts';

export interface RedisCacheOptions<V> {
  /** Names the family of keys; two never meet. */
  readonly name: string;
  /** A value as it came out of JSON, or undefined when it is not one of this version's. */
  parse(value: unknown): V | undefined;
  /** Bytes of one value as JSON; a larger one stays in its own process. Default 512 KiB. */
  readonly maxBytes?: number;
  /** No value stays longer, even where it could still stand in for a failure. Default a day. */
  readonly maxAgeMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

const DAY_MS = 24 * 3_600_000;

const Stored = z.object({ value: z.unknown(), freshUntil: z.number(), staleUntil: z.number() });

/** Values of a cache, kept in Redis as JSON with their times. */
export function createRedisCache<V>(link: RedisLink, options: RedisCacheOptions<V>): SharedCache<V> {
  const { name, parse, maxBytes = 512 * 1024, maxAgeMs = DAY_MS, now = Date.now } = options;
  const keyOf = (key: string) => redisKey(`cache:${name}`, key);

  async function remove(key: string): Promise<void> {
    await link.ask('read', client => client.del(keyOf(key)));
  }

  return {
    remove,
    async read(key) {
      const text = await link.ask('read', client => client.get(keyOf(key)));
      return typeof text === 'string' ? readEntry(text, parse, now() + maxAgeMs) : undefined;
    },
    async write(key, entry) {
      const text = JSON.stringify(entry);
      const keptMs = Math.min(Math.ceil(entry.staleUntil - now()), maxAgeMs);
      // The older value must not outlive the one that takes its place.
      if (keptMs <= 0 || Buffer.byteLength(text) > maxBytes) return remove(key);
      await link.ask('write', client => client.set(keyOf(key), text, 'PX', keptMs));
    },
  };
}

/** Undefined for whatever this version did not write; no entry counts longer than one may be kept. */
function readEntry<V>(
  text: string,
  parse: (value: unknown) => V | undefined,
  latest: number,
): SharedCacheEntry<V> | undefined {
  const entry = Stored.safeParse(parseJson(text)).data;
  const value = parse(entry?.value);
  if (entry === undefined || value === undefined) return undefined;
  return {
    value,
    freshUntil: Math.min(entry.freshUntil, latest),
    staleUntil: Math.min(Math.max(entry.freshUntil, entry.staleUntil), latest),
  };
}
