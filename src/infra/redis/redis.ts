import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import * as z from 'zod';
import type { SharedCache, SharedCacheEntry } from '../cache/cache.ts';
import type { Logger } from '../log.ts';
import { parseJson } from '../parse-json.ts';
import {
  createMemoryRateLimiter,
  openWindow,
  type RateLimiter,
  takeFrom,
  UNLIMITED,
} from '../rate-limit/rate-limit.ts';
import { createRecordStore } from '../store/records.ts';
import {
  createFailoverCheck,
  createRedisChannel,
  createRedisConnection,
  NO_WAITING,
  REDIS_PATIENCE_MS,
  type RedisConnection,
} from './redis-connection.ts';
import { fixedRedisKey, redisKey } from './redis-keys.ts';
import { CHANGES_CHANNEL, createRedisRecords } from './redis-records.ts';

export type SharedState = ReturnType<typeof openRedisState>;

export interface RedisStateOptions {
  readonly url: string;
  readonly log: Logger;
  /** The name of the connections in the list of clients that Redis keeps. Default: none. */
  readonly name?: string;
  /** The longest that a caller waits for one command. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
  /** The pause before the first attempt to reconnect; the pauses grow to at most ten times as long. Default 500. */
  readonly retryMs?: number;
  /** A step that must succeed before records are read or written, such as converting those of an earlier version. */
  readonly prepare?: (redis: RedisConnection) => Promise<void>;
}

/** How often a connection is tested: one that only receives would not notice that the other end is gone. */
const KEEP_ALIVE_MS = 10_000;

/** Everything that processes share. While Redis is away, limits and caches use this process's memory. */
export function openRedisState(options: RedisStateOptions) {
  const { url, log, name, timeoutMs = REDIS_PATIENCE_MS, retryMs = 500, prepare = async () => undefined } = options;
  const clientOptions = {
    ...NO_WAITING,
    commandTimeout: Math.max(NO_WAITING.commandTimeout, timeoutMs),
    disconnectTimeout: timeoutMs,
    keepAlive: KEEP_ALIVE_MS,
    ...(name !== undefined && { connectionName: name }),
    retryStrategy: (attempt: number) => retryMs * Math.min(attempt, 10),
  };
  const client = new Redis(url, { ...clientOptions, reconnectOnError: createFailoverCheck() });
  const redis = createRedisConnection(client, log, timeoutMs);
  const listening = new Redis(url, { ...clientOptions, autoResubscribe: false });
  const changes = createRedisChannel(listening, CHANGES_CHANNEL);
  const prepared = preparedBy(prepare, redis);
  return {
    limiter: createRedisRateLimiter(redis),
    records: createRecordStore(createRedisRecords(prepared, changes), { log }),
    redis,
    /** Prepares the data in Redis, unless that was done before. @throws whatever `prepare` of the options throws */
    prepare: prepared.prepare,
    openCache: <V>(cache: RedisCacheOptions<V>) => createRedisCache(redis, cache),
    /**
     * A text on which all processes agree: the one that was proposed first under that name. It is stored for ever.
     * @throws AppError `internal`
     */
    agree: (name: string, propose: () => Promise<string>) => agree(redis, name, propose),
    isReady: redis.isReady,
    close() {
      redis.close();
      changes.close();
    },
  };
}

/**
 * Wraps the connection: its requests wait until `work` has prepared Redis once. If `work` fails they fail with its
 * error, and the next request tries again.
 */
function preparedBy(work: (redis: RedisConnection) => Promise<void>, redis: RedisConnection) {
  let preparing: Promise<void> | undefined;

  function prepare(): Promise<void> {
    preparing ??= work(redis).catch(error => {
      preparing = undefined;
      throw error;
    });
    return preparing;
  }

  const request: RedisConnection['request'] = (kind, command) => prepare().then(() => redis.request(kind, command));
  return { prepare, request };
}

async function agree(redis: RedisConnection, name: string, propose: () => Promise<string>): Promise<string> {
  const key = fixedRedisKey(name);
  const read = () => redis.request('read', client => client.get(key));
  const known = await read();
  if (known !== null) return known;
  const proposal = await propose();
  await redis.request('write', client => client.set(key, proposal, 'NX'));
  return (await read()) ?? proposal;
}

export interface RedisCacheOptions<V> {
  /** Names the cache; the keys of two caches never collide. */
  readonly name: string;
  /** The value from JSON, or undefined when it does not have the shape of this version. */
  parse(value: unknown): V | undefined;
  /** The most bytes of one value as JSON; a larger value is not shared. Default 512 KiB. */
  readonly maxBytes?: number;
  /** No value is kept longer than this, even if it could still be returned when loading fails. Default a day. */
  readonly maxAgeMs?: number;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

const DAY_MS = 24 * 3_600_000;

const Stored = z.object({ value: z.unknown(), freshUntil: z.number(), staleUntil: z.number() });

/** Values of a cache, kept in Redis as JSON with their times. */
function createRedisCache<V>(redis: RedisConnection, options: RedisCacheOptions<V>): SharedCache<V> {
  const { name, parse, maxBytes = 512 * 1024, maxAgeMs = DAY_MS, now = Date.now } = options;
  const keyOf = (key: string) => redisKey(`cache:${name}`, key);

  async function remove(key: string): Promise<void> {
    await redis.ask('read', client => client.del(keyOf(key)));
  }

  return {
    remove,
    async read(key) {
      const text = await redis.ask('read', client => client.get(keyOf(key)));
      return typeof text === 'string' ? readEntry(text, parse, now() + maxAgeMs) : undefined;
    },
    async write(key, entry) {
      const text = JSON.stringify(entry);
      const keptMs = Math.min(Math.ceil(entry.staleUntil - now()), maxAgeMs);
      // A value that is not stored still makes the key's older value outdated, so the older one is deleted.
      if (keptMs <= 0 || Buffer.byteLength(text) > maxBytes) return remove(key);
      await redis.ask('write', client => client.set(keyOf(key), text, 'PX', keptMs));
    },
  };
}

/** Parses a stored entry; undefined when this version did not write it. Its times are bounded by `maxAgeMs`. */
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

/** Rate limit buckets that processes share, in windows of whole seconds. Without Redis each process counts alone. */
function createRedisRateLimiter(redis: RedisConnection): RateLimiter {
  const insurance = createMemoryRateLimiter();
  let counter: RateLimiterRedis | undefined;

  return {
    async consume(rule, key, cost = 1) {
      const window = openWindow(rule, key, cost);
      // Redis counts in whole seconds, so the window's length is rounded up to them.
      const shared = {
        ...window,
        name: redisKey('limit', window.name),
        lengthMs: Math.ceil(window.lengthMs / 1_000) * 1_000,
      };
      const state = await redis.ask('write', client => {
        counter ??= new RateLimiterRedis({ ...UNLIMITED, storeClient: client });
        return takeFrom(counter, shared, cost);
      });
      return state ?? insurance.consume(rule, key, cost);
    },
  };
}
