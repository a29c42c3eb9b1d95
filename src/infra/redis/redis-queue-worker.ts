import { setTimeout as pause } from 'node:timers/promises';
import { DelayedError, type Job } from 'bullmq';
import type { Logger } from '../log.ts';
import { type Claim, type Handler, type Verdict, verdictAfter } from '../queue/queue.ts';
import type { RedisEntries } from './redis-queue-entries.ts';

export interface RedisWorkerOptions {
  readonly entries: RedisEntries;
  readonly handler: Handler;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly leaseMs: number;
  /** Makes BullMQ hand out an entry that has got a slot of its lane. */
  promote(id: string): Promise<void>;
  /**
   * Runs a command of Redis with the time limit that all callers have.
   * @throws StoreAway
   */
  ask<T>(command: () => Promise<T>): Promise<T>;
  onError(error: unknown): void;
}

/** An entry parked until its lane has a free slot is checked after this time, in case its promotion was lost. */
export const PARKED_MS = 30_000;
const RETRY_MS = 500;
const LEAVE_MS = 2_000;

/**
 * BullMQ's priority for a turn, which is the number, from 1, of the round in which an entry is served. The first turn
 * has 0: BullMQ serves such jobs first and keeps them in a cheaper list.
 */
export const priorityOf = (turn: number): number => turn - 1;

/** One claim of an entry: BullMQ's job and token, and the number that tells its writes from those of other claims. */
interface Holding {
  readonly job: Job;
  readonly id: string;
  readonly token: string;
  readonly attempt: number;
  readonly controller: AbortController;
}

/** Runs the handler for the jobs that BullMQ gives to this process. */
export class RedisWorker {
  readonly #options: RedisWorkerOptions;
  readonly #holdings = new Map<string, Holding>();
  readonly #working = new Set<Promise<Verdict>>();
  #isClosed = false;

  constructor(options: RedisWorkerOptions) {
    this.#options = options;
  }

  /**
   * BullMQ's processor. It resolves when an entry is over, and BullMQ then removes it.
   * @throws DelayedError in every other case, as BullMQ requires
   */
  async process(job: Job, token = ''): Promise<void> {
    try {
      await this.#take(job, token);
    } catch (error) {
      // On any other error BullMQ would fail the job for good. After this one it repeats the job when the lock expires.
      if (!(error instanceof DelayedError)) this.#options.onError(error);
      throw new DelayedError();
    }
  }

  /** Aborts the claim, since another worker may hold the entry by now. */
  lose(id: string): void {
    const controller = this.#holdings.get(id)?.controller;
    if (controller === undefined || controller.signal.aborted) return;
    this.#options.log.warn({ id }, 'queue: a lease was lost');
    controller.abort();
  }

  /** Resolves when no handler runs and the last verdicts had some time to be stored. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    await pause(LEAVE_MS, undefined, { ref: false });
  }

  /** Aborts all claims. */
  close(): void {
    this.#isClosed = true;
    for (const id of this.#holdings.keys()) this.lose(id);
  }

  async #take(job: Job, token: string): Promise<void> {
    const { entries } = this.#options;
    const id = decodeURIComponent(job.id ?? '');
    const holding = { job, id, token, attempt: job.attemptsStarted, controller: new AbortController() };
    const { outcome, ...entry } = await this.#insist(() => entries.enter(id, holding.attempt));
    if (outcome === 'go') await this.#handle(holding, entry);
    else if (outcome === 'wait') await this.#park(holding, entry.lane);
    else if (outcome === 'lost') throw new DelayedError();
  }

  /** Repeats a command while Redis is away, as long as this process may still hold the lease. */
  async #insist<T>(command: () => Promise<T>): Promise<T> {
    const until = Date.now() + this.#options.leaseMs;
    for (;;) {
      try {
        return await command();
      } catch (error) {
        this.#options.onError(error);
        if (Date.now() > until || this.#isClosed) throw new DelayedError('Redis does not take it');
        await pause(RETRY_MS);
      }
    }
  }

  async #park({ job, id, token }: Holding, lane: string): Promise<never> {
    const { entries, promote } = this.#options;
    await this.#insist(() => job.moveToDelayed(Date.now() + PARKED_MS, token));
    // If the entry got its slot before BullMQ had it as delayed, its promotion did nothing, so it is repeated.
    if (await entries.isPlaced(id, lane)) await promote(id);
    throw new DelayedError();
  }

  async #handle(holding: Holding, entry: Pick<Claim, 'lane' | 'payload' | 'addedAt'>): Promise<void> {
    const { entries, ask, handler, log } = this.#options;
    const { job, id, attempt, controller } = holding;
    const { signal } = controller;
    this.#holdings.set(id, holding);
    let isOver = false;
    const claim: Claim = {
      ...entry,
      ...{ id, lapses: job.stalledCounter, signal },
      save: async payload => {
        if (isOver) return false;
        const isHeld = !signal.aborted && (await ask(() => entries.save(id, attempt, payload)));
        if (!isHeld) this.lose(id);
        return isHeld;
      },
    };
    try {
      const work: Promise<Verdict> = handler(claim)
        .catch((error: unknown) => verdictAfter(error, claim, log))
        .finally(() => this.#working.delete(work));
      this.#working.add(work);
      const verdict = await work;
      isOver = true;
      if (signal.aborted) throw new DelayedError();
      await this.#finish(holding, verdict);
    } finally {
      if (this.#holdings.get(id) === holding) this.#holdings.delete(id);
    }
  }

  async #finish({ job, id, token, attempt }: Holding, verdict: Verdict): Promise<void> {
    const { entries, promote, onError } = this.#options;
    const { ok, next, turn } = await this.#insist(() =>
      verdict.done
        ? entries.settle(id, attempt)
        : entries.release(id, attempt, { payload: verdict.payload, yields: verdict.afterMs <= 0 }),
    );
    if (!ok) {
      this.lose(id);
      throw new DelayedError();
    }
    if (!verdict.done) {
      const priority = priorityOf(turn);
      if (priority !== job.priority) await this.#insist(() => job.changePriority({ priority }));
      await this.#insist(() => job.moveToDelayed(Date.now() + Math.max(0, verdict.afterMs), token));
    }
    if (next !== undefined) await promote(next).catch(onError);
    if (!verdict.done) throw new DelayedError();
  }
}
