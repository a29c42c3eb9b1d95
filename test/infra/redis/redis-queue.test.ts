import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue as BullQueue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Claim,
  QUEUE_LIMITS,
  type Queue,
  type QueueEntry,
  type QueueLimits,
  type Verdict,
} from '../../../src/infra/queue/queue.ts';
import { createRedisQueue } from '../../../src/infra/redis/redis-queue.ts';
import { queueContract } from '../../contracts/queue.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';

describe.skipIf(redisMissing)(`a queue on Redis${redisNote}`, () => {
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

  queueContract('a Redis queue', async () => {
    await admin.flushall();
    return {
      isShared: true,
      worker: ['redis', server.url],
      open: async limits => createRedisQueue({ ...patient(server), limits }),
      dump: () => dumpOf(admin),
      close: async () => undefined,
    };
  });

  describe('a Redis queue among processes', () => {
    const queues: Queue[] = [];

    beforeEach(() => admin.flushall());

    afterEach(async () => {
      for (const queue of queues.splice(0)) await queue.close();
    });

    function open(limits: Partial<QueueLimits> = {}): Queue {
      const queue = createRedisQueue({ ...patient(server), limits: { leaseMs: 3_000, ...limits } });
      queues.push(queue);
      return queue;
    }

    it('takes over what 0.2.0 left, beside what it adds itself, and knows what 0.2.0 had done', async () => {
      const bull = new BullQueue('requests', { prefix: 'medley', connection: admin });
      onTestFinished(() => bull.close());
      const data = { chat: 'square', owner: 'sari', addedAt: Date.now(), atOnce: 1 };
      for (const [priority, id] of [
        [1, 'first'],
        [2, 'second'],
        [3, 'done'],
      ] as const)
        await bull.add('requests', { ...data, payload: `payload of ${id}` }, { jobId: id, priority });
      const done = await bull.getJob('done');
      await done?.changePriority({ priority: 0 });
      const connection = new Redis(server.url, { maxRetriesPerRequest: null });
      const worker = new Worker('requests', null, { prefix: 'medley', connection });
      onTestFinished(async () => {
        await worker.close();
        connection.disconnect();
      });
      await (await worker.getNextJob('token'))?.moveToCompleted('', 'token', false);
      const queue = open();
      expect(await queue.add({ ...entry('new'), atOnce: 1 })).toEqual({ outcome: 'accepted', ahead: 0 });
      const seen: (readonly [string, string])[] = [];
      queue.work(
        async ({ lane, payload }) => {
          seen.push([lane, payload]);
          return { done: true };
        },
        { concurrency: 4 },
      );
      await expect.poll(() => seen).toHaveLength(3);
      expect(seen).toEqual(['x', 'payload of first', 'payload of second'].map(payload => ['square', payload]));
      expect(await bull.getJobs(['prioritized', 'wait', 'delayed'])).toEqual([]);
      expect(await queue.add(entry('done'))).toEqual({ outcome: 'known' });
      await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0, running: 0 });
    });

    it('knows all that 0.2.0 had done, however much it was', async () => {
      const now = Date.now();
      await admin.hset('medley:requests:meta', 'version', 'bullmq');
      for (let at = 0; at < 1_200; at += 1) await admin.zadd('medley:requests:completed', now - at, `event%3A${at}`);
      const queue = open();
      queue.work(async () => ({ done: true }), { concurrency: 1 });
      await expect.poll(() => admin.zcard('medley:queue:ids')).toBe(1_200);
      for (const id of ['event:0', 'event:600', 'event:1199'])
        expect(await queue.add(entry(id))).toEqual({ outcome: 'known' });
    });

    it('keeps the order of a lane when a worker stops while it claims', async () => {
      const [first, second] = [open(), open()];
      for (const id of ['a', 'b', 'c']) await first.add({ ...entry(id), atOnce: 1 });
      first.work(async () => ({ done: true }), { concurrency: 1 });
      await first.drain();
      const seen: string[] = [];
      second.work(
        async ({ id }) => {
          seen.push(id);
          return { done: true };
        },
        { concurrency: 1 },
      );
      await expect.poll(() => seen).toHaveLength(3);
      expect(seen).toEqual(['a', 'b', 'c']);
    });

    it('ends, renews and returns what it holds while Redis is full', async () => {
      const [queue, idle] = [open({ leaseMs: 1_500 }), open({ leaseMs: 1_500 })];
      onTestFinished(async () => void (await admin.config('SET', 'maxmemory', '0')));
      const finish = new Map<string, (verdict: Verdict) => void>();
      const claims: Claim[] = [];
      const handler = (claim: Claim) => {
        claims.push(claim);
        return new Promise<Verdict>(resolve => finish.set(claim.id, resolve));
      };
      for (const id of ['a', 'b']) await queue.add(entry(id));
      queue.work(handler, { concurrency: 2 });
      await expect.poll(() => claims).toHaveLength(2);
      idle.work(handler, { concurrency: 2 });
      await admin.config('SET', 'maxmemory', '1mb');
      await expect(queue.add(entry('c'))).rejects.toMatchObject({ code: 'internal' });
      await new Promise(resolve => setTimeout(resolve, 4_000));
      expect(claims).toHaveLength(2);
      finish.get('a')?.({ done: true });
      finish.get('b')?.({ done: false, afterMs: 60_000 });
      await expect.poll(() => queue.stats()).toEqual({ waiting: 1, running: 0, oldestAt: undefined });
      expect(claims.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    });

    it('leaves nothing of an entry that is over but its bare id, and no key of a lane', async () => {
      const queue = open();
      for (const id of ['a', 'b', 'c']) await queue.add({ ...entry(id), atOnce: 1 });
      queue.work(async () => ({ done: true }), { concurrency: 2 });
      await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0, running: 0 });
      expect((await admin.keys('medley:queue:*')).toSorted()).toEqual(['medley:queue:ids', 'medley:queue:turn']);
      expect((await admin.zrange('medley:queue:ids', '-inf', '(0', 'BYSCORE')).toSorted()).toEqual(['a', 'b', 'c']);
    });

    it('keeps an id nowhere once its mark has ended', async () => {
      const queue = open();
      await queue.add(entry('once-asked'));
      queue.work(async () => ({ done: true }), { concurrency: 1 });
      await expect.poll(() => admin.zscore('medley:queue:ids', 'once-asked').then(Number)).toBeLessThan(0);
      await admin.zincrby('medley:queue:ids', QUEUE_LIMITS.markMs, 'once-asked');
      // Marks that have ended are removed when workers start.
      open().work(async () => ({ done: true }), { concurrency: 1 });
      await expect.poll(() => dumpOf(admin)).not.toContain('once-asked');
    });
  });

  it('waits for a Redis that goes away: what it holds is done when it is back, and nothing is taken meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medley-redis-'));
    const own = await createRedisServer('--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder);
    await own.start();
    const log = createRecordingLog();
    const queue = createRedisQueue({ url: own.url, log, timeoutMs: 3_000 });
    onTestFinished(async () => {
      await queue.close();
      await own.stop();
      rmSync(folder, { recursive: true });
    });
    const seen: string[] = [];
    let finish: (verdict: Verdict) => void = () => undefined;
    await queue.add(entry('a'));
    await queue.add(entry('b'));
    queue.work(
      ({ id }) => {
        seen.push(id);
        return new Promise(resolve => (finish = resolve));
      },
      { concurrency: 1 },
    );
    await expect.poll(() => seen).toEqual(['a']);
    await own.stop();
    const since = performance.now();
    await expect(queue.add(entry('c'))).rejects.toMatchObject({ code: 'internal' });
    await expect(queue.stats()).rejects.toMatchObject({ code: 'internal' });
    expect(performance.now() - since).toBeLessThan(30_000);
    finish({ done: true });
    await new Promise(resolve => setTimeout(resolve, 500));
    await own.start();
    await expect.poll(() => seen).toEqual(['a', 'b']);
    finish({ done: true });
    await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0, running: 0 });
    expect(await queue.add(entry('a'))).toEqual({ outcome: 'known' });
    expect(log.at('warn').filter(({ message }) => message.includes('away'))).toHaveLength(1);
    expect(log.at('info')).toHaveLength(1);
  });

  it('leaves what runs to its workers when Redis was away for longer than their leases', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medley-redis-'));
    const own = await createRedisServer('--appendonly', 'yes', '--appendfsync', 'always', '--dir', folder);
    await own.start();
    const queues = Array.from({ length: 6 }, () => createRedisQueue({ ...patient(own), limits: { leaseMs: 3_000 } }));
    onTestFinished(async () => {
      for (const queue of queues) await queue.close();
      await own.stop();
      rmSync(folder, { recursive: true });
    });
    const claims: Claim[] = [];
    await queues[0]?.add(entry('a'));
    for (const queue of queues) {
      queue.work(
        claim => {
          claims.push(claim);
          return new Promise(() => undefined);
        },
        { concurrency: 1 },
      );
      await new Promise(resolve => setTimeout(resolve, 170));
    }
    await expect.poll(() => claims).toHaveLength(1);
    await own.stop();
    await new Promise(resolve => setTimeout(resolve, 4_000));
    await own.start();
    await new Promise(resolve => setTimeout(resolve, 4_000));
    expect(claims).toHaveLength(1);
    expect(claims[0]?.signal.aborted).toBe(false);
  });
});

/** A machine that stands still for seconds must not look like a Redis that is away. */
function patient({ url }: Pick<RedisServer, 'url'>) {
  return { url, log: createRecordingLog(), timeoutMs: 30_000 };
}

const SQUARE = { lane: 'square', fairBy: 'square' };

function entry(id: string): QueueEntry {
  return { id, ...SQUARE, owner: 'sari', payload: 'x' };
}

/** Every key but the stream of events, with what is in it. */
async function dumpOf(admin: Redis): Promise<string> {
  const keys = await admin.keys('*');
  const values = await Promise.all(
    keys.map(async key => {
      const type = await admin.type(key);
      switch (type) {
        case 'hash':
          return [key, await admin.hgetall(key)];
        case 'zset':
          return [key, await admin.zrange(key, 0, -1)];
        case 'list':
          return [key, await admin.lrange(key, 0, -1)];
        case 'set':
          return [key, await admin.smembers(key)];
        case 'stream':
          return [key, await admin.xrange(key, '-', '+')];
        default:
          return [key, await admin.get(key)];
      }
    }),
  );
  return JSON.stringify(values);
}
