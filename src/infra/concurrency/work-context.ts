import { AsyncLocalStorage } from 'node:async_hooks';

/** The moment at which a piece of work was sent to the servers that it asks. */
export interface Departure {
  /** By `performance.now()`; undefined while the work waits in a queue of our own, since that time says nothing about how quick those servers are. */
  at: number | undefined;
}

/** Values that belong to the running work and follow its asynchronous calls. */
export interface WorkContext {
  /** The client on whose behalf the work is done. */
  readonly client: string;
  /** Kept up to date for callers that measure how long a server takes. */
  readonly departure: Departure | undefined;
  /** The name of the outgoing address for requests to sites; undefined leaves the choice open. */
  readonly outgoing: string | undefined;
  /** Hears, now and then, how many milliseconds an encoding takes still that the work waits for. */
  readonly onEncoding: ((leftMs: number) => void) | undefined;
}

const NONE: WorkContext = { client: '', departure: undefined, outgoing: undefined, onEncoding: undefined };
// There is one storage for all values, because each AsyncLocalStorage makes every promise slower.
const contexts = new AsyncLocalStorage<WorkContext>();

export function workContext(): WorkContext {
  return contexts.getStore() ?? NONE;
}

export function withContext<T>(changes: Partial<WorkContext>, work: () => T): T {
  return contexts.run({ ...workContext(), ...changes }, work);
}

/** Awaits the running work's turn in one of our own queues; that time does not count as the server's. */
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
 * Does work on behalf of a client, such as `192.0.2.7` or `discord:80351110224678912`. Wherever that work waits in a line that clients share, it
 * waits in that client's part of the line. It is set where requests come in and read by the line alone, so no function between the two passes the
 * client on.
 */
export function actFor<T>(client: string, work: () => T): T {
  return withContext({ client }, work);
}

/** The client on whose behalf the running work is done; work that Medley does by itself belongs to the client `''`. */
export function actingClient(): string {
  return workContext().client;
}
