import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { RECOMMENDATIONS } from './beatmaps/recommend/recommendation-history.ts';
import { BUTTON_ARGUMENTS } from './bot/buttons/button-token.ts';
import { CHAT_MEMBERS, MEMBER_CHATS } from './bot/memory/chat-members.ts';
import { SHOWN_MAPS } from './bot/memory/shown-maps.ts';
import { TRACK_MARKS, TRACKING_CHATS } from './bot/memory/tracked-players.ts';
import { BLOCKS } from './bot/settings/block-list.ts';
import { OPT_OUTS, WEB_OPT_OUTS } from './bot/settings/opt-outs.ts';
import { PROVEN_USERS } from './bot/settings/proven-users.ts';
import { CHATS, USERS, WEB_USERS } from './bot/settings/settings.ts';
import { ConfigError, loadConfig, readEnvironment } from './config.ts';
import { parseRedisUrl } from './config-values.ts';
import { AppError } from './errors.ts';
import { createLogger } from './infra/log.ts';
import { openRedisState, type SharedState } from './infra/redis/redis.ts';
import { inspectRedis, redisShortcomings } from './infra/redis/redis-inspection.ts';
import { recordQueries } from './infra/store/adopted-tables.ts';
import type { StoredRecord } from './infra/store/record-driver.ts';
import { collectionId } from './infra/store/records.ts';
import { addRecords } from './infra/store/redis-records.ts';
import { openStore, type Store } from './infra/store/store.ts';
import { SENT_FILES } from './media/delivery/sent-files.ts';
import { loadSharedMediaKey } from './media/tunnel/tunnel-key.ts';

const COLLECTIONS = [
  { options: USERS, label: 'settings of people' },
  { options: WEB_USERS, label: 'settings of web chats' },
  { options: CHATS, label: 'settings of groups' },
  { options: PROVEN_USERS, label: 'people who signed in at osu!' },
  { options: OPT_OUTS, label: 'people whose links are ignored' },
  { options: WEB_OPT_OUTS, label: 'web chats whose links are ignored' },
  { options: BLOCKS, label: 'lists of what is blocked' },
  { options: SHOWN_MAPS, label: 'maps that chats saw last' },
  { options: CHAT_MEMBERS, label: 'linked members of groups' },
  { options: MEMBER_CHATS, label: 'groups of linked members' },
  { options: TRACKING_CHATS, label: 'chats that watch players' },
  { options: TRACK_MARKS, label: 'plays of watched players' },
  { options: BUTTON_ARGUMENTS, label: 'arguments of buttons' },
  { options: RECOMMENDATIONS, label: 'recommendations' },
  { options: SENT_FILES, label: 'files that platforms hold' },
];
const BATCH = 500;
/** A batch is some hundred kilobytes. */
const TIMEOUT_MS = 10_000;

const Row = z
  .object({
    collection: z.string(),
    key: z.string(),
    group_key: z.string().nullable(),
    value: z.string(),
    written_at: z.number(),
    expires_at: z.number().nullable(),
  })
  .transform(({ group_key: group, written_at: writtenAt, expires_at: expiresAt, ...rest }) => ({
    ...rest,
    group,
    writtenAt,
    expiresAt,
  }));

interface Count {
  found: number;
  added: number;
}

/** Records by collection, in batches, as they were when the first was read. What has expired is left out. */
function* batchesOf(store: Store, now: number): Iterable<readonly [string, readonly StoredRecord[]]> {
  const waiting = new Map<string, StoredRecord[]>();
  for (const query of recordQueries(store)) {
    for (const { collection, ...record } of store.each(query, [], Row)) {
      if (record.expiresAt !== null && record.expiresAt <= now) continue;
      const batch = waiting.get(collection) ?? [];
      batch.push(record);
      waiting.set(collection, batch);
      if (batch.length < BATCH) continue;
      waiting.delete(collection);
      yield [collection, batch];
    }
  }
  yield* waiting;
}

async function copyRecords(store: Store, { link }: SharedState): Promise<ReadonlyMap<string, Count>> {
  const counts = new Map<string, Count>();
  for (const [collection, records] of batchesOf(store, Date.now())) {
    const known = COLLECTIONS.find(({ options }) => options.name === collection);
    const count = counts.get(collection) ?? { found: 0, added: 0 };
    count.found += records.length;
    if (known !== undefined) count.added += await addRecords(link, collectionId(known.options), records);
    counts.set(collection, count);
  }
  return counts;
}

function describe(counts: ReadonlyMap<string, Count>): readonly string[] {
  const known = COLLECTIONS.flatMap(({ options, label }) => {
    const count = counts.get(options.name);
    if (count === undefined) return [];
    const { found, added } = count;
    return [`${label}: ${added} copied${found > added ? `, ${found - added} there already` : ''}`];
  });
  const names = COLLECTIONS.map(({ options }) => options.name);
  const others = [...counts].filter(([name]) => !names.some(each => each === name));
  return [...known, ...others.map(([name, { found }]) => `${name}: ${found} left, unknown to this version`)];
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

function readUrl([url, ...others]: readonly string[]): string {
  const known = url === undefined || others.length > 0 ? undefined : parseRedisUrl(url);
  if (known !== undefined) return known;
  throw new ConfigError('Name the Redis: npm run migrate -- redis://127.0.0.1:6379');
}

/** @throws AppError when records would not be safe there */
async function assertSafe(url: string): Promise<void> {
  const inspection = await inspectRedis(url).catch((cause: unknown) => {
    throw new AppError('internal', `Redis does not answer: ${cause instanceof Error ? cause.message : ''}`, { cause });
  });
  const shortcomings = redisShortcomings(inspection);
  if (shortcomings.length > 0)
    throw new AppError('internal', `this Redis would lose records. ${shortcomings.join(' ')}`);
}

/** `npm run migrate -- REDIS_URL`: copies what DATA_DIR keeps to Redis. What is there already stays as it is. */
async function migrate(given: readonly string[]): Promise<readonly string[]> {
  const url = readUrl(given);
  const { dataDir, mediaKey } = loadConfig(readEnvironment());
  const path = join(dataDir, 'medley.db');
  if (!existsSync(path)) throw new AppError('internal', `there is nothing to copy: ${path} does not exist`);
  await assertSafe(url);
  const shared = openRedisState({ url, log: createLogger({ level: 'silent' }), timeoutMs: TIMEOUT_MS });
  const store = openStore(path);
  try {
    await shared.isReady(TIMEOUT_MS);
    const counts = describe(await copyRecords(store, shared));
    return mediaKey === undefined ? [...counts, await copyMediaKey(shared, dataDir)] : counts;
  } finally {
    store.close();
    shared.close();
  }
}

const LAST_WORDS =
  'Start Medley with this REDIS_URL now. DATA_DIR keeps its copy, which /forget me does not reach: delete it when all is well.';

try {
  for (const line of await migrate(process.argv.slice(2))) process.stdout.write(`${line}\n`);
  process.stdout.write(`${LAST_WORDS}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof ConfigError ? message : `Nothing more was copied: ${message}`}\n`);
  process.exitCode = 1;
}
