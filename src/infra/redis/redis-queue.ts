import { Queue as BullQueue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { StoreAway } from '../../errors.ts';
import type { Logger } from '../log.ts';
import { type Added, QUEUE_LIMITS, type Queue, type QueueEntry, type QueueLimits } from '../queue/queue.ts';
import { takeOverOldQueue } from './queue-of-0-2.ts';
import { REDIS_PATIENCE_MS, within } from './redis-connection.ts';
import { createRedisEntries } from './redis-entries.ts';
import { PARKED_MS, priorityOf, RedisWorker } from './redis-worker.ts';

export interface RedisQueueOptions {
  readonly url: string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  /** All keys begin with this prefix. Default `medley`. */
  readonly prefix?: string;
  /** The longest wait for an answer of Redis. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
}

/** The prefix and name of BullMQ's queue; the keys of `redis-entries.ts` have the same prefix. */
const PREFIX = 'medley';
const NAME = 'jobs';
const OWN = 'queue:';
/** The prefix of the entries' keys. */
export const QUEUE_ENTRIES = `${PREFIX}:${OWN}entry:`;
const RETRY_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;
/** How often BullMQ lets a worker lose the same job: practically without bound, because bot/runtime has its own. */
const MOST_STALLS = 1_000_000;

/**
 * A queue that any number of processes share, by BullMQ on Redis 7 (append-only, noeviction). While Redis is away `add`
 * and similar methods throw after `timeoutMs`, and workers wait for it.
 */
export function createRedisQueue({ url, log, prefix = PREFIX, ...options }: RedisQueueOptions): Queue {
  const limits: QueueLimits = { ...QUEUE_LIMITS, ...options.limits };
  const redis = createConnection(url, log, options.timeoutMs ?? REDIS_PATIENCE_MS);
  const { ask, noteError } = redis;
  const { bull, entries, ...line } = createLine({ client: redis.client, prefix, limits, log });
  bull.on('error', noteError);
  let running: { readonly worker: RedisWorker; readonly bullWorker: Worker } | undefined;
  let drained: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const sweeping = setInterval(() => void line.sweep().catch(noteError), SWEEP_EVERY_MS);
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
    add: entry => ask(() => line.add(entry)),
    work(handler, { concurrency }) {
      const { leaseMs } = limits;
      const worker = new RedisWorker({
        entries,
        handler,
        log,
        leaseMs,
        promote: line.promote,
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
      ask(line.sweep).catch(noteError);
    },
    promote: id => ask(() => line.promote(id)),
    cancel: id => ask(() => line.end(id)),
    async forget(owner) {
      let forgotten = 0;
      for (const entry of await ask(entries.unclaimed))
        if (entry.owner === owner && (await ask(() => line.end(entry.id)))) forgotten += 1;
      return forgotten;
    },
    unclaimed: async () => (await ask(entries.unclaimed)).map(({ turn: _, ...entry }) => entry),
    remove: id => ask(() => line.end(id, 'forgotten')),
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

interface LineOptions extends Required<Pick<RedisQueueOptions, 'prefix' | 'log'>> {
  readonly client: Redis;
  readonly limits: QueueLimits;
}

/** The entries that wait, in our keys and in BullMQ's. */
function createLine({ client, prefix, limits, log }: LineOptions) {
  const entries = createRedisEntries(client, `${prefix}:${OWN}`);
  const bull = new BullQueue(NAME, { prefix, connection: client, skipVersionCheck: true, skipWaitingForReady: true });

  /** Makes BullMQ hand out an entry now; an entry that already runs or is finished stays as it is. */
  async function promote(id: string): Promise<void> {
    const job = await bull.getJob(encodeURIComponent(id));
    await job?.promote().catch(unlessMoved);
  }

  /** Adds an entry to BullMQ, which recognises a repeat by the id. */
  async function hand(id: string, turn: number, delay: number): Promise<void> {
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
    await hand(id, turn, isParked ? PARKED_MS : delayMs);
    if (isParked && (await entries.isPlaced(id, lane))) await promote(id);
    return outcome === 'kept' ? { outcome: 'known' } : { outcome, ahead: count };
  }

  /**
   * Ends an entry that no worker holds.
   * @param becomes whether its id stays known for a day, or is forgotten
   */
  async function end(id: string, becomes: 'known' | 'forgotten' = 'known'): Promise<boolean> {
    const { ok, next } = await entries.cancel(id, becomes);
    if (!ok) return false;
    // A worker that has claimed the entry meanwhile finds that it is over.
    await bull.remove(encodeURIComponent(id));
    if (next !== undefined) await promote(next);
    return true;
  }

  /** Deletes entries that were never finished, and adds to BullMQ those whose process died before it could do so. */
  async function sweep(): Promise<void> {
    const now = Date.now();
    for (const id of await entries.addedBefore(now - limits.lifeMs))
      if (await end(id)) log.warn({ id }, 'queue: an entry that was never finished is dropped');
    const left = await entries.readUnclaimed(await entries.addedBefore(now - SWEEP_EVERY_MS));
    for (const { id, turn } of left) await hand(id, turn, 0);
    await entries.trimDone(now - limits.markMs, limits.marks);
    await takeOverOldQueue({ client, prefix, entries, add, promote, end, markMs: limits.markMs });
  }

  return { bull, entries, promote, add, end, sweep };
}

/** The connections of a queue. Commands on the first one are waited for no longer than `timeoutMs`. */
function createConnection(url: string, log: RedisQueueOptions['log'], timeoutMs: number) {
  const clients: Redis[] = [];
  let isAway = false;
  let isEnding = false;
  const client = connect({ enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: timeoutMs });
  /** Only the first connecting is waited for: after it, commands fail at once while Redis is away. */
  const connected = new Promise(resolve => client.once('ready', resolve));

  function connect(more: RedisOptions): Redis {
    const retryStrategy = (tries: number) => Math.min(100 * tries, RETRY_MS);
    const made = new Redis(url, { ...more, disableClientInfo: true, retryStrategy });
    made.on('error', noteError);
    made.on('ready', () => {
      if (!isConnected()) return;
      if (isAway) log.info({}, 'queue: Redis answers again');
      isAway = false;
    });
    clients.push(made);
    return made;
  }

  /** One connection may be back while another still fails, which belongs to the same outage. */
  function isConnected(): boolean {
    return clients.every(({ status }) => status === 'ready');
  }

  /** Logs a failing connection once, however often it reconnects. */
  function noteError(error: unknown): void {
    const reason = error instanceof Error ? error.message : 'unknown failure';
    if (isConnected()) log.warn({ reason }, 'queue: Redis refuses something');
    else if (!isAway && !isEnding) {
      isAway = true;
      log.warn({ reason }, 'queue: Redis is away');
    }
  }

  async function ask<T>(command: () => Promise<T>): Promise<T> {
    let isLate = false;
    // A command whose caller gave up before the first connection must not be sent later.
    const answer = connected.then(() => (isLate ? Promise.reject(new Error('given up')) : command()));
    try {
      return await within(timeoutMs, answer);
    } catch (cause) {
      isLate = true;
      const reason = cause instanceof Error ? cause.message : 'unknown';
      throw new StoreAway(`Redis does not take it: ${reason}`, { cause });
    }
  }

  return {
    client,
    connect,
    ask,
    noteError,
    end() {
      isEnding = true;
    },
    disconnect() {
      for (const each of clients) each.disconnect();
    },
  };
}

/** Throws the error again, unless BullMQ says by it that the entry is not, or no longer, delayed. */
function unlessMoved(error: unknown): void {
  if (!(error instanceof Error) || !/not in the delayed state/i.test(error.message)) throw error;
}
