import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import { openRedisState } from '../../../src/infra/redis/redis.ts';
import { createRedisQueue } from '../../../src/infra/redis/redis-queue.ts';
import { migrateRedisShapes } from '../../../src/infra/redis/redis-shapes.ts';
import type { RecordStore } from '../../../src/infra/store/records.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { migrateShapes, SHAPE_MIGRATIONS, type ShapeMigration } from '../../../src/infra/store/stored-shapes.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { createRedisServer, redisMissing, redisNote } from '../../redis-server.ts';

const Old = z.object({ colour: z.string() });
const New = z.object({ colours: z.array(z.string()) });
const Either = z.union([Old, New]);

/** An invented one: a colour became a list of them. */
const toList = (of: ShapeMigration['of']): ShapeMigration => ({
  of,
  migrate(value) {
    const known = Either.parse(value);
    return 'colour' in known ? { colours: [known.colour] } : known;
  },
});
const MIGRATIONS = [toList({ collection: 'birds' }), toList('requests')];
const REFUSAL = /^what is in (DATA_DIR|Redis) was written by a newer version of Medley: [^\n.]+$/;

const birds = (records: RecordStore) => records.collection({ name: 'birds', schema: Either, ttlMs: 60_000 });
const others = (records: RecordStore) => records.collection({ name: 'others', schema: Either });
const entry = { id: 'a', lane: 'square', fairBy: 'square', owner: 'sari', payload: '{"colour":"grey"}' };

async function write(records: RecordStore): Promise<void> {
  await birds(records).set('heron', { colour: 'grey' });
  await others(records).set('heron', { colour: 'grey' });
}

async function expectNew(records: RecordStore): Promise<void> {
  expect(await birds(records).get('heron')).toEqual({ colours: ['grey'] });
  expect(await others(records).get('heron')).toEqual({ colour: 'grey' });
}

describe('stored shapes in a database', () => {
  let store: Store;

  beforeEach(() => {
    store = openStore(':memory:');
  });

  afterEach(() => store.close());

  it('are those of 0.2.0 where no version stands', () => {
    migrateShapes(store);
    const Version = z.object({ user_version: z.number() });
    expect(store.get('PRAGMA user_version', [], Version)).toEqual({ user_version: SHAPE_MIGRATIONS.length });
  });

  it('are changed once, records and requests, and refused when a newer version wrote them', async () => {
    const queue = createEmbeddedQueue({ store, log: createRecordingLog() });
    onTestFinished(() => queue.close());
    await queue.add(entry);
    await write(embeddedRecords(store));
    migrateShapes(store, MIGRATIONS);
    await expectNew(embeddedRecords(store));
    expect(await queue.unclaimed()).toMatchObject([{ payload: '{"colours":["grey"]}' }]);
    await birds(embeddedRecords(store)).set('crane', { colour: 'red' });
    migrateShapes(store, MIGRATIONS);
    expect(await birds(embeddedRecords(store)).get('crane')).toEqual({ colour: 'red' });
    expect(() => migrateShapes(store, MIGRATIONS.slice(1))).toThrow(REFUSAL);
  });

  it('are all as they were when one of them cannot be changed', async () => {
    await write(embeddedRecords(store));
    const failing: ShapeMigration = {
      of: { collection: 'others' },
      migrate() {
        throw new TypeError('a defect');
      },
    };
    expect(() => migrateShapes(store, [...MIGRATIONS, failing])).toThrow('a defect');
    expect(await birds(embeddedRecords(store)).get('heron')).toEqual({ colour: 'grey' });
  });
});

describe.skipIf(redisMissing)(`stored shapes in Redis${redisNote}`, () => {
  it('are changed once, records and requests, and refused when a newer version wrote them', async () => {
    const server = await createRedisServer();
    await server.start();
    onTestFinished(() => server.stop());
    const log = createRecordingLog();
    const state = openRedisState({ url: server.url, log, timeoutMs: 30_000 });
    const queue = createRedisQueue({ url: server.url, log });
    const admin = new Redis(server.url);
    onTestFinished(async () => {
      await queue.close();
      state.close();
      admin.disconnect();
    });
    expect(await state.isReady(30_000)).toBe(true);
    await queue.add(entry);
    await write(state.records);
    await migrateRedisShapes(state.redis, MIGRATIONS);
    await expectNew(state.records);
    expect(await queue.unclaimed()).toMatchObject([{ payload: '{"colours":["grey"]}' }]);
    const [key = ''] = await admin.keys('medley:1:record:birds:*');
    expect(await admin.pttl(key)).toBeGreaterThan(0);
    await migrateRedisShapes(state.redis, MIGRATIONS);
    await expect(migrateRedisShapes(state.redis, MIGRATIONS.slice(1))).rejects.toThrow(REFUSAL);
  });
});
