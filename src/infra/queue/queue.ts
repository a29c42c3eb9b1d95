/** A piece of work that is kept until it is done. */
export interface QueueEntry {
  /** An id that is the same for a repeat of the same event. When an entry is done, its id alone is kept, for a day. */
  readonly id: string;
  /** The channel or chat: its entries start in the order they came, at most `atOnce` of them at a time. */
  readonly lane: string;
  /**
   * The account that the entry counts for, such as a Discord server. Accounts are served in turn, so that a busy one
   * does not delay others. All entries of a lane have the same account.
   */
  readonly fairBy: string;
  /** The person on whose behalf the entry runs; `forget` uses it. */
  readonly owner: string;
  /** The data of the entry. The queue does not read it, and deletes it when the entry is done. */
  readonly payload: string;
  /** How many entries of its lane may run at once; 1 keeps their order strictly. Default: the queue's `perLane`. */
  readonly atOnce?: number;
  /** Milliseconds during which the entry is not claimed, unless `promote` comes first. Default 0. */
  readonly delayMs?: number;
}

export type Added =
  /** The entry was added; `ahead` counts the unfinished entries of the same lane that came before it. */
  | { readonly outcome: 'accepted'; readonly ahead: number }
  /** The id is in the queue already, or was done within the last day. */
  | { readonly outcome: 'known' }
  /**
   * The entry was refused, because too many are unfinished: `waiting` is their number, among the entries of the same
   * `fairBy` or in the whole queue, as `scope` says.
   */
  | { readonly outcome: 'full'; readonly scope: 'fairBy' | 'queue'; readonly waiting: number };

/** An entry held by one worker, under a lease that is renewed until the handler returns. */
export interface Claim {
  readonly id: string;
  readonly lane: string;
  readonly payload: string;
  /** The time at which the entry was added, unix milliseconds. */
  readonly addedAt: number;
  /** How many earlier workers lost their lease of this entry, for example by a crash. */
  readonly lostWorkers: number;
  /** Aborts when the lease has been lost: another worker may hold the entry by now. */
  readonly signal: AbortSignal;
  /**
   * Replaces the payload; resolves when the new one is stored durably.
   * @returns false when the lease is lost, or the handler has returned; nothing was written then
   * @throws AppError `internal` when the store cannot be reached
   */
  save(payload: string): Promise<boolean>;
}

/** A handler's decision about a claimed entry. */
export type Verdict =
  /** The entry is finished: only its id is kept. */
  | { readonly done: true }
  /** The entry is delayed by at least `afterMs`; with 0, it waits until all entries that wait now were served. */
  | { readonly done: false; readonly afterMs: number; readonly payload?: string };

/** Does the entry's work and decides what becomes of it. */
export type Handler = (claim: Claim) => Promise<Verdict>;

export interface QueueStats {
  /** The number of entries that can be claimed or are delayed. */
  readonly waiting: number;
  readonly running: number;
  /** The time at which the oldest claimable entry was added, unix milliseconds; undefined when there is none. */
  readonly oldestAt: number | undefined;
}

/**
 * Durable work, run at least once by one worker at a time and never again after it is done. The accounts of `fairBy`
 * are served in turn: a new entry waits behind those of its own account, not behind the backlog of others. An entry
 * that is not done after a week is dropped. A worker that dies loses its lease and another takes over; later writes of
 * the first are refused.
 * @throws AppError `internal` from every method when the store cannot be reached
 */
export interface Queue {
  /** Adds an entry; resolves when it is stored durably. A repeat of a known id changes nothing. */
  add(entry: QueueEntry): Promise<Added>;
  /** Starts to run entries: at most `concurrency` handlers at once in this process. To be called once. */
  work(handler: Handler, options: { readonly concurrency: number }): void;
  /** Makes a delayed entry claimable now. Unknown ids and running entries are ignored. */
  promote(id: string): Promise<void>;
  /** Ends an entry that no worker holds. Returns false when no such entry has that id. */
  cancel(id: string): Promise<boolean>;
  /** Like `cancel`, but also ends an entry that a worker of another process holds: that worker loses its lease. */
  revoke(id: string): Promise<boolean>;
  /** Ends all entries of that owner that no worker holds; returns how many they were. */
  forget(owner: string): Promise<number>;
  /** Lists unfinished entries that no worker holds, the next to be served first and without delays, for moving them. */
  unclaimed(): Promise<readonly QueueEntry[]>;
  /** Deletes an entry that no worker holds, as if it had never been added. False when none has that id. */
  remove(id: string): Promise<boolean>;
  stats(): Promise<QueueStats>;
  /** Claims no more entries; resolves when no handler runs any more. `add` still works. Safe to call twice. */
  drain(): Promise<void>;
  /** Closes connections and timers, leaving running entries to other workers as a crash would. Safe to call twice. */
  close(): Promise<void>;
}

/** Bounds and times of a queue; they are the same in the embedded database and in Redis. */
export interface QueueLimits {
  /** The most unfinished entries in the queue. */
  readonly entries: number;
  /** The most unfinished entries with the same `fairBy`. */
  readonly entriesPerFairBy: number;
  /** The most entries of one lane that run at once. */
  readonly perLane: number;
  /** A worker that has not renewed a lease for this long has lost it. */
  readonly leaseMs: number;
  /** How long ids of finished entries are kept: Discord repeats events of the last minutes, Telegram of a whole day. */
  readonly markMs: number;
  /** Unfinished entries are dropped after this long. */
  readonly lifeMs: number;
  /** The most ids of finished entries that are kept. */
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
