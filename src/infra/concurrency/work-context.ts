import { AsyncLocalStorage } from 'node:async_hooks';

interface LineClock {
  /** Awaits a turn, and counts how long that takes. */
  count<T>(turn: Promise<T>): Promise<T>;
}

/** What goes along with the running work, wherever it leads. */
export interface WorkContext {
  /** On whose behalf it is done. */
  readonly client: string;
  /** Of whoever wants to know how long it stood in our own lines. */
  readonly clock: LineClock | undefined;
}

const NONE: WorkContext = { client: '', clock: undefined };
// One for all: every promise pays for each.
const contexts = new AsyncLocalStorage<WorkContext>();

export function workContext(): WorkContext {
  return contexts.getStore() ?? NONE;
}

export function withContext<T>(changes: Partial<WorkContext>, work: () => T): T {
  return contexts.run({ ...workContext(), ...changes }, work);
}
