import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Logger } from './infra/log.ts';
import { createEmbeddedQueue } from './infra/queue/embedded-queue.ts';
import type { Queue } from './infra/queue/queue.ts';
import type { SharedState } from './infra/redis/redis.ts';
import { PROCESS_NAME } from './infra/redis/redis-connection.ts';
import { claimDataDir, createSoleTask } from './infra/store/file-lock.ts';
import { createLibsqlRecords, hasRecords } from './infra/store/libsql-records.ts';
import { createRecordStore } from './infra/store/records.ts';
import { openStore } from './infra/store/store.ts';
import { migrateShapes } from './infra/store/stored-shapes.ts';
import { loadMediaKey, loadSharedMediaKey } from './media/tunnel/tunnel-key.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/**
 * Opens all durable data. They are in DATA_DIR, or in Redis for all processes.
 * @throws Error whose message says why the storage cannot be opened
 */
export async function openStorage(config: Config, log: Logger) {
  const { dataDir, redisUrl, queueLimits } = config;
  const claim = await claimDataDir(dataDir, {
    isShared: redisUrl !== undefined,
    onWait: () => log.info({ dataDir }, 'another process uses DATA_DIR; it is waited for'),
  });
  const shared = await openSharedState(config, log);
  const store = openStore(join(dataDir, 'medley.db'));
  if (shared === undefined) migrateShapes(store);
  const records = shared?.records ?? createRecordStore(createLibsqlRecords(store, { log }), { log });
  if (shared !== undefined && hasRecords(store)) log.info({}, NOT_MIGRATED);
  const mediaKey = await loadKey(config, shared);
  const fillerTask =
    shared &&
    createSoleTask(join(dataDir, 'catalogue.lock'), {
      onFailure: error => log.warn({ err: error }, 'whether this process fills the catalogue cannot be said'),
    });
  const memory = redisUrl === undefined ? openStore(':memory:') : undefined;
  const queue: Queue =
    redisUrl === undefined
      ? createEmbeddedQueue({ store, log, limits: queueLimits })
      : (await import('./infra/redis/redis-queue.ts')).createRedisQueue({ url: redisUrl, log, limits: queueLimits });
  const spare = memory && createEmbeddedQueue({ store: memory, log, limits: queueLimits });

  return {
    records,
    queue,
    /** A queue in memory for requests that `queue` cannot store; undefined where other processes must see them. */
    spare,
    /** The state that processes share; present if REDIS_URL is set. */
    shared,
    /** A secret key for one purpose, the same in all processes and after every start. */
    keyFor: (purpose: 'media links' | 'buttons' | 'opt-outs' | 'account links'): Buffer =>
      purpose === 'media links' ? mediaKey : Buffer.from(hkdfSync('sha256', mediaKey, '', `medley ${purpose}`, 32)),
    /** True when this process fills the catalogue and stores the files that all processes of this machine share. */
    isFiller: () => fillerTask?.isOurs() ?? true,
    async close(): Promise<void> {
      await Promise.all([queue.close(), spare?.close()]);
      shared?.close();
      fillerTask?.close();
      memory?.close();
      store.close();
      claim.release();
    },
  };
}

/**
 * Opens Redis if REDIS_URL is set; else not even its library is loaded. Without MEDIA_KEY, Medley needs the key that
 * Redis stores and cannot start without it, so the wait for Redis is longer.
 */
async function openSharedState({ redisUrl, mediaKey }: Config, log: Logger): Promise<SharedState | undefined> {
  if (redisUrl === undefined) return undefined;
  const { openRedisState } = await import('./infra/redis/redis.ts');
  const { migrateRedisShapes } = await import('./infra/redis/redis-shapes.ts');
  const options = { url: redisUrl, log, name: PROCESS_NAME };
  const shared = openRedisState({ ...options, prepare: redis => migrateRedisShapes(redis) });
  const isReady = await shared.isReady(mediaKey === undefined ? 15_000 : 2_000);
  // If the database number of REDIS_URL does not exist, the client would only emit an event and use the first database;
  // this command fails instead.
  if (isReady)
    await shared.redis
      .request('read', async client => client.options.db && client.select(client.options.db))
      .catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : '';
        throw new Error(`the database at the end of REDIS_URL cannot be used. ${reason}`, { cause });
      });
  // Old data is migrated now or, if Redis answers later, before its first record is read.
  if (isReady) await shared.prepare();
  if (isReady || mediaKey !== undefined) return shared;
  throw new Error(
    'Redis does not answer, and without MEDIA_KEY the key of media links is kept there: start it, correct REDIS_URL, or set MEDIA_KEY',
  );
}

function loadKey({ mediaKey, dataDir }: Config, shared: SharedState | undefined): Promise<Buffer> {
  if (mediaKey !== undefined) return Promise.resolve(Buffer.from(mediaKey));
  return shared === undefined ? loadMediaKey(dataDir) : loadSharedMediaKey(shared.agree, dataDir);
}

const NOT_MIGRATED =
  'with REDIS_URL the settings in DATA_DIR are not used: `npm run migrate -- REDIS_URL` copies them, if they were not yet';
