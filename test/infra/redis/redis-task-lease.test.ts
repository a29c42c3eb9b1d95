import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRedisState, type SharedState } from '../../../src/infra/redis/redis.ts';
import { createLeaseHolder, createRedisLease, type Lease } from '../../../src/infra/redis/redis-task-lease.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';

/** Longer than any of the processes may stand still. */
const LEASE_MS = 3_000;

describe.skipIf(redisMissing)(`a lease in Redis${redisNote}`, () => {
  let server: RedisServer;
  const opened: SharedState[] = [];

  beforeAll(async () => {
    server = await createRedisServer();
    await server.start();
  });
  afterEach(() => {
    for (const each of opened.splice(0)) each.close();
  });
  afterAll(() => server.stop());

  async function process(name: string) {
    const shared = openRedisState({ url: server.url, log: createRecordingLog(), timeoutMs: 2_000, retryMs: 20 });
    opened.push(shared);
    await shared.isReady(30_000);
    const lease = createRedisLease({ redis: shared.redis, name, leaseMs: LEASE_MS });
    const [onWait, onLost, stopping] = [vi.fn(), vi.fn(), new AbortController()];
    let held: Awaited<ReturnType<Lease['hold']>> | undefined;
    const holding = lease.hold({ signal: stopping.signal, onWait, onLost }).then(result => {
      held = result;
    });
    holding.catch(() => undefined);
    return { shared, onWait, onLost, stopping, holding, held: () => held };
  }

  const nextName = () => randomUUID();

  it('is one process’s; the next has it when that one lets go', async () => {
    const name = nextName();
    const one = await process(name);
    await one.holding;
    const two = await process(name);
    await expect.poll(() => two.onWait).toHaveBeenCalledOnce();
    // Longer than it would last without being renewed.
    await new Promise(resolve => setTimeout(resolve, LEASE_MS * 1.5));
    expect(two.held()).toBeUndefined();
    await one.held()?.release();
    await two.holding;
    expect(one.onLost).not.toHaveBeenCalled();
    await two.held()?.release();
  });

  it('passes to the next when its holder is gone without a word', async () => {
    const name = nextName();
    const one = await process(name);
    await one.holding;
    one.shared.close();
    const two = await process(name);
    await two.holding;
    await two.held()?.release();
  });

  it('is lost by a holder that another has taken it from, which is said once', async () => {
    const name = nextName();
    const one = await process(name);
    await one.holding;
    const thief = await process('unused');
    const keys = await thief.shared.redis.request('read', client => client.keys('medley:1:lease:*'));
    await thief.shared.redis.request('write', async client => {
      for (const key of keys) if ((await client.get(key)) !== null) await client.set(key, 'another', 'KEEPTTL');
    });
    await expect.poll(() => one.onLost).toHaveBeenCalledOnce();
    await one.held()?.release();
    thief.stopping.abort();
  });

  it('is not waited for any longer than is wanted', async () => {
    const name = nextName();
    const one = await process(name);
    await one.holding;
    const two = await process(name);
    await expect.poll(() => two.onWait).toHaveBeenCalled();
    two.stopping.abort();
    await expect(two.holding).rejects.toThrow();
    await one.held()?.release();
  });

  it('is kept while Redis is away, and taken up again after it', async () => {
    const name = nextName();
    const one = await process(name);
    await one.holding;
    await server.stop();
    await new Promise(resolve => setTimeout(resolve, LEASE_MS * 1.5));
    await server.start();
    await expect
      .poll(() => one.shared.redis.request('read', client => client.keys('medley:1:lease:*')).catch(() => []))
      .toHaveLength(1);
    expect(one.onLost).not.toHaveBeenCalled();
    await one.held()?.release();
  });

  it('is taken in turns by processes that run on', async () => {
    const name = nextName();
    const shared = [0, 1].map(() =>
      openRedisState({ url: server.url, log: createRecordingLog(), timeoutMs: 2_000, retryMs: 20 }),
    );
    opened.push(...shared);
    await Promise.all(shared.map(each => each.isReady(30_000)));
    const holders = shared.map(({ redis }) => createLeaseHolder(createRedisLease({ redis, name, leaseMs: LEASE_MS })));
    const ours = () => holders.filter(holder => holder.isOurs());
    await expect.poll(() => ours()).toHaveLength(1);
    const [first] = ours();
    await first?.end();
    await expect.poll(() => ours()).toHaveLength(1);
    expect(ours()[0]).not.toBe(first);
    await Promise.all(holders.map(holder => holder.end()));
    expect(ours()).toEqual([]);
  });
});
