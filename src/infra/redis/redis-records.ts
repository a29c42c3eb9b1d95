import { randomUUID } from 'node:crypto';
import type { ChainableCommander } from 'ioredis';
import * as z from 'zod';
import { parseJson } from '../parse-json.ts';
import {
  type ChangeListener,
  type CollectionId,
  digestIn,
  type RecordDriver,
  type StoredRecord,
} from '../store/record-driver.ts';
import { execute, type RedisChannel, type RedisConnection } from './redis-connection.ts';
import { fixedRedisKey, redisKey } from './redis-keys.ts';

export const CHANGES_CHANNEL = fixedRedisKey('changes');

const Change = z.object({ by: z.string(), collection: z.string(), key: z.string() });

const BATCH = 1_000;

const recordKey = ({ name }: CollectionId, key: string) => keyOf(`record:${name}`, key);
/** The key of a group's index, which sorts the keys of its records by the time at which they were written. */
const groupKey = ({ name }: CollectionId, group: string) => keyOf(`group:${name}`, group);
/** The key of a bounded collection's index, which sorts the keys of its records by the time of their writing. */
const orderKey = ({ name }: CollectionId) => fixedRedisKey(`order:${name}`);

/** The key for a name. A name made by `nameOfDigest` contains the real name's digest, so it gives the same key. */
function keyOf(kind: string, name: string): string {
  const digest = digestIn(name);
  return digest === undefined ? redisKey(kind, name) : `${fixedRedisKey(kind)}:${digest}`;
}

/** Announces changes to other processes, and receives theirs. */
function createChanges(channel: RedisChannel) {
  const by = randomUUID();
  const listeners = new Map<string, ChangeListener[]>();
  channel.listen(message => {
    if (message === undefined) for (const listen of [...listeners.values()].flat()) listen(undefined);
    const change = Change.safeParse(parseJson(message ?? '')).data;
    if (change === undefined || change.by === by) return;
    for (const listen of listeners.get(change.collection) ?? []) listen(change.key);
  });
  return {
    /**
     * Announces changed keys of a collection to which this process listens. All processes listen to the same
     * collections, so no process waits for other changes.
     */
    announce(transaction: ChainableCommander, { name }: CollectionId, keys: readonly string[]): void {
      if (!listeners.has(name)) return;
      for (const key of keys) transaction.publish(CHANGES_CHANNEL, JSON.stringify({ by, collection: name, key }));
    },
    onChange({ name }: CollectionId, listen: ChangeListener): void {
      listeners.set(name, [...(listeners.get(name) ?? []), listen]);
    },
  };
}

/** Deletes records in the order of an index, until there are none, or at most `most`. */
async function removeListed(
  redis: Pick<RedisConnection, 'request'>,
  collection: CollectionId,
  index: string,
  most = Number.POSITIVE_INFINITY,
) {
  for (let left = most; left > 0; left -= BATCH) {
    const last = Math.min(left, BATCH) - 1;
    const keys = await redis.request('read', client => client.zrange(index, 0, last));
    if (keys.length === 0) return;
    await redis.request('write', client => {
      // The index itself is not deleted, because records that are written meanwhile must stay in it.
      const transaction = client
        .multi()
        .unlink(...keys)
        .zrem(index, ...keys);
      if (collection.maxRecords !== undefined) transaction.zrem(orderKey(collection), ...keys);
      return execute(transaction);
    });
  }
}

