import { lookup as lookupByCallback } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/deadline.ts';
import { createGuardedLookup, type ResolveHost, refuseNonPublic } from './address-guard.ts';
import type { Overrides } from './overrides.ts';

export interface TransportOptions {
  readonly overrides?: Overrides | undefined;
  /** `http://user:password@host:port` of a proxy that understands CONNECT. */
  readonly proxyUrl?: string | undefined;
  readonly lookup?: ResolveHost | undefined;
  readonly ca?: string | undefined;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly pauseTimeoutMs: number;
}

export interface Route {
  readonly dispatcher: Dispatcher;
  /** Where the request goes really. */
  readonly origin: string;
  readonly overridden: boolean;
}

/** The connections: of public hosts (guarded, or through the proxy) and of overridden ones, which never mix. */
export interface Transport {
  route(host: string): Route;
  /**
   * What the connection itself cannot check: with a proxy, that the target is public.
   *
   * @throws AppError `forbidden`; the deadline's failure
   */
  guard(route: Route, host: string, deadline: Deadline): Promise<void> | undefined;
  close(): Promise<void>;
}

const MAX_ORIGINS = 256;
const MAX_CONNECTIONS_PER_ORIGIN = 128;
const PROXY_LOOKUP_MS = 1_000;
const PROXY_VERDICT_MS = 60_000;

const lookupSystem = promisify(lookupByCallback);
const resolveBySystem: ResolveHost = host => lookupSystem(host, { all: true });

export function createTransport(options: TransportOptions): Transport {
  const resolve = options.lookup ?? resolveBySystem;
  const pool = {
    connections: MAX_CONNECTIONS_PER_ORIGIN,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.pauseTimeoutMs,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
  };
  const toPublic =
    options.proxyUrl === undefined
      ? new Agent({ ...pool, maxOrigins: MAX_ORIGINS, connect: createGuardedConnector(options, resolve) })
      : createProxyAgent(options.proxyUrl, pool, options);
  const toOverrides = new Agent({ ...pool, connect: createOverrideConnector(options) });
  const guardTarget = options.proxyUrl === undefined ? undefined : createTargetGuard(resolve);

  return {
    route(host) {
      const override = options.overrides?.find(host);
      return override === undefined
        ? { dispatcher: toPublic, origin: `https://${host}`, overridden: false }
        : { dispatcher: toOverrides, origin: override, overridden: true };
    },
    guard(route, host, deadline) {
      return guardTarget === undefined || route.overridden ? undefined : guardTarget(host, deadline);
    },
    async close() {
      await Promise.all([toPublic.destroy(), toOverrides.destroy()]);
    },
  };
}

function createGuardedConnector(options: TransportOptions, resolve: ResolveHost): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: createGuardedLookup(resolve),
    ...(options.ca === undefined ? undefined : { ca: options.ca }),
  });
  return (target, callback) => {
    // Sockets look up names only, so an IP address would get past the guard.
    if (isIP(target.hostname) === 0) connect(target, callback);
    else callback(new AppError('forbidden', `an IP address is not allowed: ${target.hostname}`), null);
  };
}

function createOverrideConnector(options: TransportOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    ...(options.ca === undefined ? undefined : { ca: options.ca }),
  });
  // The certificate is the stand-in's own, not that of the host in the Host header.
  return (target, callback) =>
    connect({ ...target, servername: isIP(target.hostname) === 0 ? target.hostname : '' }, callback);
}

function createProxyAgent(proxyUrl: string, pool: Pool.Options, options: TransportOptions): ProxyAgent {
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

function createTargetGuard(resolve: ResolveHost): (host: string, deadline: Deadline) => Promise<void> | undefined {
  const passed = new LRUCache<string, true>({ max: 1_000, ttl: PROXY_VERDICT_MS });

  async function check(host: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<readonly never[]>(done => {
      timer = setTimeout(done, PROXY_LOOKUP_MS, []);
    });
    // Behind a proxy there may be no name service at all: a name unknown here is the proxy's to judge.
    const found = await Promise.race([resolve(host).catch(() => []), tooSlow]);
    clearTimeout(timer);
    const refusal = refuseNonPublic(host, found);
    if (refusal !== undefined) throw refusal;
    passed.set(host, true);
  }

  return (host, deadline) => (passed.has(host) ? undefined : deadline.race(check(host)));
}
