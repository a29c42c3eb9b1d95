import type { Redis } from 'ioredis';
import { writtenByNewer } from '../store/store.ts';
import { migrateText, SHAPE_MIGRATIONS, type ShapeMigration } from '../store/stored-shapes.ts';
import { type RedisConnection, scanKeys } from './redis-connection.ts';
import { fixedRedisKey } from './redis-keys.ts';
import { QUEUE_ENTRIES } from './redis-queue.ts';

/** Replaces a value unless another process has changed it meanwhile; its time to live stays. */
const REPLACE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL') end`;
const REPLACE_PAYLOAD = `if redis.call('HGET', KEYS[1], 'payload') == ARGV[1] then redis.call('HSET', KEYS[1], 'payload', ARGV[2]) end`;

const VERSION = fixedRedisKey('shapes');

/**
 * Converts values in Redis to the shapes of this version. Several processes that start at once may all do it.
 * @throws AppError `internal` when a newer version wrote the values, or Redis does not answer
 */
export async function migrateRedisShapes(redis: RedisConnection, migrations = SHAPE_MIGRATIONS): Promise<void> {
  const version = Number((await redis.request('read', client => client.get(VERSION))) ?? 0);
  if (version > migrations.length) throw writtenByNewer('Redis');
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) await migrateValues(redis, migration);
  await redis.request('write', client => client.set(VERSION, migrations.length));
}

async function migrateValues(redis: RedisConnection, migration: ShapeMigration): Promise<void> {
  const { of } = migration;
  const isRequest = of === 'requests';
  const pattern = isRequest ? `${QUEUE_ENTRIES}*` : `${fixedRedisKey(`record:${of.collection}`)}:*`;
  const replace = async (client: Redis, key: string) => {
    const text = isRequest ? await client.hget(key, 'payload') : await client.get(key);
    if (text !== null)
      await client.eval(isRequest ? REPLACE_PAYLOAD : REPLACE, 1, key, text, migrateText(text, migration));
  };
  for await (const keys of scanKeys(redis, pattern))
    for (const key of keys) await redis.request('write', client => replace(client, key));
}
