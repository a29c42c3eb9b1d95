import { randomUUID } from 'node:crypto';
import { createSteadyClock } from '../concurrency/steady-clock.ts';
import type { Logger } from '../log.ts';
import type { Store } from '../store/store.ts';
import { type ClaimedRow, createEmbeddedTable } from './embedded-table.ts';
import { type Claim, type Handler, QUEUE_LIMITS, type Queue, type QueueLimits, type Verdict } from './queue.ts';

export interface EmbeddedQueueOptions {
  readonly store: Store;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly limits?: Partial<QueueLimits>;
  readonly now?: () => number;
}

/** A verdict that could not be written, and a store that failed, are tried again after this time. */
const RETRY_MS = 1_000;
/** After a handler that threw. */
const THROWN_MS = 5_000;
/** Nothing that an earlier process left waits longer: its clock may have been far ahead of this one's. */
const MOST_AHEAD_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
const SWEEP_EVERY = 500;
/** Rows that one statement changes: more would be felt by everything else in the process. */
const BATCH = 1_000;

interface Active {
  readonly row: ClaimedRow;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/**
 * A queue in a table of the embedded database, for the one process that holds the file: what an earlier one had claimed is free at
 * once. Nothing else may open a queue on it.
 * @throws AppError `internal` when the store cannot be read or written
 */
export function createEmbeddedQueue({ store, log, ...options }: EmbeddedQueueOptions): Queue {
  const limits: QueueLimits = { ...QUEUE_LIMITS, ...options.limits };
  const now = createSteadyClock(options.now);
  const table = createEmbeddedTable(store);
  const holder = randomUUID();
  const active = new Map<string, Active>();
  const running = new Map<string, { count: number; atOnce: number }>();
  /** Verdicts that the store has not taken yet. */
  const unwritten = new Map<string, Verdict>();
  let worker: { readonly handler: Handler; readonly concurrency: number } | undefined;
  let isDraining = false;
  let isClosed = false;
  let isPumpDue = false;
  let wakeTimer: NodeJS.Timeout | undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  let addedSinceSweep = 0;
  let sweptAt = Number.NEGATIVE_INFINITY;

  table.expire(Number.MAX_SAFE_INTEGER);
  table.hurry(now() + MOST_AHEAD_MS);
  let unfinished = [...table.counts().values()].reduce((total, count) => total + count, 0);
  /** Entries of this turn are being claimed; who has no backlog joins here. */
  let turn = table.firstTurn() ?? 0;
  sweep();
  wakeBy(table.nextDue());

  const upkeep = setInterval(keepUp, Math.max(1, Math.floor(limits.leaseMs / 3)));
  upkeep.unref();

  function pumpSoon(): void {
    if (isPumpDue || isDraining || worker === undefined) return;
    isPumpDue = true;
    setImmediate(() => {
      isPumpDue = false;
      try {
        pump();
      } catch (error) {
        log.error({ err: error }, 'queue: nothing can be claimed');
        wakeBy(now() + RETRY_MS);
      }
    });
  }

  function pump(): void {
    while (worker !== undefined && !isDraining && active.size < worker.concurrency) {
      const busy = [...running].flatMap(([lane, { count, atOnce }]) => (count >= atOnce ? [lane] : []));
      const row = table.claim(busy, { holder, until: now() + limits.leaseMs });
      if (row === undefined) {
        // Nothing is waiting: the next entry is the first.
        if (active.size === 0) turn = 0;
        return;
      }
      turn = Math.max(turn, row.turn);
      start(row, worker.handler);
    }
  }

  function start(row: ClaimedRow, handler: Handler): void {
    const controller = new AbortController();
    const { count } = running.get(row.lane) ?? { count: 0 };
    running.set(row.lane, { count: count + 1, atOnce: row.at_once });
    const ended = handle(row, controller, handler).then(verdict => finish(row, verdict));
    active.set(row.id, { row, controller, ended });
  }

  async function handle(row: ClaimedRow, { signal }: AbortController, handler: Handler): Promise<Verdict> {
    const { id, lane, payload, at: addedAt, lapses } = row;
    let isOver = false;
    const claim: Claim = {
      ...{ id, lane, payload, addedAt, lapses, signal },
      save: async changed => {
        if (isOver) return false;
        const isHeld = !signal.aborted && table.save(id, holder, changed);
        if (!isHeld) lose(id);
        return isHeld;
      },
    };
    try {
      return await handler(claim);
    } catch (error) {
      log.error({ err: error, id }, 'queue: a handler failed');
      return { done: false, afterMs: THROWN_MS };
    } finally {
      isOver = true;
    }
  }

  function finish(row: ClaimedRow, verdict: Verdict): void {
    const others = (running.get(row.lane)?.count ?? 1) - 1;
    if (others > 0) running.set(row.lane, { count: others, atOnce: row.at_once });
    else running.delete(row.lane);
    if (!write(row.id, verdict)) unwritten.set(row.id, verdict);
    active.delete(row.id);
    pumpSoon();
  }

  /** False when the store does not take it. */
  function write(id: string, verdict: Verdict): boolean {
    try {
      if (verdict.done) {
        if (table.settle(id, holder, now())) unfinished -= 1;
      } else {
        const { afterMs, payload } = verdict;
        const due = afterMs > 0 ? now() + Math.ceil(afterMs) : 0;
        // What only makes room for others lets all go first that wait now.
        const place = { due, turn: due > 0 ? 0 : turn + 1, payload };
        if (table.release(id, holder, place) && due > 0) wakeBy(due);
      }
      return true;
    } catch (error) {
      log.error({ err: error, id }, 'queue: what became of an entry could not be written');
      return false;
    }
  }

  function lose(id: string): void {
    log.warn({ id }, 'queue: a lease was lost');
    active.get(id)?.controller.abort();
  }

  /** Renews leases, writes what could not be written, and frees what others have left. */
  function keepUp(): void {
    try {
      for (const [id, verdict] of [...unwritten]) if (write(id, verdict)) unwritten.delete(id);
      const held = [...active.keys(), ...unwritten.keys()];
      if (held.length > 0) table.renew(held, { holder, until: now() + limits.leaseMs });
      if (table.expire(now()) > 0) pumpSoon();
      if (now() - sweptAt >= SWEEP_EVERY_MS) sweep();
    } catch (error) {
      log.error({ err: error }, 'queue: leases could not be renewed');
    }
  }

  function sweep(): void {
    table.dropMarks({ before: now() - limits.markMs, marks: limits.marks, most: BATCH });
    const dropped = table.dropOld(now() - limits.lifeMs);
    if (dropped > 0) log.warn({ dropped }, 'queue: entries that were never finished are dropped');
    unfinished -= dropped;
    addedSinceSweep = 0;
    sweptAt = now();
  }

  /** Looks for entries whose time has come, at that moment. */
  function wakeBy(at: number | undefined): void {
    if (at === undefined || at >= wakeAt || isClosed) return;
    clearTimeout(wakeTimer);
    wakeAt = at;
    wakeTimer = setTimeout(wake, Math.min(Math.max(0, at - now()), SWEEP_EVERY_MS));
    wakeTimer.unref();
  }

  function wake(): void {
    wakeAt = Number.POSITIVE_INFINITY;
    try {
      table.wake(now(), BATCH);
      wakeBy(table.nextDue());
    } catch (error) {
      log.error({ err: error }, 'queue: delayed entries could not be taken up');
      wakeBy(now() + RETRY_MS);
    }
    pumpSoon();
  }

  return {
    async add(entry) {
      const { ahead, count, last } = table.backlog(entry);
      const isItsOwn = count >= limits.entriesPerFairBy;
      if (isItsOwn || unfinished >= limits.entries) {
        if (table.has(entry.id)) return { outcome: 'known' };
        return isItsOwn
          ? { outcome: 'full', scope: 'fairBy', waiting: count }
          : { outcome: 'full', scope: 'queue', waiting: unfinished };
      }
      if (addedSinceSweep >= SWEEP_EVERY) sweep();
      const at = now();
      const place = {
        turn: last === null ? turn : Math.max(turn, last + 1),
        atOnce: entry.atOnce ?? limits.perLane,
        at,
      };
      if (!table.insert(entry, place)) return { outcome: 'known' };
      addedSinceSweep += 1;
      unfinished += 1;
      if (entry.delayMs !== undefined && entry.delayMs > 0) wakeBy(at + entry.delayMs);
      else pumpSoon();
      return { outcome: 'accepted', ahead };
    },
    work(handler, { concurrency }) {
      worker = { handler, concurrency };
      pumpSoon();
    },
    async promote(id) {
      table.promote(id);
      pumpSoon();
    },
    async cancel(id) {
      const isCancelled = table.cancel(id, now());
      if (isCancelled) unfinished -= 1;
      return isCancelled;
    },
    async forget(owner) {
      const forgotten = table.forget(owner, now());
      unfinished -= forgotten;
      return forgotten;
    },
    unclaimed: async () => table.unclaimed(),
    async remove(id) {
      const isRemoved = table.remove(id);
      if (isRemoved) unfinished -= 1;
      return isRemoved;
    },
    async stats() {
      const counts = table.counts();
      const count = (state: string) => counts.get(state) ?? 0;
      return {
        waiting: count('waiting') + count('delayed'),
        running: count('claimed'),
        oldestAt: table.oldest(),
      };
    },
    async drain() {
      isDraining = true;
      while (active.size > 0) await Promise.all([...active.values()].map(({ ended }) => ended));
    },
    async close() {
      isDraining = true;
      isClosed = true;
      clearInterval(upkeep);
      clearTimeout(wakeTimer);
      for (const { controller } of active.values()) controller.abort();
      for (const [id, verdict] of [...unwritten]) if (write(id, verdict)) unwritten.delete(id);
    },
  };
}
