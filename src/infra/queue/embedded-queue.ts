import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import { createEmbeddedTable, type EmbeddedTable } from './embedded-table.ts';
import { type Added, QUEUE_LIMITS, type Queue, type QueueEntry, type QueueLimits, type Verdict } from './queue.ts';
import { type ClaimedEntry, type ClaimLease, type ClaimStore, QUEUE_RETRY_MS, QueueWorker } from './queue-worker.ts';

export interface EmbeddedQueueOptions {
  readonly store: Store;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  readonly now?: () => number;
}

/** Delays set by an earlier process end at most this long after the start, in case its clock was ahead of time. */
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
  const sweeper = createSweeper(table, limits, now, log);
  const timer = createWakeTimer(now, wake);
  const claims = createClaims(table, leaseMs, now, timer.wakeBy);
  const worker = new QueueWorker(claims, log, pumpSoon);
  let isPumpDue = false;
  sweeper.sweep();
  timer.wakeBy(table.nextDue());
  const upkeep = setInterval(() => keepUp(worker, sweeper, log), Math.max(1, Math.floor(leaseMs / 3))).unref();

  function pumpSoon(): void {
    if (isPumpDue) return;
    isPumpDue = true;
    setImmediate(() => {
      isPumpDue = false;
      worker.take().catch(error => {
        log.error({ err: error }, 'queue: nothing can be claimed');
        timer.wakeBy(now() + QUEUE_RETRY_MS);
      });
    });
  }

  function wake(): void {
    try {
      table.wake(now(), BATCH);
      timer.wakeBy(table.nextDue());
    } catch (error) {
      log.error({ err: error }, 'queue: delayed entries could not be taken up');
      timer.wakeBy(now() + QUEUE_RETRY_MS);
    }
    pumpSoon();
  }

  const add = createAdd(table, limits, now, claims, sweeper);

  const cancel = async (id: string) => table.cancel(id, now());

  return {
    async add(entry) {
      const added = add(entry);
      if (added.outcome === 'accepted') {
        if (entry.delayMs !== undefined && entry.delayMs > 0) timer.wakeBy(now() + entry.delayMs);
        else pumpSoon();
      }
      return added;
    },
    work(handler, { concurrency }) {
      worker.work(handler, concurrency);
      pumpSoon();
    },
    async promote(id) {
      table.promote(id);
      pumpSoon();
    },
    cancel,
    // No other process takes entries from this table, so `revoke` has no more to do than `cancel`.
    revoke: cancel,
    remove: async id => table.remove(id),
    forget: async owner => table.forget(owner, now()),
    unclaimed: async () => table.unclaimed(),
    async stats() {
      const counts = table.counts();
      const count = (state: string) => counts.get(state) ?? 0;
      return { waiting: count('waiting') + count('delayed'), running: count('claimed'), oldestAt: table.oldest() };
    },
    drain: () => worker.drain(),
    async close() {
      clearInterval(upkeep);
      timer.close();
      worker.close();
    },
  };
}

/** Renews the leases and, now and then, deletes old entries. Never rejects. */
async function keepUp(worker: QueueWorker, sweeper: Sweeper, log: Pick<Logger, 'error'>): Promise<void> {
  try {
    await worker.keepUp();
    sweeper.sweepIfDue();
  } catch (error) {
    log.error({ err: error }, 'queue: leases could not be renewed');
  }
}

/** Makes the function that adds an entry to the table, unless it is known or too many wait. */
function createAdd(
  table: EmbeddedTable,
  limits: QueueLimits,
  now: () => number,
  claims: { readonly turn: number },
  sweeper: Sweeper,
) {
  return (entry: QueueEntry): Added => {
    const { ahead, count, last, total } = table.backlog(entry);
    const isItsOwn = count >= limits.entriesPerFairBy;
    if (isItsOwn || total >= limits.entries) {
      if (table.has(entry.id)) return { outcome: 'known' };
      return isItsOwn
        ? { outcome: 'full', scope: 'fairBy', waiting: count }
        : { outcome: 'full', scope: 'queue', waiting: total };
    }
    sweeper.countAdded();
    const turn = Math.max(claims.turn, last === null ? 0 : last + 1);
    const isNew = table.insert(entry, { turn, atOnce: entry.atOnce ?? limits.perLane, at: now() });
    return isNew ? { outcome: 'accepted', ahead } : { outcome: 'known' };
  };
}

