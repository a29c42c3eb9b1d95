import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { openRedisState, type SharedState } from '../../../src/infra/redis/redis.ts';
import { redisKey } from '../../../src/infra/redis/redis-keys.ts';
import { createLibsqlRecords } from '../../../src/infra/store/libsql-records.ts';
import { createRecordStore } from '../../../src/infra/store/records.ts';
import { addReturnedRecords } from '../../../src/infra/store/returned-records.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { recordsContract } from '../../contracts/records.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';
import { letKeysAge } from '../redis/age.ts';

for (const origin of ['', ' that came back from Redis'])
  recordsContract(`the embedded database${origin}`, async () => {
    const store = openStore(':memory:');
    if (origin !== '') addReturnedRecords(store, []);
    return {
      records: createRecordStore(createLibsqlRecords(store)),
      poison: async (collection, key, text) => {
        const { changes } = store.run('UPDATE records SET value = ? WHERE collection = ? AND key = ?', [
          text,
          collection,
          key,
        ]);
        expect(changes).toBe(1);
      },
      age: async () => undefined,
      close: async () => store.close(),
    };
  });

describe('records in the embedded database', () => {
  it('that have expired leave no row', async () => {
    let now = 1_000;
    const store = openStore(':memory:');
    onTestFinished(() => store.close());
    const records = createRecordStore(createLibsqlRecords(store, { now: () => now }), { now: () => now });
    const words = records.collection({ name: 'words', schema: z.string(), ttlMs: 5_000, maxRecords: 10 });
    await words.set('a', 'a');
    now += 3_600_000;
    await words.get('other');
    expect(store.all('SELECT key FROM records', [], z.object({ key: z.string() }))).toEqual([]);
  });

  it('are read while those that have expired cannot be deleted', async () => {
    let now = 1_000;
    const store = openStore(':memory:');
    onTestFinished(() => store.close());
    const log = createRecordingLog();
    const records = createRecordStore(createLibsqlRecords(store, { now: () => now, log }), { now: () => now });
    const words = records.collection({ name: 'words', schema: z.string() });
    await words.set('a', 'a');
    store.run('PRAGMA query_only = 1');
    now += 3_600_000;
    expect(await words.get('a')).toBe('a');
    expect(log.at().map(({ message }) => message)).toEqual(['expired records could not be deleted']);
    await expect(words.set('a', 'b')).rejects.toMatchObject({ code: 'internal' });
  });
});

