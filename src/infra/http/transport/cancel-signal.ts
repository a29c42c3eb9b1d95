/**
 * Cancels a request of the package without losing an answer that arrives at the same moment. By an ordinary signal the package gives
 * the request up at once, and the body of such an answer, which only the answer could release, stays open for five minutes and keeps
 * its share of the connection's window. By this one the request ends when its native side ends it: with the answer, or as aborted.
 * The package first cancels, then asks for the reason of the abort in order to give up: there is none.
 */
export class CancelSignal extends EventTarget implements AbortSignal {
  readonly onabort = null;
  #isCancelled = false;
  #listener: (() => void) | undefined;

  get aborted(): boolean {
    return this.#isCancelled;
  }

  get reason(): never {
    throw new CancelledByUs();
  }

  throwIfAborted(): void {
    if (this.#isCancelled) throw new CancelledByUs();
  }

  override addEventListener(_type: string, listener: unknown): void {
    if (typeof listener === 'function') this.#listener = () => void listener();
  }

  override removeEventListener(): void {
    this.#listener = undefined;
  }

  cancel(): void {
    this.#isCancelled = true;
    try {
      this.#listener?.();
    } catch (error) {
      if (!(error instanceof CancelledByUs)) throw error;
    }
  }
}

class CancelledByUs extends Error {}
