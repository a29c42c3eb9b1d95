import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import { AppError } from '../../errors.ts';
import { createGuardedLookup, isLoopbackHost } from './address-guard.ts';
import type { BodyTurns } from './body.ts';
import type { TransportOptions } from './exchange.ts';
import type { OutgoingAddress } from './outgoing.ts';

export interface PlainTransportOptions extends TransportOptions {
  /** Certificates (PEM) that the plain transport trusts instead of Node's own. Undefined: Node's own. */
  readonly ca?: string | undefined;
  /** The most connections to one host at the same time. */
  readonly connectionsPerHost: number;
  /** Says whether a large body may be read now. */
  readonly bodyTurns: Pick<BodyTurns, 'begin' | 'end'>;
}

/** Opens the agent that sends requests by one outgoing address: directly, or through a proxy. */
export function openAgent(
  { proxyUrl, localAddress }: OutgoingAddress,
  pool: Agent.Options,
  options: PlainTransportOptions,
): Dispatcher {
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
    // Sockets call the address guard for names only, so an IP address would get past it.
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

export function createOverrideConnector({ connectTimeoutMs, ca }: PlainTransportOptions): buildConnector.connector {
  const toLoopback = buildConnector({ timeout: connectTimeoutMs, rejectUnauthorized: false });
  const toOthers = buildConnector({ timeout: connectTimeoutMs, ...(ca === undefined ? undefined : { ca }) });
  return (target, callback) => {
    const connect = isLoopbackHost(target.hostname) ? toLoopback : toOthers;
    // The TLS server name must be the target's own name, not the name in the Host header.
    connect({ ...target, servername: isIP(target.hostname) === 0 ? target.hostname : '' }, callback);
  };
}

const DEFAULT_PORT = 1_080;

/**
 * Connects through a SOCKS5 proxy, which resolves the target's name itself.
 * @param secure the function that starts TLS with the target on a plain connection
 */
function createSocksConnector(
  proxyUrl: string,
  timeoutMs: number,
  secure: buildConnector.connector,
): buildConnector.connector {
  const { hostname, port, username, password } = new URL(proxyUrl);
  const proxy = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || DEFAULT_PORT,
    type: 5,
    ...(username !== '' && { userId: decodeURIComponent(username), password: decodeURIComponent(password) }),
  } as const;

  async function openTunnel(target: buildConnector.Options) {
    // The library is only loaded when it is needed, since few operators configure a SOCKS5 proxy. Once built, this
    // CommonJS module has no other export than the default one.
    const { default: socks } = await import('socks');
    const { socket } = await socks.SocksClient.createConnection({
      proxy,
      command: 'connect',
      destination: { host: target.hostname, port: Number(target.port) || 443 },
      timeout: timeoutMs,
    });
    return socket;
  }

  return (target, callback) => {
    openTunnel(target).then(
      httpSocket => secure({ ...target, httpSocket }, callback),
      (error: unknown) => callback(withoutCredentials(error), null),
    );
  };
}

/** The errors of the package socks contain the proxy's password, so only the reason is kept. */
function withoutCredentials(error: unknown): Error {
  const reason = error instanceof Error ? error.message : 'unknown failure';
  const message = `the SOCKS proxy: ${reason}`;
  // Undici gives up only after one of these two errors; after any other it would connect again and again.
  return /timed out/.test(reason)
    ? new errors.ConnectTimeoutError(message)
    : Object.assign(new Error(message), { code: 'ECONNABORTED' });
}
