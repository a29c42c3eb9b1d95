import { setTimeout as pause } from 'node:timers/promises';
import { Queue as BullQueue, DelayedError, type Job, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import * as z from 'zod';
import { StoreAway } from '../../errors.ts';
import type { Logger } from '../log.ts';
import { type Claim, type Handler, QUEUE_LIMITS, type Queue, type QueueLimits, type Verdict } from '../queue/queue.ts';
import { type Account, createRedisLine } from './redis-line.ts';
import { REDIS_PATIENCE_MS } from './redis-link.ts';

export interface RedisQueueOptions {
  readonly url: string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  /** Of all keys. Default `medley`. */
  readonly prefix?: string;
  /** The longest wait for Redis to take or give something. Default `REDIS_PATIENCE_MS`. */
  readonly timeoutMs?: number;
}

const NAME = 'requests';
/** An entry that waits for a place in its lane is called when there is one; this is for a call that was lost. */
const PARKED_MS = 30_000;
const THROWN_MS = 5_000;
const RETRY_MS = 1_000;
/** For Redis to take what became of the last entries, once nothing runs. */
const LEAVE_MS = 2_000;
const SWEEP_EVERY_MS = 600_000;
const SWEPT_AT_ONCE = 500;
const PAGE = 500;
/** Nothing listens to BullMQ's stream of events. */
const EVENTS = 100;
/** The runtime decides how often an entry may be lost; to BullMQ it never fails. */
const MOST_STALLS = 1_000_000;

/**
 * What stands in an entry; it is empty once the entry is over. 0.2.0 wrote no `v` and no `fairBy`. The lane keeps the name it had there, so that
 * processes of both versions can work side by side.
 */
const Data = z.object({
  v: z.literal(2).optional(),
  chat: z.string(),
  fairBy: z.string().optional(),
  owner: z.string(),
  addedAt: z.number(),
  atOnce: z.number(),
  payload: z.string(),
});
type Data = z.output<typeof Data>;

/**
 * A queue that any number of processes share, by BullMQ on Redis 7 (append-only, noeviction). While Redis is away `add` and its
 * like throw after `timeoutMs`, and workers wait for it.
 */
export function createRedisQueue({
  url,
  log,
  prefix = 'medley',
  timeoutMs = REDIS_PATIENCE_MS,
  ...options
}: RedisQueueOptions): Queue {
  const limits: QueueLimits = { ...QUEUE_LIMITS, ...options.limits };
  let isAway = false;
  const client = connect({ enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: timeoutMs });
  /** Only the first connection is waited for: later on Redis is there or away. */
  const connected = new Promise(resolve => client.once('ready', resolve));
  const line = createRedisLine({ client, base: `${prefix}:${NAME}:` });
  const bull = new BullQueue(NAME, {
    prefix,
    connection: client,
    skipVersionCheck: true,
    skipWaitingForReady: true,
    streams: { events: { maxLen: EVENTS } },
  });
  bull.on('error', noteError);
  const controllers = new Map<string, AbortController>();
  const working = new Set<Promise<Verdict>>();
  let worker: Worker | undefined;
  let workerClient: Redis | undefined;
  let drained: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  const sweeping = setInterval(() => {
    sweep().catch(noteError);
  }, SWEEP_EVERY_MS);
  sweeping.unref();

  function connect(more: RedisOptions): Redis {
    const made = new Redis(url, {
      ...more,
      disableClientInfo: true,
      retryStrategy: tries => Math.min(100 * tries, RETRY_MS),
    });
    made.on('error', noteError);
    made.on('ready', () => {
      if (isAway) log.info({}, 'queue: Redis answers again');
      isAway = false;
    });
    return made;
  }

  /** A connection that fails is one line, however often it is tried. */
  function noteError(error: unknown): void {
    const reason = error instanceof Error ? error.message : 'unknown failure';
    if (client.status === 'ready') log.warn({ reason }, 'queue: Redis refuses something');
    else if (!isAway && closed === undefined) {
      isAway = true;
      log.warn({ reason }, 'queue: Redis is away');
    }
  }

  async function ask<T>(command: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    let isLate = false;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        reject(new Error(`no answer within ${timeoutMs} ms`));
      }, timeoutMs);
    });
    // What was given up before the first connection must not be done after it.
    const inTime = connected.then(() => (isLate ? late : command()));
    try {
      return await Promise.race([inTime, late]);
    } catch (cause) {
      throw new StoreAway(`Redis does not take it: ${cause instanceof Error ? cause.message : 'unknown'}`, {
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** It may run by now, or be over. */
  async function promote(jobId: string | undefined): Promise<void> {
    if (jobId === undefined) return;
    const job = await bull.getJob(jobId);
    if (job !== undefined && (await job.isDelayed())) await job.promote().catch(unlessMoved);
  }

  async function process(job: Job<unknown>, token: string, handler: Handler): Promise<void> {
    const { id: jobId } = job;
    const data = Data.safeParse(job.data).data;
    if (jobId === undefined || data === undefined) return;
    const { chat: lane, atOnce } = data;
    const turn = job.priority;
    const place = await line.enter(jobId, lane, { token, atOnce, turn });
    if (place === 'lost') throw new DelayedError();
    if (place === 'wait') {
      await job.moveToDelayed(Date.now() + PARKED_MS, token);
      if ((await line.park(jobId, lane, { atOnce, turn })) === 'go') await promote(jobId);
      throw new DelayedError();
    }
    await handle(job, jobId, token, data, handler);
  }

  async function handle(job: Job<unknown>, jobId: string, token: string, data: Data, handler: Handler): Promise<void> {
    const controller = new AbortController();
    controllers.set(jobId, controller);
    let isOver = false;
    try {
      const { signal } = controller;
      const claim: Claim = {
        id: decodeURIComponent(jobId),
        lane: data.chat,
        payload: data.payload,
        addedAt: data.addedAt,
        lapses: job.stalledCounter,
        signal,
        async save(changed) {
          if (isOver) return false;
          const isHeld =
            !signal.aborted &&
            (await ask(() => line.save(jobId, token, JSON.stringify({ ...data, payload: changed }))));
          if (!isHeld) lose(jobId);
          return isHeld;
        },
      };
      const verdict = await verdictOf(handler, claim);
      isOver = true;
      await finish(job, jobId, token, data, verdict);
    } finally {
      controllers.delete(jobId);
    }
  }

  async function verdictOf(handler: Handler, claim: Claim): Promise<Verdict> {
    const work = handler(claim);
    working.add(work);
    try {
      return await work;
    } catch (error) {
      log.error({ err: error, id: claim.id }, 'queue: a handler failed');
      return { done: false, afterMs: THROWN_MS };
    } finally {
      working.delete(work);
    }
  }

  /** BullMQ waits for Redis too, however long that is away. */
  async function leave(): Promise<void> {
    const closing = worker?.close() ?? Promise.resolve();
    const idle = async () => {
      while (working.size > 0) await Promise.allSettled(working);
      await pause(LEAVE_MS, undefined, { ref: false });
    };
    await Promise.race([closing, idle()]);
  }

  /** Resolves for what is done; @throws DelayedError for all else, as BullMQ has it. */
  async function finish(job: Job<unknown>, jobId: string, token: string, data: Data, verdict: Verdict): Promise<void> {
    const account = accountOf(data);
    if (verdict.done) {
      const { ok, next } = await insist(() => line.settle(jobId, account, token));
      if (!ok) return lost(jobId);
      await promote(next).catch(noteError);
      return;
    }
    const { afterMs, payload } = verdict;
    const changed = {
      data: payload === undefined ? '' : JSON.stringify({ ...data, payload }),
      yields: afterMs <= 0,
    };
    const { ok, next } = await insist(() => line.release(jobId, account, token, changed));
    if (!ok) return lost(jobId);
    await insist(() => job.moveToDelayed(Date.now() + Math.max(0, afterMs), token));
    await promote(next).catch(noteError);
    throw new DelayedError();
  }

  function lost(jobId: string): never {
    lose(jobId);
    throw new DelayedError();
  }

  function lose(jobId: string): void {
    const controller = controllers.get(jobId);
    if (controller === undefined || controller.signal.aborted) return;
    log.warn({ id: decodeURIComponent(jobId) }, 'queue: a lease was lost');
    controller.abort();
  }

  /** While Redis is away, for as long as the lease may still be ours. */
  async function insist<T>(command: () => Promise<T>): Promise<T> {
    const until = Date.now() + limits.leaseMs;
    for (;;) {
      try {
        return await command();
      } catch (error) {
        noteError(error);
        if (Date.now() > until || closed !== undefined) throw new DelayedError('Redis does not take it');
        await new Promise(resolve => setTimeout(resolve, RETRY_MS / 2));
      }
    }
  }

  /** @param becomes of its id: known for a day, or forgotten */
  async function end(jobId: string, becomes: 'known' | 'forgotten' = 'known'): Promise<boolean> {
    const job = await bull.getJob(jobId);
    const data = Data.safeParse(job?.data).data;
    if (job === undefined || data === undefined) return false;
    const { ok, next } = await line.cancel(jobId, accountOf(data));
    if (!ok) return false;
    // What is over passes a worker once more, to become a mark.
    if (becomes === 'known') await promote(jobId);
    else await job.remove();
    await promote(next);
    return true;
  }

  /** Those that the store has no worker for, the next in line first. */
  async function unfinished(): Promise<readonly { readonly jobId: string; readonly data: Data }[]> {
    const found = new Map<string, { readonly jobId: string; readonly data: Data; readonly turn: number }>();
    for (let start = 0; ; start += PAGE) {
      const jobs = await ask(() => bull.getJobs(['wait', 'prioritized', 'delayed', 'active'], start, start + PAGE - 1));
      for (const { id: jobId, data: given, priority: turn } of jobs) {
        const data = Data.safeParse(given).data;
        if (jobId !== undefined && data !== undefined) found.set(jobId, { jobId, data, turn });
      }
      if (jobs.length === 0) return [...found.values()].toSorted((a, b) => a.turn - b.turn);
    }
  }

  /** Drops what was never finished, and what was planned but never added. */
  async function sweep(): Promise<void> {
    for (const jobId of await line.addedBefore(Date.now() - limits.lifeMs, SWEPT_AT_ONCE)) {
      const isEnded = await end(jobId);
      if (isEnded) log.warn({ id: decodeURIComponent(jobId) }, 'queue: an entry that was never finished is dropped');
      else if ((await bull.getJob(jobId)) === undefined) await line.drop(jobId);
    }
  }

  return {
    add({ id, lane, fairBy, owner, payload, atOnce = limits.perLane, delayMs = 0 }) {
      return ask(async () => {
        const jobId = encodeURIComponent(id);
        const addedAt = Date.now();
        const bounds = {
          now: addedAt,
          entries: limits.entries,
          perFairBy: limits.entriesPerFairBy,
          lifeMs: limits.lifeMs + SWEEP_EVERY_MS,
        };
        const { outcome, count, turn } = await line.plan(jobId, { lane, fairBy }, bounds);
        if (outcome === 'known') return { outcome };
        if (outcome !== 'accepted') return { outcome: 'full', scope: outcome, waiting: count };
        const data: Data = { v: 2, chat: lane, fairBy, owner, addedAt, atOnce, payload };
        const marks = { age: limits.markMs / 1_000, count: limits.marks };
        await bull.add(NAME, data, { jobId, priority: turn, delay: delayMs, removeOnComplete: marks });
        return { outcome, ahead: count };
      });
    },
    work(handler, { concurrency }) {
      workerClient = connect({ maxRetriesPerRequest: null });
      worker = new Worker(NAME, (job: Job<unknown>, token = '') => process(job, token, handler), {
        prefix,
        connection: workerClient,
        concurrency,
        lockDuration: limits.leaseMs,
        stalledInterval: Math.max(1, Math.floor(limits.leaseMs / 2)),
        maxStalledCount: MOST_STALLS,
        runRetryDelay: RETRY_MS,
      });
      worker.on('error', noteError);
      worker.on('lockRenewalFailed', (ids: readonly string[]) => {
        for (const id of ids) lose(id);
      });
    },
    promote: id => ask(() => promote(encodeURIComponent(id))),
    cancel: id => ask(() => end(encodeURIComponent(id))),
    async forget(owner) {
      let forgotten = 0;
      for (const { jobId, data } of await unfinished())
        if (data.owner === owner && (await ask(() => end(jobId)))) forgotten += 1;
      return forgotten;
    },
    async unclaimed() {
      const entries = await unfinished();
      return entries.map(({ jobId, data }) => {
        const { owner, payload, atOnce } = data;
        return { id: decodeURIComponent(jobId), ...accountOf(data), owner, payload, atOnce };
      });
    },
    remove: id => ask(() => end(encodeURIComponent(id), 'forgotten')),
    stats: () =>
      ask(async () => {
        const [unfinished, running, oldestAt] = await Promise.all([
          line.count(),
          bull.getActiveCount(),
          line.oldestAt(),
        ]);
        return { waiting: Math.max(0, unfinished - running), running, oldestAt };
      }),
    drain() {
      drained ??= leave();
      return drained;
    },
    close() {
      closed ??= (async () => {
        clearInterval(sweeping);
        for (const id of controllers.keys()) lose(id);
        if (drained === undefined) await worker?.close(true);
        await bull.close();
        for (const each of [client, workerClient]) each?.disconnect();
      })();
      return closed;
    },
  };
}

function accountOf({ chat: lane, fairBy = lane }: Data): Account {
  return { lane, fairBy };
}

/** BullMQ says so when the entry was called already. */
function unlessMoved(error: unknown): void {
  if (!(error instanceof Error) || !/not in the delayed state/i.test(error.message)) throw error;
}
