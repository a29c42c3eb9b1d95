import type { CreateTransportOptions, Transport } from 'wreq-js';
import type { ConnectionWatch } from './connection-watch.ts';

type Package = typeof import('wreq-js');

const created = new WeakMap<Transport, CreateTransportOptions>();
const attempts: string[] = [];

/**
 * The package of the browser transport, which connects past Node's own sockets, with every request noted before it is really made:
 * `vi.mock('wreq-js', async importOriginal => (await import('.../browser-watch.ts')).watchPackage(await importOriginal()))`.
 */
export function watchPackage(original: Package): Package {
  return {
    ...original,
    async createTransport(options) {
      const transport = await original.createTransport(options);
      created.set(transport, options ?? {});
      return transport;
    },
    fetch(input, init) {
      const address = typeof input === 'string' || input instanceof URL ? new URL(input) : new URL(input.url);
      attempts.push(describe(address, init?.transport === undefined ? undefined : created.get(init.transport)));
      return original.fetch(input, init);
    },
  };
}

/** Where the package was asked to connect since: the addresses it was bound to, or the proxy, and the port. */
export function watchBrowserConnections(): ConnectionWatch {
  const from = attempts.length;
  return { attempts: () => attempts.slice(from) };
}

function describe({ hostname, port, protocol }: URL, options: CreateTransportOptions = {}): string {
  if (options.proxy !== undefined) return new URL(options.proxy).host;
  const addresses = options.resolve?.[hostname];
  return `${addresses === undefined ? `${hostname}, not bound,` : [addresses].flat().join(' or ')}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
