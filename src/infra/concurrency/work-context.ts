import { AsyncLocalStorage } from 'node:async_hooks';

/** The moment at which a piece of work sent its request to a server. */
export interface Departure {
  /** By `performance.now()`. Undefined during a wait in Medley's own queues, which is not the server's time. */
  at: number | undefined;
}

/** Values that belong to the running work and are passed to its asynchronous calls by AsyncLocalStorage. */
export interface WorkContext {
  /** The client for whom the work is done. */
  readonly client: string;
  /** The work updates it for callers that measure how long a server takes. */
  readonly departure: Departure | undefined;
  /** The name of the outgoing address for requests to sites; undefined: any address may be chosen. */
  readonly outgoing: string | undefined;
  /** Called now and then, while the work waits for a video to be encoded, with the milliseconds that are left. */
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

/** Waits in one of Medley's own queues; that time does not count as the server's. */
export async function waitInLine<T>(turn: Promise<T>): Promise<T> {
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
