import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from '../log.ts';
import { QUEUE_LIMITS, type Queue, type QueueLimits } from '../queue/queue.ts';
import { type ClaimLease, QUEUE_RETRY_MS, QueueWorker } from '../queue/queue-worker.ts';
import { createFailoverCheck, createRedisConnection, NO_WAITING, REDIS_PATIENCE_MS } from './redis-connection.ts';
import { createRedisEntries } from './redis-queue-entries.ts';

export interface RedisQueueOptions {
  readonly url: string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  /** The longest wait for an answer of Redis. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
}

const OWN = 'medley:queue:';
/** The prefix of the keys of the queue that Medley 0.2.0 used. */
const OLD = 'medley:requests:';
/** The prefix of the Redis keys of the queue's entries. */
export const QUEUE_ENTRIES = `${OWN}entry:`;
const SWEEP_EVERY_MS = 60_000;
/** A worker looks for entries at least this often, in case the worker that was woken for them died. */
const LOOK_EVERY_MS = 2_000;

/** The longest pause before a connection is tried again. */
const RECONNECT_MS = 1_000;

const SAID = {
  answering: 'queue: Redis answers again',
  refusing: 'queue: Redis refuses to keep things',
  away: 'queue: Redis is away',
  isQuietAtFirst: true,
} as const;

/** Ignores an error, since the connection logs the failures of Redis, and the failed command is repeated. */
const repeatedLater = () => undefined;

function openClient(url: string, options: RedisOptions): Redis {
  return new Redis(url, {
    ...options,
    disableClientInfo: true,
    retryStrategy: tries => Math.min(100 * tries, RECONNECT_MS),
    reconnectOnError: createFailoverCheck(),
  });
}

/**
 * A queue on Redis 7 (append-only, noeviction) that any number of processes share. While Redis is away, `add` and
 * similar methods throw after `timeoutMs`, and workers wait for Redis.
 */
export function createRedisQueue({ url, log, timeoutMs = REDIS_PATIENCE_MS, ...options }: RedisQueueOptions): Queue {
  const limits: QueueLimits = { ...QUEUE_LIMITS, ...options.limits };
  const redis = createRedisConnection(
    openClient(url, { ...NO_WAITING, commandTimeout: timeoutMs }),
    log,
    timeoutMs,
    SAID,
  );
  /** Commands wait only until the first connection is made. From then on they fail at once while Redis is away. */
  const connected = redis.isReady(timeoutMs);
  const entries = createRedisEntries(
    (command, kind = 'read') => connected.then(() => redis.request(kind, command)),
    OWN,
    limits,
  );
  const claims = createClaims(entries, limits.leaseMs);
  let hasRoom: () => void = () => undefined;
  const worker = new QueueWorker(claims, log, () => hasRoom());
  const timers = [setInterval(() => void sweep(entries, log).catch(repeatedLater), SWEEP_EVERY_MS).unref()];
  let isOver = false;
  let stopWaiting: () => void = () => undefined;

  /** Claims entries whenever there may be some and there is room, until draining begins. */
  async function serve(): Promise<void> {
    const waiting = openClient(url, { maxRetriesPerRequest: null, commandTimeout: LOOK_EVERY_MS + timeoutMs });
    waiting.on('error', repeatedLater);
    stopWaiting = () => waiting.disconnect();
    while (!isOver) {
      try {
        await worker.take();
        while (worker.room === 0 && !isOver) await new Promise<void>(resolve => (hasRoom = resolve));
        const waitMs = Math.min(LOOK_EVERY_MS, Math.max(1, claims.dueAt - performance.now()));
        if (!isOver) await waiting.bzpopmin(`${OWN}wake`, waitMs / 1_000);
      } catch {
        if (isOver) return;
        waiting.disconnect(true);
        await new Promise(resolve => setTimeout(resolve, QUEUE_RETRY_MS).unref());
      }
    }
  }

  function stopServing(): void {
    isOver = true;
    stopWaiting();
    hasRoom();
  }

  return {
    add: entries.add,
    promote: entries.promote,
    cancel: id => entries.cancel(id, 'known'),
    revoke: entries.revoke,
    remove: id => entries.cancel(id, 'forgotten'),
    unclaimed: entries.unclaimed,
    stats: entries.stats,
    work(handler, { concurrency }) {
      worker.work(handler, concurrency);
      timers.push(setInterval(() => void worker.keepUp().catch(repeatedLater), Math.floor(limits.leaseMs / 3)).unref());
      void serve();
      void sweep(entries, log).catch(repeatedLater);
    },
    async forget(owner) {
      let forgotten = 0;
      for (const entry of await entries.unclaimed())
        if (entry.owner === owner && (await entries.cancel(entry.id, 'known'))) forgotten += 1;
      return forgotten;
    },
    drain() {
      stopServing();
      return worker.drain();
    },
    async close() {
      for (const timer of timers.splice(0)) clearInterval(timer);
      stopServing();
      worker.close();
      redis.close();
    },
  };
}

async function sweep(entries: ReturnType<typeof createRedisEntries>, log: RedisQueueOptions['log']): Promise<void> {
  for (const id of await entries.sweep()) log.warn({ id }, 'queue: an entry that was never finished is dropped');
  await entries.takeOver(OLD);
}

function createClaims(entries: ReturnType<typeof createRedisEntries>, leaseMs: number) {
  let dueAt = Number.POSITIVE_INFINITY;
  /** From this time on, by `performance.now()`, leases of other workers that were not renewed in time are ended. */
  let trustedAt = 0;

  return {
    ...entries,
    /** When the next delayed entry is due, by `performance.now()`. */
    get dueAt() {
      return dueAt;
    },
    async claim(most: number, token: string) {
      const { claims, dueMs = Number.POSITIVE_INFINITY } = await entries.claim(most, token);
      dueAt = performance.now() + dueMs;
      return claims;
    },
    async renew(leases: readonly ClaimLease[]) {
      try {
        return await entries.renew(leases, performance.now() >= trustedAt);
      } catch (error) {
        // When Redis was away for longer than a lease, the other workers need time to renew theirs.
        trustedAt = performance.now() + leaseMs + RECONNECT_MS;
        throw error;
      }
    },
  };
}
