import { join } from 'node:path';
import * as z from 'zod';
import { AppError } from '../errors.ts';
import type { Logger } from '../infra/log.ts';
import { createEmbeddedQueue } from '../infra/queue/embedded-queue.ts';
import type { Queue } from '../infra/queue/queue.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import { isInUse, type RedisConnection, scanKeys } from '../infra/redis/redis-connection.ts';
import { exportRecords, inspectRedis, redisShortcomings } from '../infra/redis/redis-inspection.ts';
import { fixedRedisKey } from '../infra/redis/redis-keys.ts';
import { addRecords } from '../infra/redis/redis-records.ts';
import { claimDataDir, tryFileLock } from '../infra/store/file-lock.ts';
import { createLibsqlRecords, hasRecords } from '../infra/store/libsql-records.ts';
import type { StoredRecord } from '../infra/store/record-driver.ts';
import { collectionId } from '../infra/store/records.ts';
import { addReturnedRecords } from '../infra/store/returned-records.ts';
import { hasTable, type Store } from '../infra/store/store.ts';
import { keepSharedMediaKey, loadSharedMediaKey } from '../media/tunnel/tunnel-key.ts';
import { COLLECTIONS } from './collections.ts';

interface MovedRequests {
  readonly moved: number;
  /** How many requests stayed, because a worker holds them or the target has no room. */
  readonly left: number;
}

/**
 * Moves waiting requests. If it is cut off, each request is in one of the queues or both, and another run continues.
 * @param to a queue that no worker serves yet
 * @throws AppError `internal` when a queue cannot be reached
 */
async function moveRequests(from: Queue, to: Queue): Promise<MovedRequests> {
  let [moved, left] = [0, 0];
  for (const entry of await from.unclaimed()) {
    const { outcome } = await to.add(entry);
    if (outcome !== 'full' && (await from.remove(entry.id))) moved += 1;
    else {
      left += 1;
      // A worker has claimed the request meanwhile, so its copy is removed again.
      if (outcome === 'accepted') await to.remove(entry.id);
    }
  }
  return { moved, left };
}

function describeRequests({ moved, left }: MovedRequests): readonly string[] {
  if (moved + left === 0) return [];
  const rest = left === 0 ? '' : `, ${left} left: stop all processes of Medley and run this again`;
  return [`requests that wait: ${moved} moved${rest}`];
}

/** The two ends between which data are moved: a DATA_DIR and a Redis. */
export interface Ends {
  readonly dataDir: string;
  /** The store in the embedded database. */
  readonly store: Store;
  /** The configured key of media links; undefined when none is configured and DATA_DIR has the key in a file. */
  readonly mediaKey: Uint8Array | undefined;
  readonly url: string;
  readonly log: Logger;
  /** Connects to Redis while `work` runs. @throws AppError `internal` when Redis does not answer */
  withRedis<T>(work: (redis: { readonly shared: SharedState; readonly queue: Queue }) => Promise<T>): Promise<T>;
}

interface Copied {
  readonly found: number;
  readonly added: number;
}

/** Returns a line for each collection that had records, in a fixed order. @param counts by the collection's name */
function describeRecords(counts: ReadonlyMap<string, Copied>): readonly string[] {
  const known = COLLECTIONS.flatMap(({ options, label }) => {
    const count = counts.get(options.name);
    if (count === undefined) return [];
    const { found, added } = count;
    return [`${label}: ${added} copied${found > added ? `, ${found - added} there already` : ''}`];
  });
  const names: readonly string[] = COLLECTIONS.map(({ options }) => options.name);
  const others = [...counts].filter(([name]) => !names.includes(name));
  return [...known, ...others.map(([name, { found }]) => `${name}: ${found} left, unknown to this version`)];
}

const BATCH = 500;

const Row = z.object({
  collection: z.string(),
  key: z.string(),
  group: z.string().nullable(),
  value: z.string(),
  writtenAt: z.number(),
  expiresAt: z.number().nullable(),
});

const RECORDS = `SELECT collection, key, group_key AS "group", value, written_at AS writtenAt, expires_at AS expiresAt
  FROM records WHERE expires_at IS NULL OR expires_at > ?`;

/** Reads the records that have not expired, as of one moment, in batches that each belong to one collection. */
function* batchesOf(store: Store, now: number): Iterable<readonly [string, readonly StoredRecord[]]> {
  const waiting = new Map<string, StoredRecord[]>();
  if (!hasTable(store, 'records')) return;
  for (const { collection, ...record } of store.each(RECORDS, [now], Row)) {
    const batch = waiting.get(collection) ?? [];
    batch.push(record);
    waiting.set(collection, batch);
    if (batch.length < BATCH) continue;
    waiting.delete(collection);
    yield [collection, batch];
  }
  yield* waiting;
}

