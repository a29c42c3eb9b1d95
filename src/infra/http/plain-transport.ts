import { isIP } from 'node:net';
import { Agent, buildConnector, Pool, ProxyAgent } from 'undici';
import { AppError } from '../../errors.ts';
import { createGuardedLookup, isLoopbackHost } from './address-guard.ts';
import { createPlainExchange } from './plain-exchange.ts';
import { createTargetGuard } from './target-guard.ts';
import type { Transport, TransportOptions } from './transport.ts';

export interface PlainTransportOptions extends TransportOptions {
  /** Certificates (PEM) trusted instead of Node's own. */
  readonly ca?: string | undefined;
  /** To one host at once. */
  readonly connectionsPerHost: number;
}

const MAX_ORIGINS = 256;

/** Node's own TLS and HTTP/1.1, by undici. */
export function createPlainTransport(options: PlainTransportOptions): Transport {
  const { overrides, proxyUrl, resolve, turns } = options;
  const pool = {
    connections: options.connectionsPerHost,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.pauseTimeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
  };
  const toPublic = new Agent({ ...pool, maxOrigins: MAX_ORIGINS, connect: createGuardedConnector(options) });
  const toOverrides = new Agent({ ...pool, connect: createOverrideConnector(options) });
  const toProxy = proxyUrl === undefined ? undefined : createProxyAgent(proxyUrl, pool, options);
  const guardTarget = createTargetGuard(resolve);

  return {
    route(host, proxy) {
      const override = overrides?.find(host);
      if (override !== undefined) {
        return {
          overridden: true,
          prepare: () => undefined,
          exchange: createPlainExchange(toOverrides, override, turns),
        };
      }
      const isProxied = toProxy !== undefined && proxy !== 'never';
      return {
        overridden: false,
        prepare: deadline => (isProxied ? guardTarget(host, deadline) : undefined),
        exchange: createPlainExchange(isProxied ? toProxy : toPublic, `https://${host}`, turns),
      };
    },
    async close() {
      await Promise.all([toPublic.destroy(), toOverrides.destroy(), toProxy?.destroy()]);
    },
  };
}

function createGuardedConnector(options: PlainTransportOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: createGuardedLookup(options.resolve),
    ...(options.ca === undefined ? undefined : { ca: options.ca }),
  });
  return (target, callback) => {
    // Sockets look up names only, so an IP address would get past the guard.
    if (isIP(target.hostname) === 0) connect(target, callback);
    else callback(new AppError('forbidden', `an IP address is not allowed: ${target.hostname}`), null);
  };
}

function createOverrideConnector({ connectTimeoutMs, ca }: PlainTransportOptions): buildConnector.connector {
  const toLoopback = buildConnector({ timeout: connectTimeoutMs, rejectUnauthorized: false });
  const toOthers = buildConnector({ timeout: connectTimeoutMs, ...(ca === undefined ? undefined : { ca }) });
  return (target, callback) => {
    const connect = isLoopbackHost(target.hostname) ? toLoopback : toOthers;
    // Its name is its own, not that of the host in the Host header.
    connect({ ...target, servername: isIP(target.hostname) === 0 ? target.hostname : '' }, callback);
  };
}

function createProxyAgent(proxyUrl: string, pool: Pool.Options, options: PlainTransportOptions): ProxyAgent {
  const connectTimeout = { timeout: options.connectTimeoutMs };
  return new ProxyAgent({
    ...pool,
    uri: proxyUrl,
    maxOrigins: MAX_ORIGINS,
    proxyTls: connectTimeout,
    requestTls: options.ca === undefined ? connectTimeout : { ...connectTimeout, ca: options.ca },
    clientFactory: (origin, clientOptions) =>
      new Pool(origin, { ...clientOptions, headersTimeout: options.connectTimeoutMs }),
  });
}
