import { createTargetGuard, isLoopbackHost, type ResolveHost, refuseNonPublic } from './address-guard.ts';
import { createBrowserExchange } from './browser-exchange.ts';
import { type BrowserPackage, type BrowserTarget, createBrowserConnections, unavailable } from './browser-package.ts';
import type { Transport, TransportOptions } from './exchange.ts';

export interface BrowserTransportOptions extends TransportOptions {
  readonly browserPackage: BrowserPackage;
}

/**
 * Sends requests with a browser's TLS and HTTP/2. Certificates are checked against Mozilla's list and the system's. The
 * package resolves no host of a site itself: it connects to the addresses that Medley has checked.
 */
export function createBrowserTransport(options: BrowserTransportOptions): Transport {
  const { overrides, resolve, browserPackage, headersTimeoutMs, pauseTimeoutMs } = options;
  const guardTarget = createTargetGuard(resolve);
  const connections = createBrowserConnections(async target => {
    const browser = await browserPackage.load();
    return browser.connect({
      ...target,
      connectTimeout: options.connectTimeoutMs,
      // An answer whose body is no longer read is released after this long.
      readTimeout: Math.max(headersTimeoutMs, pauseTimeoutMs),
    });
  });

  function createExchange(host: string, findTarget: () => BrowserTarget | Promise<BrowserTarget>) {
    return createBrowserExchange({
      host,
      browser: browserPackage.load,
      connections,
      findTarget,
      headersTimeoutMs,
      pauseTimeoutMs,
    });
  }

  /** Loads the package. The throttle counts a request only afterwards, so one that cannot be sent costs nothing. */
  function load(): Promise<void> | undefined {
    return browserPackage.browser === undefined ? browserPackage.load().then(() => undefined) : undefined;
  }

  return {
    route(host, { proxyUrl, localAddress }) {
      const override = overrides?.find(host);
      if (override !== undefined) {
        return { overridden: true, prepare: load, exchange: createExchange(host, () => bindOverride(host, override)) };
      }
      if (proxyUrl !== undefined) {
        // The scheme `socks5h:` makes the proxy resolve the target's name.
        const proxy = proxyUrl.replace(/^socks5:/, 'socks5h:');
        return {
          overridden: false,
          async prepare(deadline) {
            await load();
            await guardTarget(host, deadline);
          },
          exchange: createExchange(host, () => ({ origin: `https://${host}`, options: { proxy } })),
        };
      }
      // The package cannot choose the local address of a connection, so a configured one cannot be honoured.
      if (localAddress !== undefined) throw unavailable();
      return { overridden: false, prepare: load, exchange: createExchange(host, () => bindPublic(host, resolve)) };
    },
    async close() {
      connections.close();
    },
  };
}

async function bindPublic(host: string, resolve: ResolveHost): Promise<BrowserTarget> {
  const found = await resolve(host);
  const refusal = refuseNonPublic(host, found);
  if (refusal !== undefined) throw refusal;
  if (found.length === 0) throw new Error(`${host} has no address`);
  return { origin: `https://${host}`, options: { resolve: { [host]: found.map(({ address }) => address) } } };
}

/** The target of an overridden host. On loopback it keeps the host's name, which the TLS greeting contains. */
function bindOverride(host: string, override: string): BrowserTarget {
  const { protocol, hostname, port } = new URL(override);
  if (!isLoopbackHost(hostname)) return { origin: override, options: {} };
  const addresses = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[(.*)\]$/, '$1')];
  const origin = `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
  return { origin, options: { resolve: { [host]: addresses }, insecure: protocol === 'https:' } };
}
