/** This file holds the values that belong to the running work, and the semaphores where it waits for its turn. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../../errors.ts';
import { abortReason } from './abortable.ts';

/** The moment at which a piece of work sent its request to a server. */
export interface Departure {
  /** The time by `performance.now()`; undefined while the work waits in Medley's own queues and not for the server. */
  at: number | undefined;
}

/** Values that belong to the running work and are passed to its asynchronous calls by AsyncLocalStorage. */
export interface WorkContext {
  /** The client for whom the work is done, such as `192.0.2.7`; '' for work that Medley does by itself. */
  readonly client: string;
  /** When the work sent its request to a server, noted for callers that measure how long the server takes. */
  readonly departure: Departure | undefined;
  /** The name of the outgoing address for requests to sites; undefined: any address may be chosen. */
  readonly outgoing: string | undefined;
  /** Called from time to time with the milliseconds left while a video is encoded; undefined without a listener. */
  readonly onEncoding: ((leftMs: number) => void) | undefined;
}

const NONE: WorkContext = { client: '', departure: undefined, outgoing: undefined, onEncoding: undefined };
// All values share one storage, because each AsyncLocalStorage makes every promise slower.
const contexts = new AsyncLocalStorage<WorkContext>();

export function workContext(): WorkContext {
  return contexts.getStore() ?? NONE;
}

export function withContext<T>(changes: Partial<WorkContext>, work: () => T): T {
  return contexts.run({ ...workContext(), ...changes }, work);
}

/** Waits for a turn in one of Medley's own queues; this wait does not count as time that the server took. */
export async function waitInQueue<T>(turn: Promise<T>): Promise<T> {
  const { departure } = workContext();
  if (departure === undefined) return turn;
  departure.at = undefined;
  try {
    return await turn;
  } finally {
    departure.at = performance.now();
  }
}

/**
 * Does work for a client, such as `192.0.2.7` or `discord:80351110224678912`. Fair queues that the work waits in read
 * the client from here; so no function between the route or chat event and the queue has to pass it on.
 */
export function actFor<T>(client: string, work: () => T): T {
  return withContext({ client }, work);
}

/** The client for whom the running work is done; `''` for work that Medley does by itself. */
export function actingClient(): string {
  return workContext().client;
}

/** Waits for a slot; the function it resolves with frees the slot and may be called twice. */
export type Semaphore = (signal: AbortSignal) => Promise<() => void>;

export interface SemaphoreOptions {
  /** How many callers may hold a slot at the same time. */
  readonly atOnce: number;
  /** How many callers may wait for a slot before callers are refused. */
  readonly maxWaiting: number;
  /** The name of the semaphore in error messages. */
  readonly name: string;
  /** Creates the error of a caller for whom there is no room in the queue. Default `upstream_unavailable`. */
  readonly full?: () => AppError;
}

interface Waiter {
  readonly enter: () => void;
  readonly refuse: () => void;
}

/**
 * Lets `atOnce` callers run; the others wait in a fair queue, or are dropped when their signal aborts. When the queue
 * is full, the client with the most waiting callers loses its last one to a client that has fewer.
 * @throws AppError `full()` when the queue is full, `timeout` or the signal's own AppError when it aborts
 */
