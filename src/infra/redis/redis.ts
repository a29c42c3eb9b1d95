import { Redis, type RedisOptions } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import * as z from 'zod';
import { AppError, StoreAway } from '../../errors.ts';
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
  createRedisChannel,
  fixedRedisKey,
  messageOf,
  REDIS_PATIENCE_MS,
  type RedisConnection,
  redisKey,
  within,
} from './redis-connection.ts';
import { CHANGES_CHANNEL, createRedisRecords } from './redis-records.ts';

export type SharedState = ReturnType<typeof openRedisState>;

export interface RedisStateOptions {
  readonly url: string;
  readonly log: Logger;
  /** The longest that a caller waits for one command. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
  /** The pause before the first attempt to reconnect; the pauses grow to at most ten times as long. Default 500. */
  readonly retryMs?: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** How often a connection is tested: one that only receives would not notice that the other end is gone. */
const KEEP_ALIVE_MS = 10_000;

/** Commands are sent only while Redis is connected, because waiting for a connection would only delay the failure. */
const NO_WAITING = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
} satisfies RedisOptions;

/** Everything that processes share. While Redis is away, limits and caches use this process's memory. */
export function openRedisState({ url, log, timeoutMs = REDIS_PATIENCE_MS, retryMs = 500 }: RedisStateOptions) {
  const options = {
    ...NO_WAITING,
    commandTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: timeoutMs,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: (attempt: number) => retryMs * Math.min(attempt, 10),
  };
  const client = new Redis(url, options);
  const redis = createRedisConnection(client, log, timeoutMs);
  const listening = new Redis(url, { ...options, autoResubscribe: false });
  const changes = createRedisChannel(listening, CHANGES_CHANNEL);
  return {
    limiter: createRedisRateLimiter(redis),
    records: createRecordStore(createRedisRecords(redis, changes)),
    redis,
    openCache: <V>(options: RedisCacheOptions<V>) => createRedisCache(redis, options),
    /**
     * A text that all processes use under that name: the one that was proposed first. It is stored for ever.
     * @throws AppError `internal`
     */
    agree: (name: string, propose: () => Promise<string>) => agree(redis, name, propose),
    /** Resolves with true when Redis answers, at once or within the given time. */
    isReady: redis.isReady,
    close() {
      redis.close();
      changes.close();
    },
  };
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

type ConnectionState = 'new' | 'answering' | 'refusing' | 'away' | 'closed';

const SAID = {
  answering: 'Redis answers: limits, caches and records are shared',
  refusing:
    'Redis refuses to keep things: limits and caches go by the memory of this process, records cannot be changed',
  away: 'Redis is away: limits, caches and settings go by the memory of this process, records cannot be changed',
} as const;

function createRedisConnection(client: Redis, log: Logger, timeoutMs: number) {
  let state: ConnectionState = 'new';
  let lastError: unknown;

  /** Changes the state and logs it; returns true when the state before was a different one. */
  function turn(next: keyof typeof SAID, error?: unknown): boolean {
    if (next === state || state === 'closed') return false;
    state = next;
    if (next === 'answering') log.info({}, SAID[next]);
    else log.warn({ reason: messageOf(error) }, SAID[next]);
    return true;
  }

  const isThere = () => state === 'answering' || state === 'refusing';

  client.on('error', error => {
    lastError = error;
  });
  client.on('ready', () => {
    lastError = undefined;
    turn('answering');
  });
  client.on('close', () => turn('away', lastError));

  async function request<T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>): Promise<T> {
    if (!isThere()) throw new StoreAway(`Redis is away: ${messageOf(lastError)}`);
    try {
      const answer = await within(timeoutMs, command(client));
      if (kind === 'write' && isThere()) turn('answering');
      return answer;
    } catch (error) {
      // The error of Redis is never the cause of the thrown one, because it may contain a command with its password.
      throw failed(kind, error);
    }
  }

  function failed(kind: 'read' | 'write', error: unknown): AppError {
    if (isRefusal(error)) {
      if (isThere()) turn('refusing', error);
      if (kind === 'write') return new AppError('internal', `Redis refuses: ${messageOf(error)}`);
    } else if (turn('away', error)) {
      // Redis is gone or too slow. The connection is renewed, and until it answers no further caller waits for it.
      client.disconnect(true);
    }
    return new StoreAway(`Redis did not answer: ${messageOf(error)}`);
  }

  return {
    request,
    ask: <T>(kind: 'read' | 'write', command: (client: Redis) => Promise<T>) =>
      request(kind, command).catch(() => undefined),
    isReady(withinMs: number): Promise<boolean> {
      if (isThere()) return Promise.resolve(true);
      return new Promise(resolve => {
        const settle = () => {
          clearTimeout(timer);
          client.off('ready', settle);
          resolve(isThere());
        };
        const timer = setTimeout(settle, withinMs);
        client.on('ready', settle);
      });
    },
    close() {
      state = 'closed';
      client.disconnect();
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

export interface RedisCacheOptions<V> {
  /** Names the cache; the keys of two caches never collide. */
  readonly name: string;
  /** The value from JSON, or undefined when it does not have the shape of this version. */
  parse(value: unknown): V | undefined;
  /** The most bytes of one value as JSON; a larger value is not shared. Default 512 KiB. */
  readonly maxBytes?: number;
  /** No value is kept longer than this, even if it could still stand in when loading fails. Default a day. */
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
      // The value is not to be stored, but an older one of the key must not outlive it, so that one is deleted.
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

/** Rate limit buckets that processes share, in windows of whole seconds. While Redis is away each counts alone. */
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