describe.skipIf(redisMissing)(`records in Redis${redisNote}`, () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await createRedisServer();
    await server.start();
    admin = new Redis(server.url);
  });

  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  async function openProcess(timeoutMs = 30_000): Promise<SharedState> {
    const state = openRedisState({ url: server.url, log: createRecordingLog(), timeoutMs, retryMs: 20 });
    expect(await state.isReady(30_000)).toBe(true);
    return state;
  }

  async function openTracked(timeoutMs?: number): Promise<SharedState> {
    const state = await openProcess(timeoutMs);
    onTestFinished(() => state.close());
    return state;
  }

  recordsContract('Redis', async () => {
    await admin.flushall();
    const { records, close } = await openProcess();
    return {
      records,
      poison: async (collection, key, text) =>
        void (await admin.set(redisKey(`record:${collection}`, key), text, 'KEEPTTL')),
      age: ms => letKeysAge(admin, ms),
      close: async () => close(),
    };
  });

  /** So many processes listen for changes. */
  async function untilHeard(processes: number): Promise<void> {
    const listening = async () => (await admin.pubsub('NUMSUB', 'medley:1:changes'))[1];
    await expect.poll(() => listening()).toBe(processes);
    // And know it themselves, when they have read what Redis sent before its answer.
    for (let turn = 0; turn < 3; turn += 1) await sleep(10);
  }

  const WORDS = { name: 'words', schema: z.string(), maxInMemory: 10 };

  it('that make room in a group without an end leave its index', async () => {
    await admin.flushall();
    const { records } = await openTracked();
    const notes = records.groupedCollection({ name: 'lasting', schema: z.string(), maxRecords: 10 });
    for (let place = 0; place < 501; place += 1) await notes.set(`${place}`, `${place}`, 'all');
    expect(await admin.zcard(redisKey('group:lasting', 'all'))).toBe(20);
    expect(await notes.listGroup('all')).toHaveLength(10);
  });

  it('that expire or are deleted leave no key behind', async () => {
    await admin.flushall();
    const { records } = await openTracked();
    const notes = records.groupedCollection({ name: 'notes', schema: z.string(), ttlMs: 300, maxRecords: 100 });
    await notes.set('a', 'a', 'sari');
    await notes.set('b', 'b', 'budi');
    await notes.deleteGroup('sari');
    const words = records.collection(WORDS);
    await words.set('c', 'c');
    await words.delete('c');
    // The list that bounds a collection drops them when it is next trimmed.
    await expect.poll(() => admin.keys('*')).toEqual(['medley:1:order:notes']);
    const later = records.groupedCollection({ name: 'notes', schema: z.string(), ttlMs: 300, maxRecords: 100 });
    await later.set('d', 'd', 'wati');
    expect(await admin.zcard('medley:1:order:notes')).toBe(1);
  });

  it('are kept under keys that name no person', async () => {
    await admin.flushall();
    const { records } = await openTracked();
    await records.groupedCollection({ name: 'notes', schema: z.string() }).set('discord:sari', 'x', 'group:sari');
    await records.collection(WORDS).set('discord:sari', 'x');
    expect((await admin.keys('*')).length).toBe(3);
    expect((await admin.keys('*')).join()).not.toContain('sari');
  });

  it('are asked for once, also when they are absent', async () => {
    await admin.flushall();
    const words = (await openTracked()).records.collection(WORDS);
    await untilHeard(1);
    const gets = async () => Number(/cmdstat_get:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
    await admin.config('RESETSTAT');
    for (let time = 0; time < 20; time += 1) await words.get('absent');
    await Promise.all(Array.from({ length: 20 }, () => words.get('other')));
    expect(await gets()).toBe(2);
  });

  it('that one process changes are dropped by the others at once', async () => {
    await admin.flushall();
    const [one, two] = [await openTracked(), await openTracked()].map(({ records }) => records.collection(WORDS));
    await untilHeard(2);
    expect(await two?.get('a')).toBeUndefined();
    const seen = (text: string | undefined) => expect.poll(() => two?.get('a')).toBe(text);
    await one?.set('a', 'one');
    await seen('one');
    await one?.move('a', 'b');
    await seen(undefined);
    await one?.move('b', 'a');
    await seen('one');
    await one?.delete('a');
    await seen(undefined);
  });

  it('count as they were read last while Redis is away, cannot be changed then, and are read again after', async () => {
    await server.stop();
    await server.start();
    const [one, two] = [await openTracked(3_000), await openTracked(3_000)];
    const [mine, theirs] = [one, two].map(({ records }) => records.collection(WORDS));
    expect(await theirs?.get('last')).toBeUndefined();
    await mine?.set('a', 'before');
    await mine?.set('last', 'heard');
    // The word of the first change has come as well by then; coming later, it would drop what is read now.
    await expect.poll(() => theirs?.get('last')).toBe('heard');
    expect([await theirs?.get('a'), await theirs?.get('absent')]).toEqual(['before', undefined]);
    server.freeze();
    onTestFinished(() => server.thaw());
    await expect(theirs?.set('a', 'lost')).rejects.toMatchObject({ code: 'internal' });
    expect(await theirs?.get('a')).toBe('before');
    await expect(theirs?.get('never read')).rejects.toMatchObject({ code: 'internal' });
    server.thaw();
    // What Redis took in before it was given up is found out.
    expect(await two.isReady(30_000)).toBe(true);
    await expect.poll(() => theirs?.get('a')).toBe('lost');
    expect(await one.isReady(30_000)).toBe(true);
    // While the other may still be deaf.
    await vi.waitFor(() => mine?.set('a', 'after'), { timeout: 30_000 });
    await expect.poll(() => theirs?.get('a')).toBe('after');
  });

  it('refuse to be changed while Redis is full', async () => {
    await admin.flushall();
    const words = (await openTracked()).records.collection(WORDS);
    await admin.config('SET', 'maxmemory', '1');
    onTestFinished(async () => void (await admin.config('SET', 'maxmemory', '0')));
    await expect(words.set('a', 'x')).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('OOM'),
    });
    await admin.config('SET', 'maxmemory', '0');
    await words.set('a', 'x');
    expect(await words.get('a')).toBe('x');
  });

  it('ignore words of changes that cannot be read', async () => {
    await admin.flushall();
    const words = (await openTracked()).records.collection(WORDS);
    await words.set('a', 'x');
    for (const text of ['', '{', 'null', '{"by":1}']) await admin.publish('medley:1:changes', text);
    expect(await words.get('a')).toBe('x');
  });
});
