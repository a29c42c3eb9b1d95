import { connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { type Cache, type CachePolicy, createMemoryCache } from '../../../src/infra/cache/cache.ts';
import type { RateLimitRule } from '../../../src/infra/rate-limit/rate-limit.ts';
import { openRedisState, type SharedState } from '../../../src/infra/redis/redis.ts';
import { inspectRedis, redisShortcomings } from '../../../src/infra/redis/redis-inspection.ts';
import { redisKey } from '../../../src/infra/redis/redis-keys.ts';
import { cacheContract } from '../../contracts/cache.ts';
import { rateLimiterContract } from '../../contracts/rate-limiter.ts';
import { createRecordingLog, type RecordingLog } from '../../fakes/log.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';
import { letKeysAge } from './age.ts';

const POLICY: CachePolicy<string> = { ttlMs: () => 60_000, staleIfErrorMs: () => 600_000 };
const RULE: RateLimitRule = { name: 'user', limit: 3, windowMs: 60_000, window: 'first' };

const parse = (value: unknown) => z.string().safeParse(value).data;

interface Process {
  readonly state: SharedState;
  readonly cache: Cache<string>;
  readonly log: RecordingLog;
  advance(ms: number): Promise<void>;
}

/** What one process has of the shared state. */
function openProcess(server: Pick<RedisServer, 'url'>, { maxEntries = 100, timeoutMs = 5_000 } = {}): Process {
  const log = createRecordingLog();
  const state = openRedisState({ url: server.url, log, timeoutMs, retryMs: 20 });
  let time = Date.now();
  const now = () => time;
  const behind = state.openCache({ name: 'words', parse, maxBytes: 1_000, now });
  const cache = createMemoryCache<string>({ maxEntries, behind, now });
  const advance = async (ms: number) => {
    time += ms;
  };
  return { state, cache, log, advance };
}

async function untilSaid({ log }: Process, ...words: readonly string[]): Promise<void> {
  const said = () => log.lines.map(({ message }) => /Redis (\w+( away)?)/.exec(message)?.[1]);
  await vi.waitFor(() => expect(said()).toEqual(words), { timeout: 30_000, interval: 5 });
}

async function openReady(server: RedisServer, timeoutMs?: number): Promise<Process> {
  const process = openProcess(server, timeoutMs === undefined ? {} : { timeoutMs });
  onTestFinished(() => process.state.close());
  await untilSaid(process, 'answers');
  return process;
}

const fail = (text: string) => async (): Promise<string> => {
  throw new Error(text);
};

describe.skipIf(redisMissing)(`Redis behind the process${redisNote}`, () => {
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

  for (const [name, maxEntries] of [
    ['the cache with Redis behind it', 100],
    ['the cache that has room for one value and Redis behind it', 1],
  ] as const) {
    cacheContract(name, async () => {
      await admin.flushall();
      const process = openProcess(server, { maxEntries });
      await untilSaid(process, 'answers');
      return { ...process, close: async () => process.state.close() };
    });
  }

  describe('with a clock of ours', () => {
    let shared: Process;

    beforeAll(async () => {
      shared = openProcess(server);
      await untilSaid(shared, 'answers');
    });
    afterAll(() => shared.state.close());
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    rateLimiterContract('the rate limiter in Redis', async () => {
      await admin.flushall();
      return {
        limiter: shared.state.limiter,
        now: () => Date.now(),
        async advance(ms) {
          vi.setSystemTime(Date.now() + ms);
          await letKeysAge(admin, ms);
        },
      };
    });

    it('counted in Redis all the while', () => {
      expect(shared.log.lines).toHaveLength(1);
    });
  });

  describe('processes share', () => {
    it('an answer, so that it is loaded once', async () => {
      const [one, two] = [await openReady(server), await openReady(server)];
      await one.cache.wrap('shared', async () => 'value', POLICY);
      await expect.poll(() => two.cache.get('shared')).toBe('value');
      expect(await two.cache.wrap('shared', fail('asked again'), POLICY)).toEqual({ value: 'value', from: 'cache' });
      await two.advance(60_001);
      expect(await two.cache.get('shared')).toBeUndefined();
    });

    it('an old answer for bad times, until the failure makes it wrong', async () => {
      const [one, two] = [await openReady(server), await openReady(server)];
      await one.cache.wrap('old', async () => 'old', POLICY);
      await expect.poll(() => admin.exists(redisKey('cache:words', 'old'))).toBe(1);
      await two.advance(60_001);
      const policy = { ...POLICY, staleOnError: (error: unknown) => !String(error).includes('gone') };
      expect(await two.cache.wrap('old', fail('down'), policy)).toEqual({ value: 'old', from: 'stale' });
      await expect(two.cache.wrap('old', fail('gone'), policy)).rejects.toThrow('gone');
      await expect.poll(() => admin.exists(redisKey('cache:words', 'old'))).toBe(0);
    });

    it('what is set and deleted', async () => {
      const [one, two] = [await openReady(server), await openReady(server)];
      await one.cache.set('set', 'value', 60_000);
      expect(await admin.pttl(redisKey('cache:words', 'set'))).toBeGreaterThan(50_000);
      await two.cache.delete('set');
      expect(await (await openReady(server)).cache.get('set')).toBeUndefined();
    });

    it('limits', async () => {
      const [one, two] = [await openReady(server), await openReady(server)];
      const limiters = [one.state.limiter, two.state.limiter];
      const states = await Promise.all(
        Array.from({ length: 20 }, (_, i) => limiters[i % 2]?.consume(RULE, 'discord:1')),
      );
      expect(states.filter(state => state?.allowed)).toHaveLength(3);
    });
  });

  it('takes nothing from Redis that it would not have written', async () => {
    const { cache } = await openReady(server);
    const times = { freshUntil: Date.now() + 60_000, staleUntil: Date.now() + 60_000 };
    for (const text of ['', 'no JSON', 'null', '{"value":"x"}', JSON.stringify({ value: 7, ...times })]) {
      await admin.set(redisKey('cache:words', 'planted'), text);
      expect(await cache.get('planted')).toBeUndefined();
    }
    expect(await cache.wrap('planted', async () => 'value', POLICY)).toEqual({ value: 'value', from: 'load' });
  });

  it('keeps what is too large in its own memory, and the older value of its key nowhere', async () => {
    const { cache } = await openReady(server);
    const large = 'é'.repeat(600);
    await cache.set('large', 'small', 60_000);
    await cache.set('large', large, 60_000);
    expect(await cache.get('large')).toBe(large);
    expect(await admin.exists(redisKey('cache:words', 'large'))).toBe(0);
  });

  it('leaves no word of a search or a person in the keys', async () => {
    const { cache, state } = await openReady(server);
    await admin.flushall();
    await cache.set('search:camellia', 'value', 60_000);
    await state.limiter.consume(RULE, 'discord:42');
    const keys = await admin.keys('*');
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^medley:1:(cache:words|limit):[\w-]{43}$/);
  });
});

