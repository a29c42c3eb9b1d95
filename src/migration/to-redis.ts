import { join } from 'node:path';
import * as z from 'zod';
import { AppError } from '../errors.ts';
import { createEmbeddedQueue } from '../infra/queue/embedded-queue.ts';
import type { Queue } from '../infra/queue/queue.ts';
import type { SharedState } from '../infra/redis/redis.ts';
import { inspectRedis, redisShortcomings } from '../infra/redis/redis-inspection.ts';
import { addRecords } from '../infra/redis/redis-records.ts';
import { tryFileLock } from '../infra/store/file-lock.ts';
import type { StoredRecord } from '../infra/store/record-driver.ts';
import { collectionId } from '../infra/store/records.ts';
import { hasTable, type Store } from '../infra/store/store.ts';
import { loadSharedMediaKey } from '../media/tunnel/tunnel-key.ts';
import { COLLECTIONS } from './collections.ts';
import {
  type Copied,
  describeRecords,
  describeRequests,
  type Ends,
  type MovedRequests,
  moveRequests,
} from './move-requests.ts';

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

/** Checks a Redis. @throws AppError when it would not keep records safely */
async function assertSafe(url: string): Promise<void> {
  const shortcomings = redisShortcomings(await inspectRedis(url));
  if (shortcomings.length > 0)
    throw new AppError('internal', `this Redis would lose records. ${shortcomings.join(' ')}`);
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
  await assertSafe(ends.url);
  const { store, dataDir, mediaKey } = ends;
  return ends.withRedis(async ({ shared, queue }) => [
    ...describeRecords(await copyRecords(store, shared)),
    ...(mediaKey === undefined ? [await copyMediaKey(shared, dataDir)] : []),
    ...describeRequests(await takeRequests(ends, queue)),
  ]);
}
