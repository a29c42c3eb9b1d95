import type { Transport } from 'wreq-js';
import { createLru } from '../../cache/cache.ts';
import type { BrowserConnectionOptions } from './browser-package.ts';

/** The origin that a request of the browser transport goes to, and how it is reached. */
export interface BrowserTarget {
  /** Scheme, host and port of its address. */
  readonly origin: string;
  /** Addresses that `origin` is bound to, or a proxy. Targets of equal options share their connections. */
  readonly options: Pick<BrowserConnectionOptions, 'resolve' | 'proxy' | 'insecure'>;
}

export type BrowserConnections = ReturnType<typeof createBrowserConnections>;

/** Each holds 1.3 MB, most of it certificates. */
const MAX_TARGETS = 16;

interface Shared {
  readonly transport: Promise<Transport>;
  users: number;
  isEvicted: boolean;
}

/** The connections, apart by vetted addresses and bounded in number: the ones used longest ago are closed first. */
export function createBrowserConnections(connect: (options: BrowserTarget['options']) => Promise<Transport>) {
  const shared = createLru<string, Shared>({
    max: MAX_TARGETS,
    dispose: each => {
      each.isEvicted = true;
      closeUnused(each);
    },
  });

  function open(key: string, target: BrowserTarget): Shared {
    const opened: Shared = { transport: connect(target.options), users: 0, isEvicted: false };
    shared.set(key, opened);
    // The request that needs it reports the failure.
    opened.transport.catch(() => shared.delete(key));
    return opened;
  }

  return {
    acquire(target: BrowserTarget) {
      const key = describe(target.options);
      const used = shared.get(key) ?? open(key, target);
      used.users += 1;
      return {
        transport: used.transport,
        /** To be called once, when the request is over. */
        release: () => {
          used.users -= 1;
          closeUnused(used);
        },
      };
    },
    close: () => shared.clear(),
  };
}

/** Requests under way keep theirs. */
function closeUnused({ transport, users, isEvicted }: Shared): void {
  if (!isEvicted || users > 0) return;
  transport.then(
    opened => opened.close(),
    // It was never opened.
    () => undefined,
  );
}

function describe({ resolve = {}, proxy = '', insecure = false }: BrowserTarget['options']): string {
  const pinned = Object.entries(resolve).map(([host, addresses]) => [host, [addresses].flat().sort()]);
  return JSON.stringify([pinned, proxy, insecure]);
}