async function copyRecords(store: Store, { redis }: SharedState): Promise<ReadonlyMap<string, Copied>> {
  const counts = new Map<string, Copied>();
  for (const [collection, records] of batchesOf(store, Date.now())) {
    const known = COLLECTIONS.find(({ options }) => options.name === collection);
    const { found, added } = counts.get(collection) ?? { found: 0, added: 0 };
    const more = known === undefined ? 0 : await addRecords(redis, collectionId(known.options), records);
    counts.set(collection, { found: found + records.length, added: added + more });
  }
  return counts;
}

async function copyMediaKey(shared: SharedState, dataDir: string): Promise<string> {
  let isProposed = false;
  await loadSharedMediaKey(
    (name, propose) =>
      shared.agree(name, () => {
        isProposed = true;
        return propose();
      }),
    dataDir,
  );
  return isProposed ? 'key of media links: copied' : 'key of media links: there already';
}

/** Moves waiting requests to the queue in Redis; moves none while a process still runs with this DATA_DIR. */
async function takeRequests({ store, dataDir, log }: Ends, to: Queue): Promise<MovedRequests> {
  if (!hasTable(store, 'queue')) return { moved: 0, left: 0 };
  const lock = tryFileLock(join(dataDir, 'medley.lock'));
  if (lock === undefined) return { moved: 0, left: unfinishedIn(store) };
  const from = createEmbeddedQueue({ store, log });
  try {
    return await moveRequests(from, to);
  } finally {
    await from.close();
    lock.release();
  }
}

function unfinishedIn(store: Store): number {
  const sql = `SELECT count(*) AS count FROM queue WHERE state <> 'done'`;
  return store.get(sql, [], z.object({ count: z.number() }))?.count ?? 0;
}

/**
 * Copies data from DATA_DIR to Redis, where existing records stay, and moves waiting requests.
 * @returns lines that say what was done
 * @throws AppError `internal` whose message says what prevents it
 */
export async function migrateToRedis(ends: Ends): Promise<readonly string[]> {
  const shortcomings = redisShortcomings(await inspectRedis(ends.url));
  if (shortcomings.length > 0)
    throw new AppError('internal', `this Redis would lose records. ${shortcomings.join(' ')}`);
  const { store, dataDir, mediaKey } = ends;
  return ends.withRedis(async ({ shared, queue }) => [
    ...describeRecords(await copyRecords(store, shared)),
    ...(mediaKey === undefined ? [await copyMediaKey(shared, dataDir)] : []),
    ...describeRequests(await takeRequests(ends, queue)),
  ]);
}

/**
 * Throws when a process of Medley is connected to this Redis, or holds a lease there: one that lost its connection may
 * come back as long as its lease lasts.
 */
async function assertQuiet(redis: RedisConnection): Promise<void> {
  const error = new AppError(
    'internal',
    'Medley still runs with this Redis: stop all its processes, and wait 15 seconds',
  );
  if (await isInUse(redis)) throw error;
  for await (const _ of scanKeys(redis, `${fixedRedisKey('lease')}:*`)) throw error;
}

async function takeMediaKey(redis: RedisConnection, dataDir: string): Promise<readonly string[]> {
  const kept = await redis.request('read', client => client.get(fixedRedisKey('media-key')));
  if (kept === null) return [];
  await keepSharedMediaKey(await loadSharedMediaKey(async () => kept, dataDir), dataDir);
  return ['key of media links: copied'];
}

/**
 * Copies data from Redis to an empty DATA_DIR, and moves waiting requests.
 * @returns lines that say what was done
 * @throws AppError `internal` whose message says what prevents it; nothing was copied then
 */
export async function migrateToDataDir(ends: Ends): Promise<readonly string[]> {
  const { dataDir, store, mediaKey, log } = ends;
  const claim = await claimDataDir(dataDir, { isShared: false, waitMs: 0 });
  try {
    if (hasRecords(store))
      throw new AppError(
        'internal',
        `${dataDir} keeps records already: name an empty DATA_DIR, or move its medley.db away`,
      );
    return await ends.withRedis(async ({ shared: { redis }, queue: from }) => {
      await assertQuiet(redis);
      const records = await exportRecords(redis);
      // Records need their table, which this call makes.
      createLibsqlRecords(store);
      const counts = [...addReturnedRecords(store, records)];
      const to = createEmbeddedQueue({ store, log });
      try {
        const lines = [
          ...describeRecords(new Map(counts.map(([name, added]) => [name, { found: added, added }]))),
          ...(mediaKey === undefined ? await takeMediaKey(redis, dataDir) : []),
          ...describeRequests(await moveRequests(from, to)),
        ];
        // The number of the database is easily left out of an address, and another database is empty.
        if (lines.length === 0)
          throw new AppError('internal', 'there is nothing to copy: this Redis has no data of Medley');
        return lines;
      } finally {
        await to.close();
      }
    });
  } finally {
    claim.release();
  }
}
