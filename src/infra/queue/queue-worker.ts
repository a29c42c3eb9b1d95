import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import type { Claim, Handler, Verdict } from './queue.ts';

export type ClaimedEntry = Pick<Claim, 'id' | 'lane' | 'payload' | 'addedAt' | 'lostWorkers'>;

/** A worker's hold on an entry. Each claim has its own token, so that later writes of an earlier claim are refused. */
export interface ClaimLease {
  readonly id: string;
  readonly token: string;
}

/**
 * The entries of a queue, as its worker sees them.
 * @throws AppError `internal` from every method when the store cannot be reached
 */
export interface ClaimStore {
  /** Claims at most `most` entries. The one to be served next comes first. */
  claim(most: number, token: string): Promise<readonly ClaimedEntry[]>;
  /** Renews leases, and makes entries claimable again whose lease has ended. Returns the lost leases. */
  renew(leases: readonly ClaimLease[]): Promise<readonly ClaimLease[]>;
  /** Replaces the payload. This method and the next one return false when the lease is lost. */
  save(lease: ClaimLease, payload: string): Promise<boolean>;
  finish(lease: ClaimLease, verdict: Verdict): Promise<boolean>;
  /** Puts an entry back into the queue as if it had not been claimed. */
  putBack(lease: ClaimLease): Promise<void>;
}

/** How long an entry is delayed whose handler threw. */
const THROWN_MS = 5_000;
/** The pause before the store is asked again after it failed. */
export const QUEUE_RETRY_MS = 1_000;
/** How long draining waits until the last verdicts are stored. */
const LEAVE_MS = 2_000;

interface Active {
  readonly lease: ClaimLease;
  readonly controller: AbortController;
  readonly handled: Promise<Verdict>;
  readonly ended: Promise<void>;
}

type Held = Pick<Active, 'lease' | 'controller'>;

/** Claims entries of a queue and runs the handler for each. */
export class QueueWorker {
  readonly #store: ClaimStore;
  readonly #log: Pick<Logger, 'warn' | 'error'>;
  readonly #onRoom: () => void;
  readonly #active = new Set<Active>();
  #work: { readonly handler: Handler; readonly concurrency: number } | undefined;
  #isDraining = false;
  #isAsked = false;
  #taking: Promise<void> | undefined;

  /** @param onRoom called when there is room for another entry */
  constructor(store: ClaimStore, log: Pick<Logger, 'warn' | 'error'>, onRoom: () => void) {
    this.#store = store;
    this.#log = log;
    this.#onRoom = onRoom;
  }

  work(handler: Handler, concurrency: number): void {
    this.#work = { handler, concurrency };
  }

  /** How many more entries this worker can run now; 0 while it is draining. */
  get room(): number {
    return this.#work === undefined || this.#isDraining ? 0 : this.#work.concurrency - this.#active.size;
  }

  /** Claims entries while there is room. A call during another call makes the other one look for entries once more. */
  take(): Promise<void> {
    this.#isAsked = true;
    this.#taking ??= this.#take().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  /** Renews the leases of running entries, and aborts those whose lease is lost. */
  async keepUp(): Promise<void> {
    const held = [...this.#active];
    const lost = await this.#store.renew(held.map(({ lease }) => lease));
    for (const each of held) if (lost.includes(each.lease) && this.#active.has(each)) this.#lose(each);
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#taking?.catch(() => undefined);
    await Promise.all([...this.#active].map(({ handled }) => handled));
    const ended = Promise.all([...this.#active].map(each => each.ended));
    await Promise.race([ended, pause(LEAVE_MS, undefined, { ref: false })]);
  }

  /** Aborts the running entries; other workers take them over when their leases end. */
  close(): void {
    this.#isDraining = true;
    for (const { controller } of this.#active) controller.abort();
  }

  async #take(): Promise<void> {
    while (this.#isAsked && this.#work !== undefined && this.room > 0) {
      this.#isAsked = false;
      const token = randomUUID();
      for (const entry of await this.#store.claim(this.room, token)) {
        if (this.#isDraining) await this.#store.putBack({ id: entry.id, token });
        else this.#run(entry, { id: entry.id, token }, this.#work.handler);
      }
    }
  }

  #run(entry: ClaimedEntry, lease: ClaimLease, handler: Handler): void {
    const controller = new AbortController();
    const handled = this.#handle(entry, { lease, controller }, handler);
    const ended = handled.then(async verdict => {
      await this.#finish({ lease, controller }, verdict);
      this.#active.delete(active);
      this.#onRoom();
    });
    const active = { lease, controller, handled, ended };
    this.#active.add(active);
  }

  async #handle(entry: ClaimedEntry, { lease, controller }: Held, handler: Handler): Promise<Verdict> {
    const { signal } = controller;
    let isOver = false;
    const claim: Claim = {
      ...entry,
      signal,
      save: async payload => {
        if (isOver) return false;
        const isHeld = !signal.aborted && (await this.#store.save(lease, payload));
        if (!isHeld) this.#lose({ lease, controller });
        return isHeld;
      },
    };
    try {
      return await handler(claim);
    } catch (error) {
      this.#log.error({ err: error, id: entry.id }, 'queue: a handler failed');
      return { done: false, afterMs: THROWN_MS };
    } finally {
      isOver = true;
    }
  }

  /** Stores the verdict, and tries again as long as the store fails. */
  async #finish(active: Held, verdict: Verdict): Promise<void> {
    const { lease, controller } = active;
    for (let tries = 0; !controller.signal.aborted; tries += 1) {
      try {
        if (!(await this.#store.finish(lease, verdict))) this.#lose(active);
        return;
      } catch (error) {
        if (tries === 0)
          this.#log.error({ err: error, id: lease.id }, 'queue: what became of an entry could not be written');
        await new Promise(resolve => setTimeout(resolve, QUEUE_RETRY_MS).unref());
      }
    }
  }

  /** Aborts a claim, since another worker may hold the entry by now. */
  #lose({ lease, controller }: Held): void {
    if (controller.signal.aborted) return;
    this.#log.warn({ id: lease.id }, 'queue: a lease was lost');
    controller.abort();
  }
}
