import { randomUUID } from 'node:crypto';
import type { Logger } from '../log.ts';
import type { ClaimedRow, EmbeddedTable } from './embedded-table.ts';
import { type Claim, type Handler, type Verdict, verdictAfter } from './queue.ts';

/** The state that a queue's worker shares with the code that adds entries. */
export interface QueueProgress {
  /** The turn whose entries are being claimed now; a new entry of an account without waiting entries gets this turn. */
  turn: number;
  /** The number of entries that are not done; it is compared with the queue's bound. */
  unfinished: number;
}

export interface EmbeddedWorkerOptions {
  readonly table: EmbeddedTable;
  readonly progress: QueueProgress;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly leaseMs: number;
  readonly now: () => number;
  /** Asks for the table to be read again at the time `at`, because an entry is due then. */
  readonly wakeBy: (at: number) => void;
}

/** The pause before a handler's verdict is stored again, or the table read again, after the store failed. */
export const RETRY_MS = 1_000;

interface Active {
  readonly row: ClaimedRow;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Claims the entries of a table and runs the handler for each. */
export class EmbeddedWorker {
  readonly #options: EmbeddedWorkerOptions;
  readonly #holder = randomUUID();
  readonly #active = new Map<string, Active>();
  /** Verdicts of handlers that could not be stored yet. */
  readonly #unwritten = new Map<string, Verdict>();
  #work: { readonly handler: Handler; readonly concurrency: number } | undefined;
  #isDraining = false;
  #isPumpDue = false;

  constructor(options: EmbeddedWorkerOptions) {
    this.#options = options;
  }

  work(handler: Handler, concurrency: number): void {
    this.#work = { handler, concurrency };
    this.pumpSoon();
  }

  pumpSoon(): void {
    if (this.#isPumpDue || this.#isDraining || this.#work === undefined) return;
    this.#isPumpDue = true;
    setImmediate(() => {
      this.#isPumpDue = false;
      try {
        this.#pump();
      } catch (error) {
        const { log, wakeBy, now } = this.#options;
        log.error({ err: error }, 'queue: nothing can be claimed');
        wakeBy(now() + RETRY_MS);
      }
    });
  }

  /**
   * Renews leases and stores verdicts that could not be stored before.
   * @throws AppError `internal`
   */
  keepUp(): void {
    this.#writeUnwritten();
    const held = [...this.#active.keys(), ...this.#unwritten.keys()];
    if (held.length > 0) this.#options.table.renew(held, this.#lease());
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#active.size > 0) await Promise.all([...this.#active.values()].map(({ ended }) => ended));
  }

  close(): void {
    this.#isDraining = true;
    for (const { controller } of this.#active.values()) controller.abort();
    this.#writeUnwritten();
  }

  #pump(): void {
    const { table, progress } = this.#options;
    while (this.#work !== undefined && !this.#isDraining && this.#active.size < this.#work.concurrency) {
      const row = table.claim(this.#busyLanes(), this.#lease());
      if (row === undefined) {
        // No entry waits or runs, so turns are counted from 0 again.
        if (this.#active.size === 0) progress.turn = 0;
        return;
      }
      progress.turn = Math.max(progress.turn, row.turn);
      const controller = new AbortController();
      const ended = this.#handle(row, controller.signal, this.#work.handler).then(verdict =>
        this.#finish(row, verdict),
      );
      this.#active.set(row.id, { row, controller, ended });
    }
  }

  #lease() {
    return { holder: this.#holder, until: this.#options.now() + this.#options.leaseMs };
  }

  #busyLanes(): readonly string[] {
    const counts = new Map<string, number>();
    for (const { row } of this.#active.values()) counts.set(row.lane, (counts.get(row.lane) ?? 0) + 1);
    const full = [...this.#active.values()].filter(({ row }) => (counts.get(row.lane) ?? 0) >= row.at_once);
    return [...new Set(full.map(({ row }) => row.lane))];
  }

  async #handle(row: ClaimedRow, signal: AbortSignal, handler: Handler): Promise<Verdict> {
    const { table, log } = this.#options;
    const { id, lane, payload, at: addedAt, lapses } = row;
    let isOver = false;
    const claim: Claim = {
      ...{ id, lane, payload, addedAt, lapses, signal },
      save: async changed => {
        if (isOver) return false;
        const isHeld = !signal.aborted && table.save(id, this.#holder, changed);
        if (!isHeld) {
          log.warn({ id }, 'queue: a lease was lost');
          this.#active.get(id)?.controller.abort();
        }
        return isHeld;
      },
    };
    try {
      return await handler(claim);
    } catch (error) {
      return verdictAfter(error, claim, log);
    } finally {
      isOver = true;
    }
  }

  #finish({ id }: ClaimedRow, verdict: Verdict): void {
    if (!this.#write(id, verdict)) this.#unwritten.set(id, verdict);
    this.#active.delete(id);
    this.pumpSoon();
  }

  /** Stores the verdict; false when the store fails. */
  #write(id: string, verdict: Verdict): boolean {
    const { table, progress, log, now, wakeBy } = this.#options;
    try {
      if (verdict.done) {
        if (table.settle(id, this.#holder, now())) progress.unfinished -= 1;
      } else {
        const { afterMs, payload } = verdict;
        const due = afterMs > 0 ? now() + Math.ceil(afterMs) : 0;
        // An entry that is released without a delay gets a turn behind all entries that wait now.
        const place = { due, turn: due > 0 ? 0 : progress.turn + 1, payload };
        if (table.release(id, this.#holder, place) && due > 0) wakeBy(due);
      }
      return true;
    } catch (error) {
      log.error({ err: error, id }, 'queue: what became of an entry could not be written');
      return false;
    }
  }

  #writeUnwritten(): void {
    for (const [id, verdict] of [...this.#unwritten]) if (this.#write(id, verdict)) this.#unwritten.delete(id);
  }
}
