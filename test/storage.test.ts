import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { CHATS } from '../src/bot/stores/settings-store.ts';
import { loadConfig } from '../src/config.ts';
import { openRedisState } from '../src/infra/redis/redis.ts';
import { openStorage } from '../src/storage.ts';
import { createRecordingLog } from './fakes/log.ts';
import { createRedisServer, redisMissing, redisNote } from './redis-server.ts';

it('lets as many requests wait as REQUESTS_WAITING says', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'medley-storage-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const storage = await openStorage(loadConfig({ DATA_DIR: dataDir, REQUESTS_WAITING: '100' }), createRecordingLog());
  onTestFinished(() => storage.close());
  const add = (index: number) =>
    storage.queue.add({ id: `discord:${index}`, lane: `${index}`, fairBy: `${index}`, owner: '', payload: '{}' });
  for (let index = 0; index < 100; index += 1) expect(await add(index)).toMatchObject({ outcome: 'accepted' });
  expect(await add(100)).toMatchObject({ outcome: 'full', scope: 'queue' });
});

it.skipIf(redisMissing)(
  `converts what an earlier version left in Redis, also when Redis answers only after the start${redisNote}`,
  async () => {
    const server = await createRedisServer();
    await server.start();
    onTestFinished(() => server.stop());
    const before = openRedisState({ url: server.url, log: createRecordingLog() });
    onTestFinished(() => before.close());
    expect(await before.isReady(30_000)).toBe(true);
    const listed = before.records.collection({ name: CHATS.name, schema: z.looseObject({}) });
    await listed.set('discord:square', { disabledSources: ['instagram'] });
    server.freeze();
    const dataDir = mkdtempSync(join(tmpdir(), 'medley-storage-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const environment = { DATA_DIR: dataDir, REDIS_URL: server.url, MEDIA_KEY: 'ab'.repeat(32) };
    const log = createRecordingLog();
    const storage = await openStorage(loadConfig(environment), log);
    onTestFinished(() => storage.close());
    server.thaw();
    const chats = storage.records.collection(CHATS);
    const sourcesOf = async () => (await chats.get('discord:square').catch(() => undefined))?.sources;
    await expect.poll(sourcesOf, { timeout: 20_000 }).toEqual({ instagram: false });
    expect(log.at('error')).toEqual([]);
  },
);