/** Keeps records in Redis, where all processes share them. */
export function createRedisRecords(redis: Pick<RedisConnection, 'request'>, channel: RedisChannel): RecordDriver {
  const { announce, onChange } = createChanges(channel);

  /** Changes records in one transaction and announces it to other processes. */
  async function change(
    collection: CollectionId,
    keys: readonly string[],
    add: (transaction: ChainableCommander) => void,
  ): Promise<void> {
    await redis.request('write', client => {
      const transaction = client.multi();
      add(transaction);
      announce(transaction, collection, keys);
      return execute(transaction);
    });
  }

  return {
    async read(collection, key) {
      const value = await redis.request('read', client => client.get(recordKey(collection, key)));
      return value ?? undefined;
    },
    async readGroup(collection, group, limit) {
      const index = groupKey(collection, group);
      const keys = await redis.request('read', client => client.zrange(index, 0, limit - 1, 'REV'));
      if (keys.length === 0) return [];
      const values = await redis.request('read', client => client.mget(...keys));
      return values.filter(value => value !== null);
    },
    write: (collection, record) => change(collection, [record.key], all => setRecord(all, collection, record)),
    expire(collection, key, at) {
      const name = recordKey(collection, key);
      return change(collection, [key], all => {
        if (at === null) all.persist(name);
        else all.pexpireat(name, at);
        if (collection.maxRecords !== undefined) all.zadd(orderKey(collection), 'XX', Date.now(), name);
      });
    },
    async move(collection, from, to) {
      if (from === to) return;
      const [source, target] = [recordKey(collection, from), recordKey(collection, to)];
      // A moved record never expires until `expire` sets a new time, so its expiry is removed before it is copied. If a
      // record has the new key already, nothing is copied over it, and its expiry stays.
      await change(collection, [from, to], all => all.persist(source).copy(source, target).unlink(source));
    },
    remove(collection, key, group = null) {
      const name = recordKey(collection, key);
      return change(collection, [key], all => {
        all.unlink(name);
        if (group !== null) all.zrem(groupKey(collection, group), name);
        if (collection.maxRecords !== undefined) all.zrem(orderKey(collection), name);
      });
    },
    removeGroup: (collection, group) => removeListed(redis, collection, groupKey(collection, group)),
    async trim(collection, maxRecords) {
      const index = orderKey(collection);
      const { ttlMs } = collection;
      if (ttlMs !== undefined) {
        // Redis deletes expired records by itself, but not their places in the index, which are removed here.
        await redis.request('write', client => client.zremrangebyscore(index, '-inf', Date.now() - ttlMs));
      }
      const count = await redis.request('read', client => client.zcard(index));
      await removeListed(redis, collection, index, count - maxRecords);
    },
    onChange,
  };
}

/** Writes the records whose keys are new; returns how many. */
export async function addRecords(
  redis: RedisConnection,
  collection: CollectionId,
  records: readonly StoredRecord[],
): Promise<number> {
  if (records.length === 0) return 0;
  const answers = await redis.request('write', async client => {
    const transaction = client.multi();
    for (const record of records) setRecord(transaction, collection, record, 'NX');
    return execute(transaction);
  });
  return answers.filter(answer => answer === 'OK').length;
}

/** @param only `NX`: a record that exists stays as it is */
function setRecord(transaction: ChainableCommander, collection: CollectionId, record: StoredRecord, only?: 'NX'): void {
  const { key, group, value, writtenAt, expiresAt } = record;
  const name = recordKey(collection, key);
  const expiry = expiresAt === null ? [] : ['PXAT', expiresAt];
  const condition = only === undefined ? [] : [only];
  transaction.call('SET', name, value, ...expiry, ...condition);
  if (collection.maxRecords !== undefined)
    transaction.call('ZADD', orderKey(collection), ...condition, writtenAt, name);
  if (group === null) return;
  const index = groupKey(collection, group);
  transaction.call('ZADD', index, ...condition, writtenAt, name);
  if (collection.ttlMs === undefined) {
    // `trim` deletes the oldest records, but not their places in this index. Twice the number leaves the places of those
    // that it has not deleted yet.
    if (collection.maxRecords !== undefined) transaction.zremrangebyrank(index, 0, -2 * collection.maxRecords - 1);
    return;
  }
  transaction.zremrangebyscore(index, '-inf', Date.now() - collection.ttlMs);
  // An index must live as long as the longest-lived of its records, whichever was written last.
  const end = writtenAt + collection.ttlMs;
  transaction.pexpireat(index, end, 'NX').pexpireat(index, end, 'GT');
}
