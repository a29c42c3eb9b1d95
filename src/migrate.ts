import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, loadConfig, readEnvironment } from './config.ts';
import { parseRedisUrl } from './config-values.ts';
import { AppError } from './errors.ts';
import { createLogger } from './infra/log.ts';
import { openRedisState } from './infra/redis/redis.ts';
import { inspectRedis } from './infra/redis/redis-inspection.ts';
import { createRedisQueue } from './infra/redis/redis-queue.ts';
import { migrateRedisShapes } from './infra/redis/redis-shapes.ts';
import { openStore } from './infra/store/store.ts';
import { migrateShapes } from './infra/store/stored-shapes.ts';
import { type Ends, migrateToDataDir, migrateToRedis } from './migration/to-redis.ts';

/** The time limit for one batch of some hundred kilobytes, in milliseconds. */
const TIMEOUT_MS = 10_000;
const BACK = '--back';

function readArguments(given: readonly string[]) {
  const [url, ...others] = given.filter(each => each !== BACK);
  const known = url === undefined || others.length > 0 ? undefined : parseRedisUrl(url);
  if (known !== undefined) return { url: known, isBack: given.includes(BACK) };
  throw new ConfigError(
    `Name the Redis: npm run migrate -- redis://127.0.0.1:6379, and with ${BACK} behind it to come back from there`,
  );
}

/** `npm run migrate -- REDIS_URL` copies from DATA_DIR to Redis; with `--back`, from Redis to DATA_DIR. */
async function migrate({ url, isBack }: ReturnType<typeof readArguments>): Promise<readonly string[]> {
  const { dataDir, mediaKey } = loadConfig(readEnvironment());
  const path = join(dataDir, 'medley.db');
  if (!isBack && !existsSync(path)) throw new AppError('internal', `there is nothing to copy: ${path} does not exist`);
  await inspectRedis(url).catch((cause: unknown) => {
    throw new AppError('internal', `Redis does not answer: ${cause instanceof Error ? cause.message : ''}`, { cause });
  });
  if (isBack) mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = createLogger({ level: 'silent' });
  const store = openStore(path);
  migrateShapes(store);
  const ends: Ends = {
    ...{ dataDir, store, mediaKey, url, log },
    async withRedis(work) {
      const shared = openRedisState({ url, log, timeoutMs: TIMEOUT_MS });
      const queue = createRedisQueue({ url, log, timeoutMs: TIMEOUT_MS });
      try {
        await shared.isReady(TIMEOUT_MS);
        await migrateRedisShapes(shared.redis);
        return await work({ shared, queue });
      } finally {
        await queue.close();
        shared.close();
      }
    },
  };
  try {
    return isBack ? await migrateToDataDir(ends) : await migrateToRedis(ends);
  } finally {
    store.close();
  }
}

const THERE =
  'Start Medley with this REDIS_URL now. DATA_DIR keeps its copy, which /forget me does not reach: delete it when all is well.';
const BACK_AGAIN =
  'Start Medley without REDIS_URL now. Redis keeps its copy, which /forget me does not reach: delete it when all is well.';

try {
  const asked = readArguments(process.argv.slice(2));
  const lines = [...(await migrate(asked)), asked.isBack ? BACK_AGAIN : THERE];
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof ConfigError ? message : `Nothing more was copied: ${message}`}\n`);
  process.exitCode = 1;
}
