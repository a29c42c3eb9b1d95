import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRecommendationHistory } from '../../src/beatmaps/recommend/recommendation-history.ts';
import { CHAT_DEFAULTS } from '../../src/bot/contract/settings.ts';
import { createBlockList } from '../../src/bot/stores/exclusions.ts';
import { createSettingsStore } from '../../src/bot/stores/settings-store.ts';
import { loadConfig } from '../../src/config.ts';
import { createEmbeddedQueue } from '../../src/infra/queue/embedded-queue.ts';
import { openRedisState, type SharedState } from '../../src/infra/redis/redis.ts';
import { createRedisQueue } from '../../src/infra/redis/redis-queue.ts';
import { createRedisLease } from '../../src/infra/redis/redis-task-lease.ts';
import { tryFileLock } from '../../src/infra/store/file-lock.ts';
import type { RecordStore } from '../../src/infra/store/records.ts';
import { openStore, type Store } from '../../src/infra/store/store.ts';
import { createSentFiles } from '../../src/media/delivery/sent-files.ts';
import { openStorage } from '../../src/storage.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { embeddedRecords } from '../records.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../redis-server.ts';
import { runEntry } from './entry.ts';

let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'medley-migrate-'));
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
});

afterEach(() => rmSync(folder, { recursive: true }));

const migrate = (...args: readonly string[]) => runEntry('migrate', args, { DATA_DIR: dataDir });

async function openServer(...args: readonly string[]): Promise<RedisServer> {
  const server = await createRedisServer('--dir', folder, ...args);
  onTestFinished(() => server.stop());
  await server.start();
  return server;
}

async function open(url: string): Promise<SharedState> {
  const state = openRedisState({ url, log: createRecordingLog(), timeoutMs: 30_000, retryMs: 20 });
  onTestFinished(() => state.close());
  expect(await state.isReady(30_000)).toBe(true);
  return state;
}

const SAFE = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'];
const LAST =
  'Start Medley with this REDIS_URL now. DATA_DIR keeps its copy, which /forget me does not reach: delete it when all is well.';

const WAITING = { lane: 'discord:10', fairBy: 'discord:guild', owner: 'discord:300', atOnce: 1 };

function openHere(): Store {
  const store = openStore(join(dataDir, 'medley.db'));
  onTestFinished(() => store.close());
  return store;
}

/** What a worker gets from that Redis, in order. */
async function claimsOf(url: string): Promise<readonly string[]> {
  const queue = createRedisQueue({ url, log: createRecordingLog() });
  onTestFinished(() => queue.close());
  const payloads: string[] = [];
  queue.work(
    async ({ payload }) => {
      payloads.push(payload);
      return { done: true };
    },
    { concurrency: 4 },
  );
  await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0, running: 0 });
  return payloads;
}

/** Names of all collections, as the sources declare them. */
function collectionsInSource(): readonly string[] {
  const source = fileURLToPath(new URL('../../src', import.meta.url));
  const declared = /name: '([\w-]+)',\s*schema\b/g;
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name => [...readFileSync(join(source, name), 'utf8').matchAll(declared)])
    .map(([, name = '']) => name);
  return [...new Set(names)];
}

/** Of `comes back from Redis`. Read by other means each time, since what is read first may change how it is kept. */
async function expectSettings(records: () => RecordStore): Promise<void> {
  const settings = createSettingsStore({ records: records() });
  expect(await settings.user('discord:300')).toMatchObject({ language: 'id' });
  expect(await settings.chat('discord:guild')).toMatchObject({ autoDetect: false });
  expect(await createBlockList({ records: records() }).hasLink('instagram:C9Reef')).toBe(true);
  const history = createRecommendationHistory({ records: records() });
  expect(await history.mapsOf('discord:300')).toEqual(new Set([1, 2]));
}

