import { Queue as BullQueue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { Logger } from '../log.ts';
import { type Added, QUEUE_LIMITS, type Queue, type QueueEntry, type QueueLimits } from '../queue/queue.ts';
import { createQueueConnections, REDIS_PATIENCE_MS } from './redis-connection.ts';
import { createRedisEntries } from './redis-queue-entries.ts';
import { PARKED_MS, priorityOf, RedisWorker } from './redis-queue-worker.ts';

export interface RedisQueueOptions {
  readonly url: string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  /** All keys begin with this prefix. Default `medley`. */
  readonly prefix?: string;
  /** The longest wait for an answer of Redis. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
}

/** The prefix and name of BullMQ's queue; the keys of `redis-queue-entries.ts` have the same prefix. */
const PREFIX = 'medley';
const NAME = 'jobs';
const OWN = 'queue:';
/** The prefix of the entries' keys. */
export const QUEUE_ENTRIES = `${PREFIX}:${OWN}entry:`;
const RETRY_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;
/** How often BullMQ lets workers lose the same job: practically without bound, because bot/runtime counts attempts. */
const MOST_STALLS = 1_000_000;

/**
 * A queue that any number of processes share, by BullMQ on Redis 7 (append-only, noeviction). While Redis is away `add`
 * and similar methods throw after `timeoutMs`, and workers wait for it.
 */
export function createRedisQueue({ url, log, prefix = PREFIX, ...options }: RedisQueueOptions): Queue {
  const limits: QueueLimits = { ...QUEUE_LIMITS, ...options.limits };
  const redis = createQueueConnections(url, log, options.timeoutMs ?? REDIS_PATIENCE_MS);
  const { ask, noteError } = redis;
  const { bull, entries, ...backlog } = createBacklog({ client: redis.client, prefix, limits, log });
  bull.on('error', noteError);
  let running: { readonly worker: RedisWorker; readonly bullWorker: Worker } | undefined;
  let drained: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const sweeping = setInterval(() => void backlog.sweep().catch(noteError), SWEEP_EVERY_MS);
  sweeping.unref();

  async function close(): Promise<void> {
    clearInterval(sweeping);
    redis.end();
    running?.worker.close();
    if (drained === undefined) await running?.bullWorker.close(true);
    await bull.close();
    redis.disconnect();
  }

  return {
    add: entry => ask(() => backlog.add(entry)),
    work(handler, { concurrency }) {
      const { leaseMs } = limits;
      const worker = new RedisWorker({
        entries,
        handler,
        log,
        leaseMs,
        promote: backlog.promote,
        ask,
        onError: noteError,
      });
      const bullWorker = new Worker(NAME, (job, token) => worker.process(job, token), {
        ...{ prefix, concurrency, connection: redis.connect({ maxRetriesPerRequest: null }) },
        lockDuration: leaseMs,
        stalledInterval: Math.max(1, Math.floor(leaseMs / 2)),
        maxStalledCount: MOST_STALLS,
        runRetryDelay: RETRY_MS,
      });
      bullWorker.on('error', noteError);
      bullWorker.on('lockRenewalFailed', ids => {
        for (const jobId of ids) worker.lose(decodeURIComponent(jobId));
      });
      running = { worker, bullWorker };
      ask(backlog.sweep).catch(noteError);
    },
    promote: id => ask(() => backlog.promote(id)),
    cancel: id => ask(() => backlog.end(id)),
    async forget(owner) {
      let forgotten = 0;
      for (const entry of await ask(entries.unclaimed))
        if (entry.owner === owner && (await ask(() => backlog.end(entry.id)))) forgotten += 1;
      return forgotten;
    },
    unclaimed: async () => (await ask(entries.unclaimed)).map(({ turn: _, ...entry }) => entry),
    remove: id => ask(() => backlog.end(id, 'forgotten')),
    stats: () =>
      ask(async () => {
        const counts = [
          entries.count(),
          bull.getActiveCount(),
          bull.getJobs(['wait', 'prioritized'], 0, 0, true),
        ] as const;
        const [unfinished, running, [next]] = await Promise.all(counts);
        return { waiting: Math.max(0, unfinished - running), running, oldestAt: next?.timestamp };
      }),
    drain() {
      // BullMQ's `close` also waits while Redis is away, so draining ends already when no handler runs any more.
      drained ??= running && Promise.race([running.bullWorker.close(), running.worker.idle()]);
      return drained ?? Promise.resolve();
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

interface BacklogOptions extends Required<Pick<RedisQueueOptions, 'prefix' | 'log'>> {
  readonly client: Redis;
  readonly limits: QueueLimits;
}

/** Adds, ends and moves the entries that wait. Each is kept under our own keys and as a job of BullMQ. */
function createBacklog({ client, prefix, limits, log }: BacklogOptions) {
  const entries = createRedisEntries(client, `${prefix}:${OWN}`);
  const bull = new BullQueue(NAME, { prefix, connection: client, skipVersionCheck: true, skipWaitingForReady: true });

  /** Makes BullMQ hand out an entry now; an entry that already runs or is finished stays as it is. */
  async function promote(id: string): Promise<void> {
    const job = await bull.getJob(encodeURIComponent(id));
    await job?.promote().catch(unlessMoved);
  }

  /** Adds an entry to BullMQ, which recognises a repeat by the id. */
  async function addToBull(id: string, turn: number, delay: number): Promise<void> {
    await bull.add(
      NAME,
      {},
      { jobId: encodeURIComponent(id), priority: priorityOf(turn), delay, removeOnComplete: true },
    );
  }

  async function add(given: QueueEntry): Promise<Added> {
    const entry = { atOnce: limits.perLane, delayMs: 0, ...given };
    const { id, lane, delayMs } = entry;
    const { outcome, count, turn, isPlaced } = await entries.plan(entry, limits);
    if (outcome === 'known') return { outcome };
    if (outcome === 'fairBy' || outcome === 'queue') return { outcome: 'full', scope: outcome, waiting: count };
    const isParked = delayMs <= 0 && !isPlaced;
    // If the entry was known, the process that stored it may have died before adding it to BullMQ, so it is added now.
    await addToBull(id, turn, isParked ? PARKED_MS : delayMs);
    if (isParked && (await entries.isPlaced(id, lane))) await promote(id);
    return outcome === 'kept' ? { outcome: 'known' } : { outcome, ahead: count };
  }

  /**
   * Ends an entry that no worker holds.
   * @param becomes `known`: the id of the entry is still recognised for `markMs`
   */
  async function end(id: string, becomes: 'known' | 'forgotten' = 'known'): Promise<boolean> {
    const { ok, next } = await entries.cancel(id, becomes);
    if (!ok) return false;
    // A worker that has claimed the entry meanwhile finds that it is over.
    await bull.remove(encodeURIComponent(id));
    if (next !== undefined) await promote(next);
    return true;
  }

  /** Drops entries older than `lifeMs`, and adds to BullMQ the entries whose process died before it could do that. */
  async function sweep(): Promise<void> {
    const now = Date.now();
    for (const id of await entries.addedBefore(now - limits.lifeMs))
      if (await end(id)) log.warn({ id }, 'queue: an entry that was never finished is dropped');
    const left = await entries.readUnclaimed(await entries.addedBefore(now - SWEEP_EVERY_MS));
    for (const { id, turn } of left) await addToBull(id, turn, 0);
    await entries.trimDone(now - limits.markMs, limits.marks);
    // Nothing listens to BullMQ's events, and their stream would keep ids for longer than `markMs`.
    await bull.trimEvents(0);
    await takeOverOldQueue({ client, prefix, limits }, backlog);
  }

  const backlog = { bull, entries, promote, add, end, sweep };
  return backlog;
}

/** Throws the error again, unless it is BullMQ's error for an entry that is not, or no longer, delayed. */
function unlessMoved(error: unknown): void {
  if (!(error instanceof Error) || !/not in the delayed state/i.test(error.message)) throw error;
}

/** The data of a job in the queue of Medley 0.2.0. */
const OldData = z.object({
  chat: z.string(),
  fairBy: z.string().optional(),
  owner: z.string(),
  atOnce: z.number(),
  payload: z.string(),
});

const OLD_NAME = 'requests';
const PAGE = 500;
/**
 * The delay of a moved entry. As soon as the old queue has deleted its job, the entry is promoted; should this process
 * die before, the entry starts after the delay.
 */
const MOVING_MS = 10_000;

/**
 * Takes over the waiting entries of 0.2.0's queue, and the ids of its finished ones. Processes of 0.2.0 may still run
 * beside this one: the entries that they work on are left to them.
 */
async function takeOverOldQueue(
  { client, prefix, limits }: Omit<BacklogOptions, 'log'>,
  { entries, add, promote, end }: Omit<ReturnType<typeof createBacklog>, 'bull' | 'sweep'>,
): Promise<void> {
  if ((await client.exists(`${prefix}:${OLD_NAME}:meta`)) === 0) return;
  const old = new BullQueue(OLD_NAME, {
    prefix,
    connection: client,
    skipVersionCheck: true,
    skipWaitingForReady: true,
  });
  try {
    const done = await old.getJobs(['completed'], 0, PAGE - 1);
    await entries.markDone(done.flatMap(({ id = '', finishedOn = 0 }) => [[decodeURIComponent(id), finishedOn]]));
    await old.clean(limits.markMs, PAGE, 'completed');
    const left = await old.getJobs(['wait', 'prioritized', 'delayed', 'active']);
    for (const job of left.toSorted((a, b) => a.priority - b.priority || a.timestamp - b.timestamp)) {
      const data = OldData.safeParse(job.data).data;
      if (job.id === undefined || data === undefined) continue;
      const { chat: lane, fairBy = lane, ...others } = data;
      const id = decodeURIComponent(job.id);
      const { outcome } = await add({ id, lane, fairBy, ...others, delayMs: MOVING_MS });
      if (outcome === 'full') return;
      // Only a job that a process of 0.2.0 works on cannot be removed; it stays with that process.
      const isOut = await job.remove().then(
        () => true,
        () => false,
      );
      if (isOut) await promote(id);
      else await end(id, 'forgotten');
    }
  } finally {
    await old.close();
  }
}
