import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { AppError } from '../../../errors.ts';
import { createGuardedLookup, createTargetGuard, isLoopbackHost } from './address-guard.ts';
import type { OutgoingAddress } from './outgoing.ts';
import { createPlainExchange } from './plain-exchange.ts';
import { createSocksConnector } from './socks-connector.ts';
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
  const { overrides, resolve, turns } = options;
  const pool = {
    connections: options.connectionsPerHost,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.pauseTimeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
  };
  const toOverrides = new Agent({ ...pool, connect: createOverrideConnector(options) });
  /** By the name of the outgoing address; as many as are configured. */
  const agents = new Map<string, Dispatcher>();
  const guardTarget = createTargetGuard(resolve);

  function agentOf(outgoing: OutgoingAddress): Dispatcher {
    const agent = agents.get(outgoing.name) ?? openAgent(outgoing, { ...pool, maxOrigins: MAX_ORIGINS }, options);
    agents.set(outgoing.name, agent);
    return agent;
  }

  return {
    route(host, outgoing) {
      const override = overrides?.find(host);
      if (override !== undefined) {
        return {
          overridden: true,
          prepare: () => undefined,
          exchange: createPlainExchange(toOverrides, override, turns),
        };
      }
      return {
        overridden: false,
        prepare: deadline => (outgoing.proxyUrl === undefined ? undefined : guardTarget(host, deadline)),
        exchange: createPlainExchange(agentOf(outgoing), `https://${host}`, turns),
      };
    },
    async close() {
      await Promise.all([toOverrides, ...agents.values()].map(agent => agent.destroy()));
    },
  };
}

function openAgent({ proxyUrl, localAddress }: OutgoingAddress, pool: Agent.Options, options: PlainTransportOptions) {
  if (proxyUrl === undefined) return new Agent({ ...pool, connect: createGuardedConnector(options, localAddress) });
  const { connectTimeoutMs: timeout, ca } = options;
  const tls = { timeout, ...(ca === undefined ? undefined : { ca }) };
  if (proxyUrl.startsWith('socks5:')) {
    return new Agent({ ...pool, connect: createSocksConnector(proxyUrl, timeout, buildConnector(tls)) });
  }
  return new ProxyAgent({
    ...pool,
    uri: proxyUrl,
    proxyTls: tls,
    requestTls: tls,
    clientFactory: (origin, clientOptions) => new Pool(origin, { ...clientOptions, headersTimeout: timeout }),
  });
}

function createGuardedConnector(
  { connectTimeoutMs, ca, resolve }: PlainTransportOptions,
  localAddress: OutgoingAddress['localAddress'],
): buildConnector.connector {
  const connectBy = (family: number) =>
    buildConnector({
      timeout: connectTimeoutMs,
      lookup: createGuardedLookup(resolve),
      ...(family === 0 ? undefined : { family }),
      ...(ca === undefined ? undefined : { ca }),
    });
  const connectors = { 0: connectBy(0), 4: connectBy(4), 6: connectBy(6) };
  return (target, callback) => {
    // Sockets look up names only, so an IP address would get past the guard.
    if (isIP(target.hostname) !== 0) {
      callback(new AppError('forbidden', `an IP address is not allowed: ${target.hostname}`), null);
      return;
    }
    const from = localAddress?.(target.hostname) ?? '';
    const family = isIP(from);
    const connect = connectors[family === 4 || family === 6 ? family : 0];
    connect(family === 0 ? target : { ...target, localAddress: from }, callback);
  };
}

function createOverrideConnector({ connectTimeoutMs, ca }: PlainTransportOptions): buildConnector.connector {
  const toLoopback = buildConnector({ timeout: connectTimeoutMs, rejectUnauthorized: false });
  const toOthers = buildConnector({ timeout: connectTimeoutMs, ...(ca === undefined ? undefined : { ca }) });
  return (target, callback) => {
    const connect = isLoopbackHost(target.hostname) ? toLoopback : toOthers;
    // The TLS name is the target's own, not that of the Host header.
    connect({ ...target, servername: isIP(target.hostname) === 0 ? target.hostname : '' }, callback);
  };
}