/** @param wakeBy asks for the table to be read again at the time `at`, because an entry is due then */
function createClaims(
  table: EmbeddedTable,
  leaseMs: number,
  now: () => number,
  wakeBy: (at: number) => void,
): ClaimStore & { readonly turn: number } {
  let turn = table.firstTurn() ?? 0;
  /** The lanes of the claimed entries, by id, each with the number of its entries that may run at once. */
  const claimed = new Map<string, { readonly lane: string; readonly atOnce: number }>();

  function busyLanes(): readonly string[] {
    const counts = new Map<string, number>();
    for (const { lane } of claimed.values()) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    const full = [...claimed.values()].filter(({ lane, atOnce }) => (counts.get(lane) ?? 0) >= atOnce);
    return [...new Set(full.map(({ lane }) => lane))];
  }

  function release(lease: ClaimLease, { afterMs, payload }: Extract<Verdict, { done: false }>): boolean {
    const due = afterMs > 0 ? now() + Math.ceil(afterMs) : 0;
    // An entry that is released without a delay gets a turn behind all entries that wait now.
    const isHeld = table.release(lease, due, due > 0 ? 0 : turn + 1, payload);
    if (isHeld && due > 0) wakeBy(due);
    return isHeld;
  }

  return {
    /** The turn whose entries are being claimed; a new entry of an account without waiting entries gets this turn. */
    get turn() {
      return turn;
    },
    async claim(most, token) {
      const found: ClaimedEntry[] = [];
      try {
        while (found.length < most) {
          const row = table.claim(busyLanes(), { token, until: now() + leaseMs });
          // When no entry waits or runs, turns are counted from 0 again.
          if (row === undefined && claimed.size === 0) turn = 0;
          if (row === undefined) break;
          const { turn: own, atOnce, ...entry } = row;
          turn = Math.max(turn, own);
          claimed.set(entry.id, { lane: entry.lane, atOnce });
          found.push(entry);
        }
      } catch (error) {
        // The entries that were claimed before the store failed are returned, because they must run.
        if (found.length === 0) throw error;
      }
      return found;
    },
    async renew(leases) {
      const ids = leases.map(({ id }) => id);
      if (ids.length > 0) table.renew(ids, now() + leaseMs);
      // An entry that was claimed and never ran, since the store failed in between, is claimable again after its lease.
      if (table.expire(now()) > 0) {
        for (const id of claimed.keys()) if (!ids.includes(id)) claimed.delete(id);
        wakeBy(now());
      }
      return [];
    },
    save: async (lease, payload) => table.save(lease, payload),
    async putBack(lease) {
      table.release(lease, 0, 0, undefined);
      claimed.delete(lease.id);
    },
    async finish(lease, verdict) {
      const isHeld = verdict.done ? table.settle(lease, now()) : release(lease, verdict);
      claimed.delete(lease.id);
      return isHeld;
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

type Sweeper = ReturnType<typeof createSweeper>;

/** Deletes the ids of entries that were done long ago, and entries that are still unfinished after a week. */
function createSweeper(table: EmbeddedTable, limits: QueueLimits, now: () => number, log: Pick<Logger, 'warn'>) {
  let addedSince = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  function sweep(): void {
    table.dropMarks({ before: now() - limits.markMs, marks: limits.marks, most: BATCH });
    const dropped = table.dropOld(now() - limits.lifeMs);
    if (dropped > 0) log.warn({ dropped }, 'queue: entries that were never finished are dropped');
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
