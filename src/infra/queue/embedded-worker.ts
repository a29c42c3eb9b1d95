import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.ts';
import type { ClaimedRow, EmbeddedTable } from './embedded-table.ts';
import type { Claim, Handler, Verdict } from './queue.ts';

/** How far a queue has come, as its worker and those who add to it see it. */
export interface QueueProgress {
  /** Entries of this turn are being claimed; those who have no backlog join here. */
  turn: number;
  unfinished: number;
}

export interface EmbeddedWorkerOptions {
  readonly table: EmbeddedTable;
  readonly progress: QueueProgress;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly leaseMs: number;
  readonly now: () => number;
  /** An entry waits until that moment, or the table has to be looked at again then. */
  readonly wakeBy: (at: number) => void;
}

/** A verdict that could not be written, and a store that failed, are tried again after this time. */
export const RETRY_MS = 1_000;
/** An entry whose handler threw waits for so long. */
const THROWN_MS = 5_000;

interface Active {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Claims the entries of a table and takes them through a handler. */
export function createEmbeddedWorker({ table, progress, log, leaseMs, now, wakeBy }: EmbeddedWorkerOptions) {
  const holder = randomUUID();
  const active = new Map<string, Active>();
  const running = new Map<string, { count: number; atOnce: number }>();
  /** Verdicts that the store has not taken yet. */
  const unwritten = new Map<string, Verdict>();
  let work: { readonly handler: Handler; readonly concurrency: number } | undefined;
  let isDraining = false;
  let isPumpDue = false;

  function pumpSoon(): void {
    if (isPumpDue || isDraining || work === undefined) return;
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
    while (work !== undefined && !isDraining && active.size < work.concurrency) {
      const busy = [...running].flatMap(([lane, { count, atOnce }]) => (count >= atOnce ? [lane] : []));
      const row = table.claim(busy, { holder, until: now() + leaseMs });
      if (row === undefined) {
        // Nothing is waiting: the next entry is the first.
        if (active.size === 0) progress.turn = 0;
        return;
      }
      progress.turn = Math.max(progress.turn, row.turn);
      start(row, work.handler);
    }
  }

  function start(row: ClaimedRow, handler: Handler): void {
    const controller = new AbortController();
    const { count } = running.get(row.lane) ?? { count: 0 };
    running.set(row.lane, { count: count + 1, atOnce: row.at_once });
    const ended = handle(row, controller.signal, handler).then(verdict => finish(row, verdict));
    active.set(row.id, { controller, ended });
  }

  async function handle(row: ClaimedRow, signal: AbortSignal, handler: Handler): Promise<Verdict> {
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
        if (table.settle(id, holder, now())) progress.unfinished -= 1;
      } else {
        const { afterMs, payload } = verdict;
        const due = afterMs > 0 ? now() + Math.ceil(afterMs) : 0;
        // An entry that only makes room for others lets all go first that wait now.
        const place = { due, turn: due > 0 ? 0 : progress.turn + 1, payload };
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

  function writeUnwritten(): void {
    for (const [id, verdict] of [...unwritten]) if (write(id, verdict)) unwritten.delete(id);
  }

  return {
    pumpSoon,
    work(handler: Handler, concurrency: number) {
      work = { handler, concurrency };
      pumpSoon();
    },
    /** Renews leases and writes what could not be written. @throws AppError `internal` */
    keepUp() {
      writeUnwritten();
      const held = [...active.keys(), ...unwritten.keys()];
      if (held.length > 0) table.renew(held, { holder, until: now() + leaseMs });
    },
    async drain() {
      isDraining = true;
      while (active.size > 0) await Promise.all([...active.values()].map(({ ended }) => ended));
    },
    close() {
      isDraining = true;
      for (const { controller } of active.values()) controller.abort();
      writeUnwritten();
    },
  };
}
