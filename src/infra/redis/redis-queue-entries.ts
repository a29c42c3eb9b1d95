import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { Added, QueueEntry, QueueLimits, Verdict } from '../queue/queue.ts';
import type { ClaimedEntry, ClaimLease } from '../queue/queue-worker.ts';
import { QUEUE_BATCH, QUEUE_SCRIPTS } from './redis-queue-scripts.ts';

const AddedBy = z
  .tuple([z.enum(['known', 'fairBy', 'queue', 'accepted', 'left']), z.number()])
  .transform(([outcome, count]): Added => {
    if (outcome === 'accepted') return { outcome, ahead: count };
    if (outcome === 'fairBy' || outcome === 'queue') return { outcome: 'full', scope: outcome, waiting: count };
    return { outcome: 'known' };
  });
const Claimed = z
  .tuple([z.string(), z.string(), z.string(), z.number(), z.number()])
  .transform(
    ([id, lane, payload, addedAt, lostWorkers]): ClaimedEntry => ({ id, lane, payload, addedAt, lostWorkers }),
  );
const Claims = z
  .tuple([z.number(), z.array(Claimed)])
  .transform(([dueMs, claims]) => ({ dueMs: dueMs < 0 ? undefined : dueMs, claims }));
const Stats = z
  .tuple([z.number(), z.number(), z.number()])
  .transform(([waiting, running, oldestAt]) => ({ waiting, running, oldestAt: oldestAt === 0 ? undefined : oldestAt }));
const Unclaimed = z
  .tuple([z.literal(''), z.string(), z.string(), z.string(), z.string(), z.coerce.number(), z.coerce.number()])
  .transform(([, lane, fairBy, owner, payload, atOnce, turn]) => ({ lane, fairBy, owner, payload, atOnce, turn }));

/**
 * Gives a command to Redis. Only a command that a full Redis refuses is a `write`; Redis takes all others even when it
 * is full, because they free memory first or need none.
 * @throws AppError `internal` when Redis does not carry it out in time
 */
type Ask = <T>(command: (client: Redis) => Promise<T>, kind?: 'read' | 'write') => Promise<T>;

/** The queue's entries in Redis. @param own the prefix of the entries' keys */
export function createRedisEntries(ask: Ask, own: string, limits: QueueLimits) {
  const bounds = [limits.entries, limits.entriesPerFairBy];
  const run = (name: keyof typeof QUEUE_SCRIPTS, ...args: readonly (string | number)[]) =>
    ask(client => QUEUE_SCRIPTS[name](client, own, ...args), name === 'add' || name === 'save' ? 'write' : 'read');
  const isDone = async (answer: Promise<unknown>) => (await answer) === 1;
  const cancel = (id: string, becomes: 'known' | 'forgotten') => isDone(run('cancel', id, becomes));

  return {
    cancel,
    revoke: (id: string) => isDone(run('cancel', id, 'known', 'held')),
    async add({ id, lane, fairBy, owner, payload, atOnce = limits.perLane, delayMs = 0 }: QueueEntry) {
      return AddedBy.parse(await run('add', id, lane, fairBy, owner, payload, atOnce, delayMs, ...bounds));
    },
    /** Claims entries; `dueMs`: the time until the next delayed entry is due. */
    claim: async (most: number, token: string) => Claims.parse(await run('claim', most, token, limits.leaseMs)),
    /** @param endsOthers true to end also the leases of other workers whose time is over */
    async renew(leases: readonly ClaimLease[], endsOthers: boolean): Promise<readonly ClaimLease[]> {
      const given = leases.flatMap(({ id, token }) => [id, token]);
      const lost = z.array(z.number()).parse(await run('renew', limits.leaseMs, endsOthers ? 1 : 0, ...given));
      return lost.flatMap(index => leases[index] ?? []);
    },
    putBack: async ({ id, token }: ClaimLease) => void (await run('putBack', id, token)),
    save: ({ id, token }: ClaimLease, payload: string) => isDone(run('save', id, token, payload)),
    finish: ({ id, token }: ClaimLease, verdict: Verdict) =>
      isDone(
        verdict.done
          ? run('settle', id, token)
          : run('release', id, token, verdict.afterMs, ...(verdict.payload === undefined ? [] : [verdict.payload])),
      ),
    promote: async (id: string) => void (await run('promote', id)),
    stats: async () => Stats.parse(await run('stats')),
    unclaimed: () => readUnclaimed(ask, own),
    /** Forgets ids of finished entries. Ends entries that are unfinished for too long, and returns their ids. */
    async sweep(): Promise<readonly string[]> {
      await run('trim', limits.markMs, limits.marks);
      const before = Date.now() - limits.lifeMs;
      const old = await ask(client => client.zrange(`${own}ids`, 0, before, 'BYSCORE', 'LIMIT', 0, QUEUE_BATCH));
      const dropped: string[] = [];
      for (const id of old) if (await cancel(id, 'known')) dropped.push(id);
      return dropped;
    },
    takeOver: createTakeOver(ask, own, limits, async (old, job) =>
      AddedBy.parse(await run('adopt', old, job, decodeURIComponent(job), ...bounds)),
    ),
  };
}

