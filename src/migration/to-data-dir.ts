import { AppError } from '../errors.ts';
import { createEmbeddedQueue } from '../infra/queue/embedded-queue.ts';
import { type RedisConnection, scanKeys } from '../infra/redis/redis-connection.ts';
import { exportRecords } from '../infra/redis/redis-inspection.ts';
import { fixedRedisKey } from '../infra/redis/redis-keys.ts';
import { claimDataDir } from '../infra/store/file-lock.ts';
import { createLibsqlRecords, hasRecords } from '../infra/store/libsql-records.ts';
import { addReturnedRecords } from '../infra/store/returned-records.ts';
import { keepSharedMediaKey, loadSharedMediaKey } from '../media/tunnel/tunnel-key.ts';
import { describeRecords, describeRequests, type Ends, moveRequests } from './move-requests.ts';

/** Throws when processes still run with this Redis; each running process keeps leases in it. */
async function assertQuiet(redis: RedisConnection): Promise<void> {
  for await (const _ of scanKeys(redis, `${fixedRedisKey('lease')}:*`))
    throw new AppError('internal', 'Medley still runs with this Redis: stop all its processes, and wait 15 seconds');
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
        return [
          ...describeRecords(new Map(counts.map(([name, added]) => [name, { found: added, added }]))),
          ...(mediaKey === undefined ? await takeMediaKey(redis, dataDir) : []),
          ...describeRequests(await moveRequests(from, to)),
        ];
      } finally {
        await to.close();
      }
    });
  } finally {
    claim.release();
  }
}
