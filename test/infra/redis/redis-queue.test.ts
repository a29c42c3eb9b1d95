import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Claim, Queue, QueueEntry, QueueLimits, Verdict } from '../../../src/infra/queue/queue.ts';
import { createRedisLine } from '../../../src/infra/redis/redis-line.ts';
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
      open: async limits => createRedisQueue({ url: server.url, log: createRecordingLog(), limits }),
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
      const queue = createRedisQueue({
        url: server.url,
        log: createRecordingLog(),
        limits: { leaseMs: 3_000, ...limits },
      });
      queues.push(queue);
      return queue;
    }

    it('takes an entry from a process that was frozen past its lease, and refuses its late word', async () => {
      const queue = open();
      await queue.add(entry('a'));
      const frozen = spawn(process.execPath, ['--import', 'tsx', FROZEN_WORKER, server.url], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void frozen.kill('SIGKILL'));
      const said = linesOf(frozen);
      expect(await said()).toBe('claimed a');
      frozen.kill('SIGSTOP');
      const claims: Claim[] = [];
      let finish: (verdict: Verdict) => void = () => undefined;
      queue.work(
        claim => {
          claims.push(claim);
          return new Promise(resolve => (finish = resolve));
        },
        { concurrency: 1 },
      );
      await expect.poll(() => claims).toMatchObject([{ id: 'a', lapses: 1 }]);
      frozen.kill('SIGCONT');
      frozen.stdin.write('finish\n');
      expect(await said()).toBe('saved: false');
      expect(await queue.stats()).toMatchObject({ running: 1 });
      expect(await claims[0]?.save('by the second')).toBe(true);
      finish({ done: true });
      await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0, running: 0 });
      expect(claims).toHaveLength(1);
    });

    it('goes on with what 0.2.0 left, beside what it adds itself', async () => {
      const bull = new BullQueue('requests', { prefix: 'medley', connection: admin });
      onTestFinished(() => bull.close());
      for (const [turn, id] of [
        [1, 'first'],
        [2, 'second'],
      ] as const) {
        const data = { chat: 'square', owner: 'sari', addedAt: Date.now(), atOnce: 1, payload: `payload of ${id}` };
        await admin.zadd('medley:requests:line:chat:square', turn, id);
        await admin.zadd('medley:requests:line:unfinished', data.addedAt, id);
        await bull.add('requests', data, { jobId: id, priority: turn });
      }
      const queue = open();
      expect(await queue.add({ ...entry('new'), atOnce: 1 })).toEqual({ outcome: 'accepted', ahead: 2 });
      const seen: (readonly [string, string])[] = [];
      queue.work(
        async ({ lane, payload }) => {
          seen.push([lane, payload]);
          return { done: true };
        },
        { concurrency: 4 },
      );
      await expect.poll(() => queue.stats()).toMatchObject({ waiting: 0, running: 0 });
      expect(seen).toEqual(['payload of first', 'payload of second', 'x'].map(payload => ['square', payload]));
      expect(await admin.keys('medley:requests:line:*')).toEqual([expect.stringMatching(/:line:turn$/)]);
    });

    it('does not count what gateways that died have planned and never added', async () => {
      const line = createRedisLine({ client: admin, base: 'medley:requests:' });
      const bounds = { now: Date.now(), entries: 3, perFairBy: 2, lifeMs: 60_000 };
      for (const id of ['lost1', 'lost2']) await line.plan(id, SQUARE, bounds);
      const queue = open({ entries: 3, entriesPerFairBy: 2 });
      expect(await queue.add(entry('a'))).toEqual({ outcome: 'accepted', ahead: 0 });
      expect(await queue.add(entry('b'))).toEqual({ outcome: 'accepted', ahead: 1 });
      expect(await queue.add(entry('c'))).toMatchObject({ outcome: 'full', scope: 'fairBy' });
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
});

const SQUARE = { lane: 'square', fairBy: 'square' };

const FROZEN_WORKER = fileURLToPath(new URL('frozen-worker.ts', import.meta.url));

function entry(id: string): QueueEntry {
  return { id, ...SQUARE, owner: 'sari', payload: 'x' };
}

/** The lines that a process prints, one after the other. */
function linesOf({ stdout }: { readonly stdout: Readable }): () => Promise<unknown> {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => (await lines.next()).value;
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
