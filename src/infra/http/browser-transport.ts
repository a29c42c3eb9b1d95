import { createTargetGuard, isLoopbackHost, type ResolveHost, refuseNonPublic } from './address-guard.ts';
import { exchangeByBrowser } from './browser-exchange.ts';
import { type BrowserPackage, type BrowserTarget, createBrowserConnections, unavailable } from './browser-package.ts';
import type { Target, Transport, TransportOptions } from './exchange.ts';

export interface BrowserTransportOptions extends TransportOptions {
  readonly browserPackage: BrowserPackage;
}

/**
 * Sends requests with a browser's TLS and HTTP/2, by wreq-js. Certificates are checked against Mozilla's list and the
 * system's. wreq-js resolves no host of a site itself: it connects to the addresses that Medley has checked.
 */
export function createBrowserTransport(options: BrowserTransportOptions): Transport {
  const { resolve, browserPackage, headersTimeoutMs, pauseTimeoutMs } = options;
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

  function bind({ host, override, address: { proxyUrl } }: Target): BrowserTarget | Promise<BrowserTarget> {
    if (override !== undefined) return bindOverride(host, override);
    if (proxyUrl === undefined) return bindPublic(host, resolve);
    // The scheme `socks5h:` makes the proxy resolve the target's name.
    return { origin: `https://${host}`, options: { proxy: proxyUrl.replace(/^socks5:/, 'socks5h:') } };
  }

  return {
    async prepare({ host, override, address: { proxyUrl, localAddress } }, deadline) {
      const isDirect = override === undefined && proxyUrl === undefined;
      // wreq-js cannot choose the local address of a connection, so it cannot be used where one is configured.
      if (isDirect && localAddress !== undefined) throw unavailable();
      // The package is loaded before the throttle counts the request, so a request that cannot be sent uses no budget.
      if (browserPackage.browser === undefined) await browserPackage.load();
      if (override === undefined && proxyUrl !== undefined) await guardTarget(host, deadline);
    },
    exchange: (target, request) =>
      exchangeByBrowser({ ...options, host: target.host, connections, findTarget: () => bind(target) }, request),
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

/** The target of an overridden host. On loopback the URL keeps the host's own name, which TLS sends to the server. */
function bindOverride(host: string, override: string): BrowserTarget {
  const { protocol, hostname, port } = new URL(override);
  if (!isLoopbackHost(hostname)) return { origin: override, options: {} };
  const addresses = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[(.*)\]$/, '$1')];
  const origin = `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
  return { origin, options: { resolve: { [host]: addresses }, insecure: protocol === 'https:' } };
}
