import { setTimeout as pause } from 'node:timers/promises';
import { DelayedError, type Job } from 'bullmq';
import type { Logger } from '../log.ts';
import type { Claim, Handler, Verdict } from '../queue/queue.ts';
import type { RedisEntries } from './redis-entries.ts';

export interface RedisWorkerOptions {
  readonly entries: RedisEntries;
  readonly handler: Handler;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly leaseMs: number;
  /** Has an entry claimed that has got a place in its lane. */
  promote(id: string): Promise<void>;
  /** Does a command, within the time that callers wait for one. @throws StoreAway */
  ask<T>(command: () => Promise<T>): Promise<T>;
  onError(error: unknown): void;
}

/** An entry that is parked is promoted when it gets a place; this is for a promotion that was lost. */
export const PARKED_MS = 30_000;
const THROWN_MS = 5_000;
const RETRY_MS = 500;
const LEAVE_MS = 2_000;

/** The first turn is BullMQ's plain list, which comes before all priorities and costs it less. */
export const priorityOf = (turn: number): number => turn - 1;

/** One claim of an entry: a job of BullMQ under a token, and the number by which its writes are told from those of other claims. */
interface Holding {
  readonly job: Job;
  readonly id: string;
  readonly token: string;
  readonly attempt: number;
  readonly controller: AbortController;
}

/** Takes the jobs that BullMQ hands to this process through the handler. */
export class RedisWorker {
  readonly #options: RedisWorkerOptions;
  readonly #holdings = new Map<string, Holding>();
  readonly #working = new Set<Promise<Verdict>>();
  #isClosed = false;

  constructor(options: RedisWorkerOptions) {
    this.#options = options;
  }

  /** BullMQ's processor. It resolves for what is over, which BullMQ removes then. @throws DelayedError for all else, as BullMQ has it */
  async process(job: Job, token = ''): Promise<void> {
    try {
      await this.#take(job, token);
    } catch (error) {
      // BullMQ would give up on a job whose processor fails otherwise; this one is handed out again when its lock has run out.
      if (!(error instanceof DelayedError)) this.#options.onError(error);
      throw new DelayedError();
    }
  }

  /** Another worker may hold the entry by now. */
  lose(id: string): void {
    const controller = this.#holdings.get(id)?.controller;
    if (controller === undefined || controller.signal.aborted) return;
    this.#options.log.warn({ id }, 'queue: a lease was lost');
    controller.abort();
  }

  /** Resolves when no handler runs, and what became of the last entries had a moment to be written. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    await pause(LEAVE_MS, undefined, { ref: false });
  }

  /** Loses everything. */
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

  /** Tries again while Redis is away, for as long as the lease may still be ours. */
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
    // It may have got a place before it was there to be promoted.
    if (await entries.isPlaced(id, lane)) await promote(id);
    throw new DelayedError();
  }

  async #handle(holding: Holding, entry: Pick<Claim, 'lane' | 'payload' | 'addedAt'>): Promise<void> {
    const { entries, ask } = this.#options;
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
      const verdict = await this.#verdictOf(claim);
      isOver = true;
      if (signal.aborted) throw new DelayedError();
      await this.#finish(holding, verdict);
    } finally {
      if (this.#holdings.get(id) === holding) this.#holdings.delete(id);
    }
  }

  async #verdictOf(claim: Claim): Promise<Verdict> {
    const work = this.#options.handler(claim);
    this.#working.add(work);
    try {
      return await work;
    } catch (error) {
      this.#options.log.error({ err: error, id: claim.id }, 'queue: a handler failed');
      return { done: false, afterMs: THROWN_MS };
    } finally {
      this.#working.delete(work);
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
