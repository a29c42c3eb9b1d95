import { Agent, DecoratorHandler, type Dispatcher } from 'undici-for-discord';

/**
 * An agent that knows of failed requests whether they were sent as a whole: what was not, Discord cannot have acted upon. It is named to
 * discord.js, not the process' global one: that belongs to the undici that was loaded first, and on one of another major version than
 * discord.js brings (6) every upload fails with "action is not a function" (undici 7.30, seen 2026-11).
 */
export class WatchedAgent extends Agent {
  readonly #sent = new WeakMap<Error, boolean>();

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandlers): boolean {
    return super.dispatch(options, new SentWatch(handler, this.#sent));
  }

  /** Whether a request that failed with this had been sent as a whole; undefined when it failed elsewhere: before its turn, or when read. */
  wasSent(error: unknown): boolean | undefined {
    return error instanceof Error ? this.#sent.get(error) : undefined;
  }
}

class SentWatch extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandlers;
  readonly #sent: WeakMap<Error, boolean>;
  #isSent = false;

  constructor(handler: Dispatcher.DispatchHandlers, sent: WeakMap<Error, boolean>) {
    super(handler);
    this.#handler = handler;
    this.#sent = sent;
  }

  /** Called by undici 6, though its types do not have it. */
  onRequestSent(): void {
    this.#isSent = true;
  }

  onError(error: Error): void {
    // One failure may end several requests: then it is only certain of all or none.
    this.#sent.set(error, this.#isSent || this.#sent.get(error) === true);
    this.#handler.onError?.(error);
  }
}