/** Reads all entries that no worker holds, the next to be served first. */
async function readUnclaimed(ask: Ask, own: string): Promise<readonly QueueEntry[]> {
  const fields = ['holder', 'lane', 'fairBy', 'owner', 'payload', 'atOnce', 'turn'];
  const entries: (QueueEntry & { readonly turn: number })[] = [];
  for (let start = 0; ; start += QUEUE_BATCH) {
    const ids = await ask(client => client.zrange(`${own}ids`, 0, '+inf', 'BYSCORE', 'LIMIT', start, QUEUE_BATCH));
    const found = await ask(client => Promise.all(ids.map(id => client.hmget(`${own}entry:${id}`, ...fields))));
    for (const [index, values] of found.entries()) {
      const entry = Unclaimed.safeParse(values).data;
      if (entry !== undefined) entries.push({ id: ids[index] ?? '', ...entry });
    }
    if (ids.length < QUEUE_BATCH)
      return entries.toSorted((a, b) => a.turn - b.turn).map(({ turn: _, ...entry }) => entry);
  }
}

/**
 * Makes the function that takes over the waiting entries of 0.2.0's queue, whose keys begin with `old`, and the ids of
 * its finished ones. Processes of 0.2.0 may still run beside this one: the entries that they work on are left to them.
 */
function createTakeOver(
  ask: Ask,
  own: string,
  { markMs }: QueueLimits,
  adopt: (old: string, job: string) => Promise<Added>,
) {
  /**
   * Takes over the ids of entries that 0.2.0 finished, the most recent ones first, because their events are most likely
   * to be repeated.
   */
  async function takeOverDone(old: string): Promise<void> {
    const key = `${old}completed`;
    for (let start = 0; ; start += QUEUE_BATCH) {
      const stop = start + QUEUE_BATCH - 1;
      const done = await ask(client => client.zrange(key, start, stop, 'REV', 'WITHSCORES'));
      const marks = done.flatMap((job, at) => (at % 2 === 0 ? [-Number(done[at + 1]), decodeURIComponent(job)] : []));
      if (marks.length > 0) await ask(client => client.zadd(`${own}ids`, 'NX', ...marks));
      if (done.length < 2 * QUEUE_BATCH) break;
    }
    const before = Date.now() - markMs;
    const over = await ask(client => client.zrange(key, 0, before, 'BYSCORE', 'LIMIT', 0, QUEUE_BATCH));
    if (over.length > 0)
      await ask(client =>
        client
          .multi()
          .zrem(key, ...over)
          .del(...over.map(job => old + job))
          .exec(),
      );
  }

  return async (old: string): Promise<void> => {
    if ((await ask(client => client.exists(`${old}meta`))) === 0) return;
    await takeOverDone(old);
    const waiting = await ask(client =>
      Promise.all([
        // New entries were put at the front of these two lists; reversed, the oldest entries come first.
        client.lrange(`${old}active`, 0, -1).then(jobs => jobs.toReversed()),
        client.lrange(`${old}wait`, 0, -1).then(jobs => jobs.toReversed()),
        client.zrange(`${old}prioritized`, 0, -1),
        client.zrange(`${old}delayed`, 0, -1),
      ]),
    );
    for (const job of waiting.flat()) {
      const added = await adopt(old, job);
      if (added.outcome === 'full' && added.scope === 'queue') return;
    }
  };
}