describe.skipIf(redisMissing)(`Redis that fails${redisNote}`, () => {
  async function open(...args: readonly string[]): Promise<RedisServer> {
    const server = await createRedisServer(...args);
    onTestFinished(() => server.stop());
    return server;
  }

  /** Answers as one would have it, in a time that shows that Redis was not waited for again and again. */
  async function expectService({ cache, state }: Process, key: string): Promise<void> {
    const since = performance.now();
    const policy = { ...POLICY, ttlMs: () => 0 };
    const answers = Array.from({ length: 50 }, (_, i) => cache.wrap(`${key} ${i}`, async () => 'value', policy));
    for (const { from } of await Promise.all(answers)) expect(from).toBe('load');
    for (let i = 0; i < 3; i++) {
      expect(await state.limiter.consume(RULE, key)).toMatchObject({ allowed: true, remaining: 2 - i });
    }
    expect(await state.limiter.consume(RULE, key)).toMatchObject({ allowed: false });
    expect(performance.now() - since).toBeLessThan(10_000);
  }

  async function expectSharing(process: Process, server: RedisServer): Promise<void> {
    await process.cache.set('again', 'shared', 60_000);
    const other = await openReady(server);
    await expect.poll(() => other.cache.get('again')).toBe('shared');
  }

  it('is not there at the start, and comes later', async () => {
    const server = await open();
    const process = openProcess(server);
    onTestFinished(() => process.state.close());
    await expectService(process, 'before it is known');
    await untilSaid(process, 'is away');
    await expectService(process, 'away');
    await server.start();
    await untilSaid(process, 'is away', 'answers');
    await expectSharing(process, server);
  });

  it('dies and comes back', async () => {
    const server = await open();
    await server.start();
    const process = await openReady(server);
    await process.cache.set('mine', 'kept', 60_000);
    await server.stop();
    await expectService(process, 'dead');
    expect(await process.cache.get('mine')).toBe('kept');
    await untilSaid(process, 'answers', 'is away');
    await server.start();
    await untilSaid(process, 'answers', 'is away', 'answers');
    await expectSharing(process, server);
    await expectService(process, 'back');
  });

  it('hangs and goes on', async () => {
    const server = await open();
    await server.start();
    const process = await openReady(server, 3_000);
    server.freeze();
    await expectService(process, 'frozen');
    await untilSaid(process, 'answers', 'is away');
    await expectService(process, 'still frozen');
    server.thaw();
    await untilSaid(process, 'answers', 'is away', 'answers');
    await expectSharing(process, server);
    await expectService(process, 'thawed');
  });

  it('is not taken for slow when we are', async () => {
    const server = await open();
    await server.start();
    const process = await openReady(server, 1_000);
    const cache = process.state.openCache({ name: 'words', parse });
    // After this phase of the loop timers come first, and only then what Redis sent.
    await new Promise(resolve => {
      setImmediate(() => {
        resolve(cache.read('key'));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      });
    });
    await expectSharing(process, server);
    expect(process.log.lines).toHaveLength(1);
  });

  it('is full and gets room', async () => {
    const server = await open('--maxmemory', '1', '--maxmemory-policy', 'noeviction');
    await server.start();
    const process = await openReady(server);
    await expectService(process, 'full');
    await untilSaid(process, 'answers', 'refuses');
    expect(process.log.at('warn')).toMatchObject([{ details: { reason: expect.stringContaining('OOM') } }]);
    const admin = new Redis(server.url);
    onTestFinished(() => admin.disconnect());
    await admin.config('SET', 'maxmemory', '0');
    await process.cache.set('key', 'value', 60_000);
    await untilSaid(process, 'answers', 'refuses', 'answers');
    await expectSharing(process, server);
  });

  it('becomes a replica while its address leads to the new primary', async () => {
    const [old, primary] = [await open(), await open()];
    await old.start();
    await primary.start();
    let port = Number(new URL(old.url).port);
    const way = createServer(inside => {
      const outside = connect(port, '127.0.0.1');
      for (const [socket, other] of [[inside, outside] as const, [outside, inside] as const])
        socket
          .on('error', () => undefined)
          .on('close', () => other.destroy())
          .pipe(other);
    });
    await new Promise<void>(resolve => way.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void way.close());
    const process = openProcess({ url: `redis://127.0.0.1:${Object(way.address()).port}` });
    onTestFinished(() => process.state.close());
    await untilSaid(process, 'answers');
    const admin = new Redis(old.url);
    onTestFinished(() => admin.disconnect());
    port = Number(new URL(primary.url).port);
    await admin.replicaof('127.0.0.1', port);
    await expectService(process, 'replica');
    await untilSaid(process, 'answers', 'refuses', 'is away', 'answers');
    await expectSharing(process, primary);
  });

  it('turns us away, and no line has the password', async () => {
    const server = await open('--requirepass', 'right-word');
    await server.start();
    const url = server.url.replace('//', '//default:wrong-word@');
    const process = openProcess({ url });
    onTestFinished(() => process.state.close());
    await untilSaid(process, 'is away');
    await expectService(process, 'outside');
    expect(JSON.stringify(process.log.lines)).toContain('WRONGPASS');
    expect(JSON.stringify(process.log.lines)).not.toContain('wrong-word');
    const failure = await inspectRedis(url).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('WRONGPASS') });
    expect(failure).not.toHaveProperty('command');
    expect(failure).not.toHaveProperty('cause');
    const inspection = await inspectRedis(server.url.replace('//', '//default:right-word@'));
    expect(inspection).toMatchObject({ isAppendOnly: false, evictionPolicy: 'noeviction' });
    const inNone = `${server.url.replace('//', '//default:right-word@')}/99`;
    await expect(inspectRedis(inNone)).rejects.toThrow('DB index is out of range');
  });

  it('says nothing when we close', async () => {
    const server = await open();
    await server.start();
    const process = await openReady(server);
    process.state.close();
    await expectService(process, 'closed');
    expect(process.log.lines).toHaveLength(1);
  });
});

describe('an inspection of Redis', () => {
  it('says why there is no answer', async () => {
    const { url } = await createRedisServer();
    await expect(inspectRedis(url)).rejects.toThrow('ECONNREFUSED');
  });

  it('names what must be changed before records are kept there', () => {
    const good = { version: '7.0.15', isAppendOnly: true, evictionPolicy: 'noeviction' };
    expect(redisShortcomings(good)).toEqual([]);
    expect(redisShortcomings({ ...good, version: '10.1.0' })).toEqual([]);
    expect(redisShortcomings({ version: '6.2.1', isAppendOnly: false, evictionPolicy: 'allkeys-lru' })).toEqual([
      expect.stringContaining('Redis 7'),
      expect.stringContaining('appendonly yes'),
      expect.stringContaining('allkeys-lru'),
    ]);
  });
});