export function createSemaphore({ atOnce, maxWaiting, name, full }: SemaphoreOptions): Semaphore {
  const waiting = new FairQueue<Waiter>();
  const refusal = () => full?.() ?? new AppError('upstream_unavailable', `too many wait for ${name}`);
  let inside = 0;
  const leave = () => {
    inside -= 1;
    waiting.shift()?.enter();
  };

  return signal =>
    new Promise((resolve, reject) => {
      const client = actingClient();
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        inside += 1;
        resolve(once(leave));
      };
      const refuse = () => {
        signal.removeEventListener('abort', giveUp);
        reject(refusal());
      };
      const waiter = { enter, refuse };
      const giveUp = () => {
        waiting.remove(client, waiter);
        reject(abortReason(signal, `${name} was given up`));
      };
      if (signal.aborted) return giveUp();
      if (inside < atOnce) return enter();
      if (waiting.size >= maxWaiting) {
        const displaced = waiting.yieldTo(client);
        if (displaced === undefined) return reject(refusal());
        displaced.refuse();
      }
      waiting.add(client, waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
}

/** A function that calls `act` the first time it is called, and does nothing after that. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** Runs the work in a slot of the semaphore. @throws AppError as `createSemaphore`, and any error of the work */
export async function inTurn<T>(enter: Semaphore, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const leave = await enter(signal);
  try {
    return await work();
  } finally {
    leave();
  }
}

/** A separate semaphore for each client (see `actingClient`): `atOnce` and `maxWaiting` are bounds of one client. */
export function createClientSemaphore(options: SemaphoreOptions): Semaphore {
  const clients = new Map<string, { readonly enter: Semaphore; users: number }>();

  return async signal => {
    const client = actingClient();
    const own = clients.get(client) ?? { enter: createSemaphore(options), users: 0 };
    clients.set(client, own);
    own.users += 1;
    const forget = () => {
      own.users -= 1;
      if (own.users === 0) clients.delete(client);
    };
    try {
      const leave = await own.enter(signal);
      return once(() => {
        leave();
        forget();
      });
    } catch (error) {
      forget();
      throw error;
    }
  };
}

interface ClientQueue<T> {
  readonly waiters: Set<T>;
  /** The round in which the client is served next. It is later than the current round if the client was just served. */
  turn: number;
}

/**
 * A fair queue: clients are served in rounds, one waiter each, so that a client with many waiters delays another by one
 * waiter at most. A client not served lately comes next. One client's waiters keep their order.
 */
export class FairQueue<T> {
  /** The queues by client. An empty one stays until its next round, so that a client gains no turn by leaving it. */
  readonly #queues = new Map<string, ClientQueue<T>>();
  /** The round of the client that was served last. */
  #now = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(client: string, waiter: T): void {
    const queue = this.#queues.get(client) ?? { waiters: new Set(), turn: this.#now };
    if (queue.waiters.size === 0) queue.turn = Math.max(queue.turn, this.#now);
    queue.waiters.add(waiter);
    this.#queues.set(client, queue);
    this.#size += 1;
  }

  /** True when a client waits that was not served yet in the current round. */
  get isNextFresh(): boolean {
    for (const { waiters, turn } of this.#queues.values()) if (waiters.size > 0 && turn <= this.#now) return true;
    return false;
  }

  /** Removes a waiter; does nothing for one that is not in the queue. */
  remove(client: string, waiter: T): void {
    if (this.#queues.get(client)?.waiters.delete(waiter) === true) this.#left();
  }

  /** Takes out the waiter to be served next; undefined when there is none. */
  shift(): T | undefined {
    let next: ClientQueue<T> | undefined;
    for (const [client, queue] of this.#queues) {
      if (queue.waiters.size > 0) {
        if (next === undefined || queue.turn < next.turn) next = queue;
      } else if (queue.turn <= this.#now) this.#queues.delete(client);
    }
    const [waiter] = next?.waiters ?? [];
    if (next === undefined || waiter === undefined) return undefined;
    next.waiters.delete(waiter);
    this.#now = next.turn;
    next.turn += 1;
    this.#left();
    return waiter;
  }

  /** Counts one waiter less. When none is left, all rounds are forgotten. */
  #left(): void {
    this.#size -= 1;
    if (this.#size > 0) return;
    this.#queues.clear();
    this.#now = 0;
  }

  /**
   * Makes room for a new waiter of `client`: takes out and returns the last waiter of the client with the most waiters.
   * Returns undefined if no client has more waiters than `client` would have with the new one.
   */
  yieldTo(client: string): T | undefined {
    let richest: ClientQueue<T> | undefined;
    let longest = (this.#queues.get(client)?.waiters.size ?? 0) + 1;
    for (const queue of this.#queues.values()) {
      if (queue.waiters.size > longest) [richest, longest] = [queue, queue.waiters.size];
    }
    const last = [...(richest?.waiters ?? [])].at(-1);
    if (richest === undefined || last === undefined) return undefined;
    richest.waiters.delete(last);
    this.#left();
    return last;
  }
}
