import { AsyncLocalStorage } from 'node:async_hooks';

/** When a piece of work went from us to those whom it asks. */
export interface Departure {
  /** By `performance.now()`; undefined while it stands in one of our own lines, which says nothing of how quick they are. */
  at: number | undefined;
}

/** Values that go along with the running work, wherever it leads. */
export interface WorkContext {
  /** On whose behalf it is done. */
  readonly client: string;
  /** Kept up for callers that want to know. */
  readonly departure: Departure | undefined;
  /** The name of the address by which sites are asked; undefined leaves it open. */
  readonly outgoing: string | undefined;
}

const NONE: WorkContext = { client: '', departure: undefined, outgoing: undefined };
// One for all: every promise pays for each.
const contexts = new AsyncLocalStorage<WorkContext>();

export function workContext(): WorkContext {
  return contexts.getStore() ?? NONE;
}

export function withContext<T>(changes: Partial<WorkContext>, work: () => T): T {
  return contexts.run({ ...workContext(), ...changes }, work);
}

/** Awaits the running work's turn in one of our lines. */
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
 * Does work on behalf of a client, such as `192.0.2.7` or `discord:80351110224678912`. Whatever that work waits for in a line that all
 * share, it waits for in the client's own part of the line. Set where requests come in; between there and the line nothing else knows
 * of it, as nothing but the line cares who asks.
 */
export function actFor<T>(client: string, work: () => T): T {
  return withContext({ client }, work);
}

/** On whose behalf the running work is done; all that Medley does by itself is of one client, `''`. */
export function actingClient(): string {
  return workContext().client;
}
