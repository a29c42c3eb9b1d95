import { ApiRefusal, badRequest } from './answer.ts';

export interface Webhook {
  readonly url: string;
  readonly secret: string | undefined;
  readonly maxConnections: number;
  readonly allowedUpdates: readonly string[];
}

export interface Delivery {
  /** HTTP status of the bot's answer; 0 when there was none. */
  readonly status: number;
  readonly body: string;
}

export type Update = Readonly<Record<string, unknown>> & { readonly update_id: number };

export interface Updates {
  readonly webhook: Webhook | undefined;
  readonly pending: readonly Update[];
  /** Somebody is waiting in getUpdates right now. */
  readonly isPolled: boolean;
  /** What the bot asked for last; empty means the default. */
  readonly allowedUpdates: readonly string[];
  /** @returns its update_id. */
  push(update: Readonly<Record<string, unknown>>): number;
  poll(ask: PollAsk, signal: AbortSignal): Promise<readonly Update[]>;
  setWebhook(webhook: Webhook | undefined, dropPending: boolean): void;
  /** Another instance asks for updates: who waits now is told so. */
  conflict(): void;
  /** One attempt, past the queue. */
  deliver(update: Readonly<Record<string, unknown>>, secret?: string | null): Promise<Delivery>;
  close(): void;
}

export interface PollAsk {
  readonly offset: number;
  readonly limit: number;
  readonly timeoutMs: number;
  readonly allowedUpdates: readonly string[] | undefined;
}

export interface UpdatesOptions {
  /** Sends an update to the bot's webhook. */
  readonly post: (webhook: Webhook, update: Update) => Promise<Delivery>;
  readonly problem: (what: string) => void;
}

const BY_REQUEST_ONLY = new Set(['chat_member', 'message_reaction', 'message_reaction_count']);
const ATTEMPTS = 5;
const RETRY_MS = 50;

interface Waiter {
  readonly wake: () => void;
  readonly refuse: (refusal: ApiRefusal) => void;
}

export function createUpdates({ post, problem }: UpdatesOptions): Updates {
  let pending: readonly Update[] = [];
  let allowed: readonly string[] = [];
  let webhook: Webhook | undefined;
  let waiter: Waiter | undefined;
  let lastId = 870_000_000;
  let isDelivering = false;
  let closed = false;

  function isWanted(update: Update): boolean {
    const kind = Object.keys(update).find(key => key !== 'update_id') ?? '';
    return allowed.length === 0 ? !BY_REQUEST_ONLY.has(kind) : allowed.includes(kind);
  }

  function numbered(update: Readonly<Record<string, unknown>>): Update {
    lastId++;
    return { ...update, update_id: lastId };
  }

  /** In order, one at a time; what the bot does not take is offered again. */
  async function deliverAll(): Promise<void> {
    for (let attempt = 1; webhook !== undefined && !closed; ) {
      const update = pending[0];
      if (update === undefined) return;
      const { status } = await post(webhook, update);
      if ((status >= 200 && status < 300) || attempt === ATTEMPTS) {
        pending = pending.filter(one => one !== update);
        attempt = 1;
      } else {
        attempt++;
        await pause(RETRY_MS);
      }
    }
  }

  function conflict(): void {
    const cause = 'terminated by other getUpdates request; make sure that only one bot instance is running';
    waiter?.refuse(new ApiRefusal(409, `Conflict: ${cause}`));
  }

  function startDelivery(): void {
    if (webhook === undefined || isDelivering) return;
    isDelivering = true;
    deliverAll()
      .catch((error: unknown) => problem(`webhook: ${String(error)}`))
      .finally(() => {
        isDelivering = false;
      });
  }

  return {
    get webhook() {
      return webhook;
    },
    get pending() {
      return pending;
    },
    get allowedUpdates() {
      return allowed;
    },
    get isPolled() {
      return waiter !== undefined;
    },
    push: update => {
      const next = numbered(update);
      if (!isWanted(next)) return next.update_id;
      pending = [...pending, next];
      waiter?.wake();
      startDelivery();
      return next.update_id;
    },
    poll: async ({ offset, limit, timeoutMs, allowedUpdates }, signal) => {
      if (webhook !== undefined) {
        const cause =
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        throw new ApiRefusal(409, `Conflict: ${cause}`);
      }
      conflict();
      if (allowedUpdates !== undefined) allowed = allowedUpdates;
      if (offset < 0) pending = pending.slice(offset);
      else pending = pending.filter(update => update.update_id >= offset);
      if (pending.length === 0 && timeoutMs > 0 && !closed && !signal.aborted) {
        await waitForUpdate(timeoutMs, signal);
      }
      return pending.slice(0, limit);
    },
    setWebhook: (next, dropPending) => {
      webhook = next;
      if (next !== undefined) {
        allowed = next.allowedUpdates;
        waiter?.refuse(new ApiRefusal(409, 'Conflict: terminated by setWebhook request'));
      }
      if (dropPending) pending = [];
      startDelivery();
    },
    conflict,
    deliver: (update, secret) => {
      if (webhook === undefined) throw badRequest('no webhook is set');
      return post(secret === undefined ? webhook : { ...webhook, secret: secret ?? undefined }, numbered(update));
    },
    close: () => {
      closed = true;
      waiter?.wake();
    },
  };

  function waitForUpdate(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(wake, timeoutMs).unref();
      const mine: Waiter = {
        wake,
        refuse: refusal => {
          end();
          reject(refusal);
        },
      };
      function end(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        if (waiter === mine) waiter = undefined;
      }
      function wake(): void {
        end();
        resolve();
      }
      signal.addEventListener('abort', wake, { once: true });
      waiter = mine;
    });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms).unref();
  });
}
