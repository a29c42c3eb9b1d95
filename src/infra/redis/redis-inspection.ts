import { Redis } from 'ioredis';
import { nameOfDigest } from '../store/record-driver.ts';
import type { ReturnedRecord } from '../store/returned-records.ts';
import { messageOf, NO_WAITING, type RedisConnection, scanKeys } from './redis-connection.ts';
import { fixedRedisKey } from './redis-keys.ts';

/** Everything that Medley must know of a Redis before it stores durable records in it. */
export interface RedisInspection {
  readonly version: string;
  /** True when all writes survive a restart of Redis, except those of the last second. */
  readonly isAppendOnly: boolean;
  /** Redis' name for the rule by which it deletes keys when it is full; with `noeviction` it deletes nothing. */
  readonly evictionPolicy: string;
}

/** @throws Error when Redis does not answer; its message holds no secret */
export async function inspectRedis(url: string): Promise<RedisInspection> {
  const client = new Redis(url, { ...NO_WAITING, lazyConnect: true, retryStrategy: () => null });
  let reason: unknown;
  client.on('error', error => {
    reason = error;
  });
  try {
    await client.connect();
    // For a missing database the client would only emit an event and then use the first database; this command fails
    // instead.
    await client.select(client.options.db ?? 0);
    const info = await client.info();
    return {
      version: fieldOf(info, 'redis_version') ?? 'of unknown version',
      isAppendOnly: fieldOf(info, 'aof_enabled') === '1',
      evictionPolicy: fieldOf(info, 'maxmemory_policy') ?? 'unknown',
    };
  } catch (error) {
    // The error of `connect` only says that the connection is closed. The event's error says why, but contains the
    // command with the password, so only its message is passed on.
    throw new Error(messageOf(reason ?? error));
  } finally {
    client.disconnect();
  }
}

/** The changes that this Redis needs before records are safe in it, as sentences for its operator; empty for none. */
export function redisShortcomings({ version, isAppendOnly, evictionPolicy }: RedisInspection): readonly string[] {
  const major = Number(/^\d+/.exec(version)?.[0] ?? 0);
  return [
    ...(major < 7 ? [`It is Redis ${version}: install Redis 7 or newer.`] : []),
    ...(isAppendOnly ? [] : ['It forgets everything when it is restarted: set `appendonly yes`.']),
    ...(evictionPolicy === 'noeviction'
      ? []
      : [`It deletes keys when it is full (${evictionPolicy}): set \`maxmemory-policy noeviction\`.`]),
  ];
}

function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

const PAGE = 500;

/** The facts about a record that only an index has: the time at which it was written, and its group if it has one. */
interface Place {
  readonly group: string | null;
  readonly writtenAt: number;
}

/**
 * Reads all records from Redis, to be put into a database. Their keys and groups are returned as digests, because Redis
 * has only the digests. Records written meanwhile may be missing.
 * @throws AppError `internal` when Redis cannot be read
 */
export async function exportRecords(redis: RedisConnection): Promise<readonly ReturnedRecord[]> {
  const now = Date.now();
  const places = new Map<string, Place>();
  for await (const keys of scanKeys(redis, `${fixedRedisKey('order')}:*`))
    for (const key of keys) await readPlaces(redis, key, null, places);
  for await (const keys of scanKeys(redis, `${fixedRedisKey('group')}:*`)) {
    for (const key of keys) await readPlaces(redis, key, nameOfDigest(partsOf(key).digest), places);
  }
  const records = new Map<string, ReturnedRecord>();
  for await (const keys of scanKeys(redis, `${fixedRedisKey('record')}:*`)) {
    const [values, livesMs] = await redis.request('read', client =>
      Promise.all([client.mget(...keys), Promise.all(keys.map(key => client.pttl(key)))]),
    );
    for (const [index, key] of keys.entries()) {
      const value = values[index];
      const lifeMs = livesMs[index] ?? -1;
      if (value === null || value === undefined) continue;
      const { collection, digest } = partsOf(key);
      const { group = null, writtenAt = now } = places.get(key) ?? {};
      const expiresAt = lifeMs < 0 ? null : now + lifeMs;
      records.set(key, { collection, key: nameOfDigest(digest), group, value, writtenAt, expiresAt });
    }
  }
  return [...records.values()];
}

async function readPlaces(redis: RedisConnection, index: string, group: string | null, places: Map<string, Place>) {
  const read = (start: number) => (client: Redis) => client.zrange(index, start, start + PAGE - 1, 'WITHSCORES');
  for (let start = 0; ; start += PAGE) {
    const found = await redis.request('read', read(start));
    for (let at = 0; at + 1 < found.length; at += 2)
      places.set(found[at] ?? '', { group, writtenAt: Number(found[at + 1]) });
    if (found.length < 2 * PAGE) return;
  }
}

/** The last two parts of the key of a record or group, such as `medley:1:record:COLLECTION:DIGEST`. */
function partsOf(key: string): { readonly collection: string; readonly digest: string } {
  const [digest = '', collection = ''] = key.split(':').reverse();
  return { collection, digest };
}
