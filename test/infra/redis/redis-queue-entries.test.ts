import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_LIMITS } from '../../../src/infra/queue/queue.ts';
import type { ClaimLease } from '../../../src/infra/queue/queue-worker.ts';
import { createRedisEntries } from '../../../src/infra/redis/redis-queue-entries.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';

const OWN = 'medley:queue:';
const LIMITS = { ...QUEUE_LIMITS, entries: 20, entriesPerFairBy: 8, leaseMs: 60_000 };
/** Lanes with the account whose turns they share and how many of their entries may run at once. */
const LANES = [
  { lane: 'harbour', fairBy: 'north', atOnce: 1 },
  { lane: 'market', fairBy: 'north', atOnce: 2 },
  { lane: 'square', fairBy: 'south', atOnce: 1 },
] as const;

/** A worker that does one thing after the other; each is told a number by which it chooses among what there is. */
function createWorker(redis: Redis) {
  const entries = createRedisEntries(command => command(redis), OWN, LIMITS);
  const held: ClaimLease[] = [];
  let added = 0;
  let claims = 0;
  const anyId = (number: number) => `e${number % (added + 1)}`;
  const anyHeld = (number: number) => held.splice(number % Math.max(1, held.length), 1);
  return {
    async add(number: number) {
      const lane = LANES[number % LANES.length] ?? LANES[0];
      const id = `e${added++}`;
      await entries.add({ ...lane, id, owner: 'o', payload: 'p', delayMs: number % 4 === 0 ? 5 : 0 });
    },
    async claim(number: number) {
      const token = `t${claims++}`;
      const found = await entries.claim(1 + (number % 3), token);
      held.push(...found.claims.map(({ id }) => ({ id, token })));
    },
    async settle(number: number) {
      for (const lease of anyHeld(number)) await entries.finish(lease, { done: true });
    },
    async release(number: number) {
      for (const lease of anyHeld(number))
        await entries.finish(lease, { done: false, afterMs: number % 2 === 0 ? 0 : 5 });
    },
    async putBack(number: number) {
      for (const lease of anyHeld(number)) await entries.putBack(lease);
    },
    cancel: (number: number) => entries.cancel(anyId(number), 'known'),
    revoke: (number: number) => entries.revoke(anyId(number)),
    promote: (number: number) => entries.promote(anyId(number)),
    /** All leases end but those of half of the claims, which are renewed. */
    async lapse() {
      for (const id of await redis.zrange(`${OWN}leases`, 0, -1)) await redis.zadd(`${OWN}leases`, 1, id);
      const renewed = held.filter((_, place) => place % 2 === 0);
      await entries.renew(renewed, true);
    },
  };
}

/** Each entry by its id: the lists that have it, its score in its lane and in its account's turns, and its fields. */
async function readAll(redis: Redis) {
  const ids = await redis.zrange(`${OWN}ids`, 0, '+inf', 'BYSCORE');
  const [ready, due, leases] = await Promise.all(
    ['ready', 'due', 'leases'].map(name => redis.zrange(OWN + name, 0, -1)),
  );
  const all = { ready: ready ?? [], due: due ?? [], leases: leases ?? [] };
  const entries = ids.map(async id => {
    const { lane, fairBy, turn, holder } = await redis.hgetall(`${OWN}entry:${id}`);
    const [place, round] = await Promise.all([
      redis.zscore(`${OWN}lane:${lane}`, id),
      redis.zscore(`${OWN}fair:${fairBy}`, id),
    ]);
    const lists = Object.entries(all).flatMap(([name, list]) => (list.includes(id) ? [name] : []));
    return { id, lane, lists, place: Number(place ?? Number.NaN), isTurn: round === turn, isHeld: holder !== '' };
  });
  const kept = await Promise.all(LANES.map(({ lane }) => redis.zcard(`${OWN}lane:${lane}`)));
  const listed = Object.values(all).reduce((sum, list) => sum + list.length, 0);
  return { entries: await Promise.all(entries), listed, inLanes: kept.reduce((sum, count) => sum + count, 0) };
}

type Entries = Awaited<ReturnType<typeof readAll>>['entries'];

/** Where an entry must be, by its score in its lane: it has a slot, is delayed, or waits for a slot in no list. */
function expectInPlace({ lists, place, isTurn, isHeld }: Entries[number]): void {
  if (place > 0) expect(lists).toEqual([]);
  else expect(place === -1 ? [['due']] : [['ready'], ['leases']]).toContainEqual(lists);
  expect(isTurn).toBe(true);
  expect(isHeld).toBe(lists[0] === 'leases');
}

describe.skipIf(redisMissing)(`the entries of the queue in Redis${redisNote}`, () => {
  let server: RedisServer;
  let redis: Redis;

  beforeAll(async () => {
    server = await createRedisServer();
    await server.start();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  it('are each in one place, and their lanes keep their slots, whatever is done in whatever order', async () => {
    const names = [
      'add',
      'add',
      'add',
      'claim',
      'claim',
      'settle',
      'release',
      'putBack',
      'cancel',
      'revoke',
      'promote',
      'lapse',
    ] as const;
    const steps = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(1_000)), { minLength: 5, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async done => {
        await redis.flushall();
        const worker = createWorker(redis);
        for (const [name, number] of done) {
          await worker[name](number);
          const { entries, listed, inLanes } = await readAll(redis);
          for (const entry of entries) expectInPlace(entry);
          expect(listed).toBe(entries.filter(({ place }) => place <= 0).length);
          expect(inLanes).toBe(entries.length);
          for (const { lane, atOnce } of LANES) {
            const own = entries.filter(each => each.lane === lane);
            const slots = own.filter(({ place }) => place === 0).length;
            expect(slots).toBeLessThanOrEqual(atOnce);
            if (own.some(({ place }) => place > 0)) expect(slots).toBe(atOnce);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
