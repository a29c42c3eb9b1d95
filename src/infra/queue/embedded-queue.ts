import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import { createEmbeddedTable, type EmbeddedTable } from './embedded-table.ts';
import { EmbeddedWorker, type QueueProgress, RETRY_MS } from './embedded-worker.ts';
import { type Added, QUEUE_LIMITS, type Queue, type QueueEntry, type QueueLimits } from './queue.ts';

export interface EmbeddedQueueOptions {
  readonly store: Store;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  readonly now?: () => number;
}

/** Delays set by an earlier process end at most this long after the start: its clock may have been ahead of time. */
const MOST_AHEAD_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_EVERY_ENTRIES = 500;
/** The most rows that one statement changes, because a larger change would block the process for too long. */
const BATCH = 1_000;

/**
 * A queue in a table of the embedded database, for the one process that holds the file. Entries that an earlier process
 * had claimed can be claimed at once. Only one queue may be opened on a table.
 * @throws AppError `internal` when the store cannot be read or written
 */
export function createEmbeddedQueue({ store, log, ...options }: EmbeddedQueueOptions): Queue {
  const limits: QueueLimits = { ...QUEUE_LIMITS, ...options.limits };
  const { leaseMs } = limits;
  const now = createSteadyClock(options.now);
  const table = createEmbeddedTable(store);
  table.expire(Number.MAX_SAFE_INTEGER);
  table.hurry(now() + MOST_AHEAD_MS);
  const unfinished = [...table.counts().values()].reduce((total, count) => total + count, 0);
  const progress: QueueProgress = { turn: table.firstTurn() ?? 0, unfinished };
  const sweeper = createSweeper({ table, limits, progress, now, log });
  const timer = createWakeTimer(now, wake);
  const worker = new EmbeddedWorker({ table, progress, log, leaseMs, now, wakeBy: timer.wakeBy });
  sweeper.sweep();
  timer.wakeBy(table.nextDue());
  const upkeep = setInterval(keepUp, Math.max(1, Math.floor(leaseMs / 3)));
  upkeep.unref();

  function wake(): void {
    try {
      table.wake(now(), BATCH);
      timer.wakeBy(table.nextDue());
    } catch (error) {
      log.error({ err: error }, 'queue: delayed entries could not be taken up');
      timer.wakeBy(now() + RETRY_MS);
    }
    worker.pumpSoon();
  }

  function keepUp(): void {
    try {
      worker.keepUp();
      if (table.expire(now()) > 0) worker.pumpSoon();
      sweeper.sweepIfDue();
    } catch (error) {
      log.error({ err: error }, 'queue: leases could not be renewed');
    }
  }

  function add(entry: QueueEntry): Added {
    const { ahead, count, last } = table.backlog(entry);
    const isItsOwn = count >= limits.entriesPerFairBy;
    if (isItsOwn || progress.unfinished >= limits.entries) {
      if (table.has(entry.id)) return { outcome: 'known' };
      return isItsOwn
        ? { outcome: 'full', scope: 'fairBy', waiting: count }
        : { outcome: 'full', scope: 'queue', waiting: progress.unfinished };
    }
    sweeper.countAdded();
    const at = now();
    const turn = last === null ? progress.turn : Math.max(progress.turn, last + 1);
    if (!table.insert(entry, { turn, atOnce: entry.atOnce ?? limits.perLane, at })) return { outcome: 'known' };
    progress.unfinished += 1;
    if (entry.delayMs !== undefined && entry.delayMs > 0) timer.wakeBy(at + entry.delayMs);
    else worker.pumpSoon();
    return { outcome: 'accepted', ahead };
  }

  return {
    ...operationsOn(table, progress, now),
    add: async entry => add(entry),
    work: (handler, { concurrency }) => worker.work(handler, concurrency),
    async promote(id) {
      table.promote(id);
      worker.pumpSoon();
    },
    drain: () => worker.drain(),
    async close() {
      clearInterval(upkeep);
      timer.close();
      worker.close();
    },
  };
}

/** The operations that need neither the worker nor the timer. */
function operationsOn(table: EmbeddedTable, progress: QueueProgress, now: () => number) {
  return {
    async cancel(id: string) {
      const isCancelled = table.cancel(id, now());
      if (isCancelled) progress.unfinished -= 1;
      return isCancelled;
    },
    async forget(owner: string) {
      const forgotten = table.forget(owner, now());
      progress.unfinished -= forgotten;
      return forgotten;
    },
    unclaimed: async () => table.unclaimed(),
    async remove(id: string) {
      const isRemoved = table.remove(id);
      if (isRemoved) progress.unfinished -= 1;
      return isRemoved;
    },
    async stats() {
      const counts = table.counts();
      const count = (state: string) => counts.get(state) ?? 0;
      return { waiting: count('waiting') + count('delayed'), running: count('claimed'), oldestAt: table.oldest() };
    },
  };
}

/** Calls `wake` once, at the earliest of the times requested since its last call. */
function createWakeTimer(now: () => number, wake: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  let isClosed = false;
  return {
    wakeBy(at: number | undefined): void {
      if (at === undefined || at >= wakeAt || isClosed) return;
      clearTimeout(timer);
      wakeAt = at;
      const fire = () => {
        wakeAt = Number.POSITIVE_INFINITY;
        wake();
      };
      timer = setTimeout(fire, Math.min(Math.max(0, at - now()), SWEEP_EVERY_MS));
      timer.unref();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

interface SweeperOptions {
  readonly table: EmbeddedTable;
  readonly limits: QueueLimits;
  readonly progress: QueueProgress;
  readonly now: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

/** Deletes the ids of entries that were done long ago, and entries that are still unfinished after a week. */
function createSweeper({ table, limits, progress, now, log }: SweeperOptions) {
  let addedSince = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  function sweep(): void {
    table.dropMarks({ before: now() - limits.markMs, marks: limits.marks, most: BATCH });
    const dropped = table.dropOld(now() - limits.lifeMs);
    if (dropped > 0) log.warn({ dropped }, 'queue: entries that were never finished are dropped');
    progress.unfinished -= dropped;
    addedSince = 0;
    sweptAt = now();
  }

  return {
    sweep,
    sweepIfDue() {
      if (now() - sweptAt >= SWEEP_EVERY_MS) sweep();
    },
    countAdded() {
      if (addedSince >= SWEEP_EVERY_ENTRIES) sweep();
      addedSince += 1;
    },
  };
}

/**
 * A clock of whole unix milliseconds that never goes back. When the machine's clock is set back, this one continues
 * from its last value; when it is set forward, this one follows.
 * @param clock the machine's clock in unix milliseconds
 */
function createSteadyClock(clock: () => number = Date.now): () => number {
  let at = clock();
  let readAt = performance.now();
  return () => {
    const read = performance.now();
    at = Math.max(at + read - readAt, clock());
    readAt = read;
    return Math.floor(at);
  };
}
