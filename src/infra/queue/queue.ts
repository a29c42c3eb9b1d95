/** A piece of work that is kept until it is done. */
export interface QueueEntry {
  /** The same for a repeat of the same event. When an entry is done, its id alone is kept, for a day. */
  readonly id: string;
  /** Entries of one lane share its places, and run in the order they came. */
  readonly lane: string;
  /** The account that takes turns: entries of one account take turns with those of others. All entries of a lane name the same account. */
  readonly fairBy: string;
  /** The person on whose behalf the entry runs; `forget` uses it. */
  readonly owner: string;
  /** The queue does not read it, and drops it when the entry is done. */
  readonly payload: string;
  /** How many entries of its lane may run at once; 1 keeps their order strictly. Default: the queue's `perLane`. */
  readonly atOnce?: number;
  /** Milliseconds during which the entry is not claimed, unless `promote` comes first. Default 0. */
  readonly delayMs?: number;
}

export type Added =
  /** `ahead`: unfinished entries of the same lane that came before it. */
  | { readonly outcome: 'accepted'; readonly ahead: number }
  /** The id is in the queue already, or was done within the last day. */
  | { readonly outcome: 'known' }
  /** The entry was refused. `waiting`: how many unfinished entries there are with its `fairBy`, or in the queue, as `scope` says. */
  | { readonly outcome: 'full'; readonly scope: 'fairBy' | 'queue'; readonly waiting: number };

/** An entry held by one worker, under a lease that is renewed until the handler returns. */
export interface Claim {
  readonly id: string;
  readonly lane: string;
  readonly payload: string;
  /** When it was added, unix milliseconds. */
  readonly addedAt: number;
  /** How many workers held the entry before and lost their lease, as by a crash. */
  readonly lapses: number;
  /** Aborts when the lease is found to be lost: another worker may hold the entry by now. */
  readonly signal: AbortSignal;
  /**
   * Replaces the payload; resolves when the new one is durable.
   * @returns false when the lease is lost, or the handler has returned; nothing was written then
   * @throws AppError `internal` when the store cannot be reached
   */
  save(payload: string): Promise<boolean>;
}

/** A handler's decision about a claimed entry. */
export type Verdict =
  /** The entry is over: only its id stays. */
  | { readonly done: true }
  /** The entry waits again for at least `afterMs`, without holding a worker; with 0, until all that wait now had their turn. */
  | { readonly done: false; readonly afterMs: number; readonly payload?: string };

/** Does the entry's work and decides what becomes of the entry. When a handler throws, that is logged and the entry waits for a moment. */
export type Handler = (claim: Claim) => Promise<Verdict>;

export interface QueueStats {
  /** Entries that are ready, and those that wait for their time. */
  readonly waiting: number;
  readonly running: number;
  /** When the oldest entry that could run now was added, unix milliseconds; undefined when there is none. */
  readonly oldestAt: number | undefined;
}

/**
 * Durable work, run at least once by one worker at a time and never again after it is done. The accounts of `fairBy` take turns: a new entry stands
 * behind the entries of its own account, but not behind the backlog of others. An entry that is not done after a week is dropped.
 *
 * A worker that dies loses its lease and another takes over; what the first one still tries to write is refused.
 *
 * @throws AppError `internal` from every method when the store cannot be reached
 */
export interface Queue {
  /** Keeps an entry; resolves when it is durable. The same id again changes nothing. */
  add(entry: QueueEntry): Promise<Added>;
  /** Starts to work: at most `concurrency` handlers at once in this process. To be called once. */
  work(handler: Handler, options: { readonly concurrency: number }): void;
  /** Allows a delayed entry to be claimed now. Unknown ids and running entries are ignored. */
  promote(id: string): Promise<void>;
  /** Ends an entry that no worker holds. False when there is none of that id. */
  cancel(id: string): Promise<boolean>;
  /** Ends all entries of that owner that no worker holds; returns how many they were. */
  forget(owner: string): Promise<number>;
  /** Unfinished entries that no worker holds, in the order of turns; for moving them to another queue. Their delays are left out. */
  unclaimed(): Promise<readonly QueueEntry[]>;
  /** Takes an entry out that no worker holds, as if it had never been added. False when there is none of that id. */
  remove(id: string): Promise<boolean>;
  stats(): Promise<QueueStats>;
  /** Claims no further entries; resolves when no handler runs. Adding still works. Safe to call twice. */
  drain(): Promise<void>;
  /** Closes connections and stops timers. Running entries are left to other workers, as if this process had died. Safe to call twice. */
  close(): Promise<void>;
}

/** Bounds and times of a queue, the same for every driver. */
export interface QueueLimits {
  /** Unfinished entries in all. */
  readonly entries: number;
  /** Unfinished entries with the same `fairBy`. */
  readonly entriesPerFairBy: number;
  /** Entries of one lane that run at once. */
  readonly perLane: number;
  /** A worker that has not renewed its lease for this long has lost it. */
  readonly leaseMs: number;
  /** How long ids of finished entries are known: gateways replay minutes, Telegram keeps updates for a day. */
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
