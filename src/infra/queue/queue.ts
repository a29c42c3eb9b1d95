/** A piece of work that is kept until it is done. */
export interface QueueEntry {
  /** The same for a repeat of the same event. It is all that stays of an entry that is done, for a day. */
  readonly id: string;
  /** Entries of one lane share its places, and run in the order they came. */
  readonly lane: string;
  /** On whose account turns are taken: entries of one account take turns with those of others. All entries of a lane name the same. */
  readonly fairBy: string;
  /** On whose behalf; `forget` goes by it. */
  readonly owner: string;
  /** Opaque to the queue; dropped when the entry is done. */
  readonly payload: string;
  /** How many entries of its lane may run at once; 1 keeps their order strictly. Default: the queue's `perLane`. */
  readonly atOnce?: number;
  /** Milliseconds before which it is not claimed, unless `promote` comes first. Default 0. */
  readonly delayMs?: number;
}

export type Added =
  /** `ahead`: unfinished entries of the same lane that came before it. */
  | { readonly outcome: 'accepted'; readonly ahead: number }
  /** It is kept already, or was done within the last day. */
  | { readonly outcome: 'known' }
  /** Nothing was kept. `waiting`: how many unfinished entries that account, or the queue, has. */
  | { readonly outcome: 'full'; readonly scope: 'fairBy' | 'queue'; readonly waiting: number };

/** An entry in the hands of one worker, under a lease that is renewed until the handler returns. */
export interface Claim {
  readonly id: string;
  readonly lane: string;
  readonly payload: string;
  /** When it was added, unix milliseconds. */
  readonly addedAt: number;
  /** How many workers have held it before and were lost without a word. */
  readonly lapses: number;
  /** Aborts when the lease is found to be lost: another worker may hold the entry by now. */
  readonly signal: AbortSignal;
  /**
   * Replaces the payload, durably before it resolves.
   * @returns false when the lease is lost, or the handler has returned; nothing was written then
   * @throws AppError `internal` when the store cannot be reached
   */
  save(payload: string): Promise<boolean>;
}

/** A handler's word on what becomes of a claimed entry. */
export type Verdict =
  /** It is over: a bare id stays. */
  | { readonly done: true }
  /** It waits again, for at least so long, and keeps no worker; 0: until all that wait now had their turn. */
  | { readonly done: false; readonly afterMs: number; readonly payload?: string };

/** Settles what becomes of the entry. A handler that throws is logged, and the entry waits for a moment. */
export type Handler = (claim: Claim) => Promise<Verdict>;

export interface QueueStats {
  /** Ready, and waiting for their time. */
  readonly waiting: number;
  readonly running: number;
  /** When the oldest entry that could run now was added, unix milliseconds; undefined when there is none. */
  readonly oldestAt: number | undefined;
}

/**
 * Durable work, done at least once by one worker at a time and never begun again after it is done. Those that `fairBy` names take turns: a new
 * entry stands behind their own entries, but not behind the backlog of others. What is not done after a week is dropped.
 *
 * A worker that dies loses its lease and another takes over; what the dead one still tries to write is refused.
 *
 * @throws AppError `internal` from every method when the store cannot be reached
 */
export interface Queue {
  /** Keeps an entry, durably before it resolves. The same id again changes nothing. */
  add(entry: QueueEntry): Promise<Added>;
  /** Begins to work: at most `concurrency` handlers at once in this process. To be called once. */
  work(handler: Handler, options: { readonly concurrency: number }): void;
  /** An entry that waits for its time may be claimed now. Unknown ids, and those that run, are passed over. */
  promote(id: string): Promise<void>;
  /** Ends an entry that no worker holds. False when there is none of that id. */
  cancel(id: string): Promise<boolean>;
  /** Ends all entries of that owner that no worker holds; returns how many they were. */
  forget(owner: string): Promise<number>;
  /** Entries that are unfinished and in no worker's hands, in the order of turns; for moving it to another queue. Their delays are left out. */
  unclaimed(): Promise<readonly QueueEntry[]>;
  /** Takes an entry out that no worker holds, as if it had never been added. False when there is none of that id. */
  remove(id: string): Promise<boolean>;
  stats(): Promise<QueueStats>;
  /** Claims nothing any more; resolves when no handler runs. Adding still works. Safe to call twice. */
  drain(): Promise<void>;
  /** Lets go of connections and timers. What still runs is left to others, as if this process had died. Safe to call twice. */
  close(): Promise<void>;
}

/** Bounds and times of a queue; every driver has them. */
export interface QueueLimits {
  /** Unfinished entries in all. */
  readonly entries: number;
  /** Unfinished entries with the same `fairBy`. */
  readonly entriesPerFairBy: number;
  /** Entries of one lane that run at once. */
  readonly perLane: number;
  /** A worker that has not renewed its lease for so long has lost it. */
  readonly leaseMs: number;
  /** Ids of entries that are done are known for so long: gateways replay minutes, Telegram keeps updates for a day. */
  readonly markMs: number;
  /** Unfinished entries are dropped after so long. */
  readonly lifeMs: number;
  /** Ids of entries that are done, kept at most. */
  readonly marks: number;
}

const DAY_MS = 24 * 3_600_000;

export const QUEUE_LIMITS: QueueLimits = {
  entries: 10_000,
  entriesPerFairBy: 200,
  perLane: 4,
  leaseMs: 20_000,
  markMs: DAY_MS,
  lifeMs: 7 * DAY_MS,
  marks: 100_000,
};
