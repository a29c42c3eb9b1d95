import { Agent, DecoratorHandler, type Dispatcher } from 'undici-for-discord';

/**
 * An agent that knows of failed requests whether they were sent as a whole: what was not, Discord cannot have acted upon. It is named to
 * discord.js, not the process' global one: that belongs to the undici that was loaded first, and on one of another major version than
 * discord.js brings (6) every upload fails with "action is not a function" (undici 7.30, seen 2026-11).
 */
export class WatchedAgent extends Agent {
  readonly #cutShort = new WeakSet<Error>();

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandlers): boolean {
    return super.dispatch(options, new SentWatch(handler, this.#cutShort));
  }

  /** Whether a request failed with this before all of it was sent; false for all that is not known. */
  wasCutShort(error: unknown): boolean {
    return error instanceof Error && this.#cutShort.has(error);
  }
}

class SentWatch extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandlers;
  readonly #cutShort: WeakSet<Error>;
  #isSent = false;

  constructor(handler: Dispatcher.DispatchHandlers, cutShort: WeakSet<Error>) {
    super(handler);
    this.#handler = handler;
    this.#cutShort = cutShort;
  }

  /** Called by undici 6, though its types do not have it. */
  onRequestSent(): void {
    this.#isSent = true;
  }

  onError(error: Error): void {
    // One failure may end several requests: then it says nothing certain.
    if (this.#isSent) this.#cutShort.delete(error);
    else this.#cutShort.add(error);
    this.#handler.onError?.(error);
  }
}
