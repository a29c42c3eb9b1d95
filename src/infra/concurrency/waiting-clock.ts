import { withContext, workContext } from './work-context.ts';

/** How long a piece of work has stood in our own lines, which says nothing of how quick those are whom it asks. */
export class WaitingClock {
  #turns = 0;
  #since = 0;
  #endedMs = 0;

  /** Milliseconds; turns that are waited for side by side count once. */
  get waitedMs(): number {
    return this.isWaiting ? this.#endedMs + performance.now() - this.#since : this.#endedMs;
  }

  get isWaiting(): boolean {
    return this.#turns > 0;
  }

  /** Whatever the work awaits by `waitInLine` is counted here. */
  measure<T>(work: () => T): T {
    return withContext({ clock: this }, work);
  }

  async count<T>(turn: Promise<T>): Promise<T> {
    if (this.#turns === 0) this.#since = performance.now();
    this.#turns += 1;
    try {
      return await turn;
    } finally {
      if (this.#turns === 1) this.#endedMs = this.waitedMs;
      this.#turns -= 1;
    }
  }
}

/** Awaits the running work's turn in one of our lines. */
export function waitInLine<T>(turn: Promise<T>): Promise<T> {
  return workContext().clock?.count(turn) ?? turn;
}
