import { actingClient } from './client-context.ts';
import { createSemaphore, type Semaphore, type SemaphoreOptions } from './semaphore.ts';

/** A semaphore of its own for each acting client: `atOnce` and `maxWaiting` are one client's. */
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
      let isGone = false;
      return () => {
        if (isGone) return;
        isGone = true;
        leave();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  };
}