describe.skipIf(redisMissing)(`npm run migrate${redisNote}`, () => {
  it('copies what DATA_DIR keeps to Redis and leaves it alone; a second time changes nothing', async () => {
    const { url } = await openServer(...SAFE);
    const here = openHere();
    const records = embeddedRecords(here);
    const ours = createSettingsStore({ records });
    const player = { id: 31, name: 'paper "crane"', mode: 'mania', proven: false } as const;
    await ours.setUser('discord:300', { language: 'id', player });
    await ours.setUser('web:sari', { language: 'id' });
    await ours.setChat('discord:guild', { autoDetect: false, language: 'id', sources: { facebook: false } });
    const given = createRecommendationHistory({ records });
    await given.add('discord:300', [1, 2]);
    await given.add('discord:300', [3]);
    const file = { holder: 'telegram:77', source: 'instagram', postId: 'C9Reef', index: 0, form: 'original' } as const;
    const sent = createSentFiles({ records, onFailure: () => undefined });
    await sent.put(file, { variantKey: '720x1280', fileId: 'file-0', kind: 'video' });
    writeFileSync(join(dataDir, 'media.key'), Buffer.alloc(32, 9));
    expect(await migrate(url)).toEqual({
      code: 0,
      stderr: '',
      stdout: `${[
        'settings of people: 1 copied',
        'settings of web chats: 1 copied',
        'settings of groups: 1 copied',
        'recommendations: 2 copied',
        'files that platforms hold: 1 copied',
        'key of media links: copied',
        LAST,
      ].join('\n')}\n`,
    });

    const shared = await open(url);
    const settings = createSettingsStore({ records: shared.records });
    expect(await settings.user('discord:300')).toEqual({ language: 'id', player, view: null });
    expect(await settings.user('web:sari')).toEqual({ language: 'id', player: null, view: null });
    const guild = { ...CHAT_DEFAULTS, autoDetect: false, language: 'id', sources: { facebook: false } };
    expect(await settings.chat('discord:guild')).toEqual(guild);
    const history = createRecommendationHistory({ records: shared.records });
    expect(await history.mapsOf('discord:300')).toEqual(new Set([1, 2, 3]));
    await history.forgetUser('discord:300');
    expect(await history.mapsOf('discord:300')).toEqual(new Set());
    const files = createSentFiles({ records: shared.records, onFailure: () => undefined });
    expect(await files.get(file)).toMatchObject({ fileId: 'file-0' });
    expect(await shared.agree('media-key', async () => 'other')).toBe(Buffer.alloc(32, 9).toString('base64url'));

    await settings.setChat('discord:guild', { autoDetect: true });
    const again = await migrate(url);
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('settings of groups: 0 copied, 1 there already\n');
    expect(again.stdout).toContain('recommendations: 2 copied\n');
    expect(again.stdout).toContain('key of media links: there already\n');
    expect((await createSettingsStore({ records: (await open(url)).records }).chat('discord:guild')).autoDetect).toBe(
      true,
    );
    expect((await ours.chat('discord:guild')).autoDetect).toBe(false);
  });

  it('copies a DATA_DIR of this version, as it is while a process holds it, beyond one batch, with its times', async () => {
    const { url } = await openServer(...SAFE);
    const store = openStore(join(dataDir, 'medley.db'));
    onTestFinished(() => store.close());
    const settings = createSettingsStore({ records: embeddedRecords(store) });
    for (let n = 0; n < 1_234; n += 1) await settings.setUser(`telegram:${n}`, { language: 'id' });
    await settings.setChat('telegram:-1', { captions: false });
    await settings.markChatLeft('telegram:-1', Date.now());
    store.run(`INSERT INTO records VALUES ('tomorrow', 'a', NULL, '1', 0, NULL)`);
    const ended = await migrate(url);
    expect(ended.stdout).toContain('settings of people: 1234 copied\n');
    expect(ended.stdout).toContain('tomorrow: 1 left, unknown to this version\n');
    const admin = new Redis(url);
    onTestFinished(() => admin.disconnect());
    const keys = await admin.keys('medley:1:record:chats:*');
    expect(keys).toHaveLength(1);
    const days = (await admin.pttl(keys[0] ?? '')) / (24 * 3_600_000);
    expect(days).toBeGreaterThan(29);
    expect(days).toBeLessThanOrEqual(30);
  });

  it('moves what waits to be answered, once the process that would answer it has ended', async () => {
    const { url } = await openServer(...SAFE);
    const store = openStore(join(dataDir, 'medley.db'));
    onTestFinished(() => store.close());
    const here = createEmbeddedQueue({ store, log: createRecordingLog() });
    onTestFinished(() => here.close());
    const waits = ['one', 'two', 'three'].map(id => ({ id, ...WAITING, payload: `what ${id} asks` }));
    for (const entry of waits) await here.add(entry);
    const lock = tryFileLock(join(dataDir, 'medley.lock'));
    expect((await migrate(url)).stdout).toMatch(/^requests that wait: 0 moved, 3 left: stop all processes of Medley/m);
    lock?.release();
    expect((await migrate(url)).stdout).toMatch(/^requests that wait: 3 moved$/m);
    expect((await migrate(url)).stdout).not.toContain('requests');
    expect(await here.stats()).toMatchObject({ waiting: 0 });
    expect(await claimsOf(url)).toEqual(waits.map(({ payload }) => payload));
  });

  it('knows every collection that this version keeps', async () => {
    const { url } = await openServer(...SAFE);
    const store = openStore(join(dataDir, 'medley.db'));
    onTestFinished(() => store.close());
    embeddedRecords(store);
    const names = collectionsInSource();
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) store.run(`INSERT INTO records VALUES (?, 'a', NULL, '1', 0, NULL)`, [name]);
    const { stdout } = await migrate(url);
    expect(stdout).not.toContain('unknown');
    expect(stdout.match(/: 1 copied/g)).toHaveLength(names.length);
  });

  it('comes back from Redis to a DATA_DIR, and goes there again', async () => {
    const { url } = await openServer(...SAFE);
    const shared = await open(url);
    const settings = createSettingsStore({ records: shared.records });
    await settings.setUser('discord:300', { language: 'id' });
    await settings.setChat('discord:guild', { autoDetect: false });
    await settings.setChat('telegram:-1', { captions: false });
    await settings.markChatLeft('telegram:-1', Date.now());
    const history = createRecommendationHistory({ records: shared.records });
    await history.add('discord:300', [1, 2]);
    await createBlockList({ records: shared.records }).add('link', 'instagram:C9Reef');
    const key = Buffer.alloc(32, 5);
    await shared.agree('media-key', async () => key.toString('base64url'));
    const there = createRedisQueue({ url, log: createRecordingLog() });
    await there.add({ id: 'one', ...WAITING, payload: 'what one asks' });
    await there.add({ id: 'two', ...WAITING, payload: 'what two asks', delayMs: 60_000 });
    await there.close();

    expect(await migrate(url, '--back')).toEqual({
      code: 0,
      stderr: '',
      stdout: `${[
        'settings of people: 1 copied',
        'settings of groups: 2 copied',
        'lists of what is blocked: 1 copied',
        'recommendations: 1 copied',
        'key of media links: copied',
        'requests that wait: 2 moved',
        'Start Medley without REDIS_URL now. Redis keeps its copy, which /forget me does not reach: delete it when all is well.',
      ].join('\n')}\n`,
    });
    expect(readFileSync(join(dataDir, 'media.key'))).toEqual(key);
    await expectSettings(() => embeddedRecords(openHere()));
    const queue = createEmbeddedQueue({ store: openHere(), log: createRecordingLog() });
    onTestFinished(() => queue.close());
    expect((await queue.unclaimed()).map(({ payload }) => payload)).toEqual(['what one asks', 'what two asks']);

    expect((await migrate(url, '--back')).stderr).toMatch(/keeps records already: name an empty DATA_DIR/);
    const other = await createRedisServer('--dir', folder, ...SAFE, '--appenddirname', 'other');
    onTestFinished(() => other.stop());
    await other.start();
    expect((await migrate(other.url)).stdout).toMatch(/^requests that wait: 2 moved$/m);
    const { records } = await open(other.url);
    await expectSettings(() => records);
  });

  it('comes back only when no process works with that Redis any more, and none with DATA_DIR', async () => {
    const { url } = await openServer(...SAFE);
    const { redis, records } = await open(url);
    await createSettingsStore({ records }).setUser('discord:300', { language: 'id' });
    const lease = await createRedisLease({ redis, name: 'tracking' }).hold({
      signal: new AbortController().signal,
      onWait: () => undefined,
      onLost: () => undefined,
    });
    expect((await migrate(url, '--back')).stderr).toMatch(
      /^Nothing more was copied: Medley still runs with this Redis/,
    );
    await lease.release();
    const lock = tryFileLock(join(dataDir, 'medley.lock'));
    expect((await migrate(url, '--back')).stderr).toMatch(/is used by another Medley process/);
    lock?.release();
    expect(await migrate(url, '--back')).toMatchObject({ code: 0, stderr: '' });
  });

  it('comes back only when no process of Medley is connected to that database, also one that keeps no lease', async () => {
    const { url } = await openServer(...SAFE);
    const openMedley = (database: number) =>
      openStorage(
        loadConfig({ ROLES: 'web', DATA_DIR: join(folder, 'web'), REDIS_URL: `${url}/${database}` }),
        createRecordingLog(),
      );
    const elsewhere = await openMedley(1);
    onTestFinished(() => elsewhere.close());
    const web = await openMedley(0);
    expect((await migrate(url, '--back')).stderr).toMatch(
      /^Nothing more was copied: Medley still runs with this Redis/,
    );
    await web.close();
    expect(await migrate(url, '--back')).toMatchObject({ code: 0, stderr: '' });
  });

  it('says that there is nothing to bring back from an empty database', async () => {
    const { url } = await openServer(...SAFE);
    await createSettingsStore({ records: (await open(url)).records }).setUser('discord:300', { language: 'id' });
    expect(await migrate(`${url}/1`, '--back')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Nothing more was copied: there is nothing to copy: this Redis has no data of Medley\n',
    });
    expect(await migrate(url, '--back')).toMatchObject({ code: 0, stderr: '' });
  });

  it('refuses a Redis that would lose records, and says what to change', async () => {
    openStore(join(dataDir, 'medley.db')).close();
    const { url } = await openServer('--maxmemory-policy', 'allkeys-lru');
    const { code, stdout, stderr } = await migrate(url);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Nothing more was copied: this Redis would lose records\. [^\n]+\n$/);
    expect(stderr).toContain('set `appendonly yes`');
    expect(stderr).toContain('(allkeys-lru): set `maxmemory-policy noeviction`');
    const admin = new Redis(url);
    onTestFinished(() => admin.disconnect());
    expect(await admin.dbsize()).toBe(0);
    const doctor = await runEntry('doctor', [], {
      DATA_DIR: dataDir,
      REDIS_URL: url,
      UPSTREAM_PROXY: 'http://127.0.0.1:9',
    });
    expect(doctor.stdout).toMatch(/^WRONG {2}Redis 7\.\S+ answers, but is not safe to keep records in$/m);
    expect(doctor.stdout).toContain('set `appendonly yes`');
  });

  it('says in one sentence what is amiss, without the password', async () => {
    const { url } = await createRedisServer();
    const secret = url.replace('//', '//:secret-word@');
    for (const [args, sentence] of [
      [[], /^Name the Redis: npm run migrate -- redis:/],
      [['http://127.0.0.1'], /^Name the Redis/],
      [[secret], /^Nothing more was copied: there is nothing to copy: \S+medley\.db does not exist$/m],
    ] as const) {
      const ended = await migrate(...args);
      expect([ended.code, ended.stdout]).toEqual([1, '']);
      expect(ended.stderr).toMatch(sentence);
    }
    openStore(join(dataDir, 'medley.db')).close();
    const { stderr } = await migrate(secret);
    expect(stderr).toMatch(/^Nothing more was copied: Redis does not answer: [^\n]*ECONNREFUSED[^\n]*\n$/);
    expect(stderr).not.toContain('secret-word');
  });
});
