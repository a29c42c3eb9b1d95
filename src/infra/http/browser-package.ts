import { createRequire } from 'node:module';
import type { CreateTransportOptions, Transport } from 'wreq-js';
import { AppError } from '../../errors.ts';
import { createLru } from '../cache/cache.ts';

type Package = Pick<typeof import('wreq-js'), 'fetch' | 'createTransport' | 'getEmulationHeaders'>;

/** The loaded package that emulates one browser. */
export interface Browser {
  readonly fetch: Package['fetch'];
  /** The headers that this browser sends of its own accord, in its order; names are lower-case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  connect(options: BrowserConnectionOptions): Promise<Transport>;
}

export type BrowserConnectionOptions = Pick<
  CreateTransportOptions,
  'resolve' | 'proxy' | 'insecure' | 'connectTimeout' | 'readTimeout'
>;

export interface BrowserPackageOptions {
  readonly log?: { warn(details: object, message: string): void } | undefined;
  readonly isInstalled?: () => boolean;
  readonly importPackage?: () => Promise<Package>;
}

/** The emulated browser: the newest Chrome that the package knows, on the system that most users of Chrome have. */
const BROWSER = 'chrome';
const SYSTEM = 'windows';
const IDLE_MS = 60_000;
const IDLE_CONNECTIONS = 4;

/** The optional package wreq-js behind the browser transport. */
export interface BrowserPackage {
  /** True while the package is installed and did not fail to load. */
  isAvailable: boolean;
  /** The loaded package; undefined until `load` has loaded it. */
  browser: Browser | undefined;
  /** @throws AppError `upstream_unavailable` with `params.what` when the package is missing or cannot be loaded */
  load(): Promise<Browser>;
}

/** Finds the package, which is loaded when it is first needed. */
export function createBrowserPackage(options: BrowserPackageOptions = {}): BrowserPackage {
  const { log, isInstalled = isPackageInstalled, importPackage = () => import('wreq-js') } = options;
  let loading: Promise<Browser> | undefined;

  async function importOnce(): Promise<Browser> {
    try {
      found.browser = createBrowser(await importPackage());
      return found.browser;
    } catch (cause) {
      if (found.isAvailable) log?.warn({ err: cause }, 'the browser transport is installed and cannot be loaded');
      found.isAvailable = false;
      throw unavailable(cause);
    }
  }

  const found: BrowserPackage = {
    isAvailable: isInstalled(),
    browser: undefined,
    load() {
      if (!found.isAvailable) return Promise.reject(unavailable());
      loading ??= importOnce();
      return loading;
    },
  };
  return found;
}

function isPackageInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('wreq-js');
    return true;
  } catch {
    // The package is not installed, which is no error here: the caller only asks whether it is.
    return false;
  }
}

/** The error that says why the browser transport cannot be used on this machine. */
export function unavailable(cause?: unknown): AppError {
  const message =
    'the browser transport (the optional package wreq-js) is not installed, cannot be loaded, or cannot leave by the address that is configured';
  return new AppError('upstream_unavailable', message, { params: { what: 'browserTransport' }, cause });
}

function createBrowser({ fetch, createTransport, getEmulationHeaders }: Package): Browser {
  return {
    fetch,
    headers: [...getEmulationHeaders(BROWSER, SYSTEM)],
    connect: options =>
      withoutSystemProxy(() =>
        createTransport({
          ...options,
          browser: BROWSER,
          os: SYSTEM,
          poolIdleTimeout: IDLE_MS,
          poolMaxIdlePerHost: IDLE_CONNECTIONS,
        }),
      ),
  };
}

/**
 * A transport of wreq-js reads HTTPS_PROXY and similar variables when it is created, and would send requests to that
 * proxy, past the address guard. So it is created while `NO_PROXY` switches such proxies off.
 */
function withoutSystemProxy<T>(create: () => T): T {
  const before = process.env.NO_PROXY;
  process.env.NO_PROXY = '*';
  try {
    return create();
  } finally {
    if (before === undefined) delete process.env.NO_PROXY;
    else process.env.NO_PROXY = before;
  }
}

/** The origin to which the browser transport sends a request, and the way to connect to that origin. */
export interface BrowserTarget {
  /** Scheme, host and port of the address. */
  readonly origin: string;
  /** The checked addresses of `origin`'s host, or a proxy. Targets with equal options share their connections. */
  readonly options: Pick<BrowserConnectionOptions, 'resolve' | 'proxy' | 'insecure'>;
}

export type BrowserConnections = ReturnType<typeof createBrowserConnections>;

/** The most servers or proxies to stay connected to: each takes 1.3 MB of memory, mostly for certificates. */
const MAX_TARGETS = 16;

interface Shared {
  readonly transport: Promise<Transport>;
  users: number;
  isEvicted: boolean;
}

/** Connections of the browser transport, bounded in number. Those to the least recently used target close first. */
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
    // The request that needs this connection reports the failure; here the connection is only dropped from the cache.
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
        /** To be called once, when the request that uses the connection is over. */
        release: () => {
          used.users -= 1;
          closeUnused(used);
        },
      };
    },
    close: () => shared.clear(),
  };
}

/** Closes connections that were dropped from the cache, except while requests still run on them. */
function closeUnused({ transport, users, isEvicted }: Shared): void {
  if (!isEvicted || users > 0) return;
  transport.then(
    opened => opened.close(),
    // The connection was never opened, so there is nothing to close.
    () => undefined,
  );
}

function describe({ resolve = {}, proxy = '', insecure = false }: BrowserTarget['options']): string {
  const pinned = Object.entries(resolve).map(([host, addresses]) => [host, [addresses].flat().sort()]);
  return JSON.stringify([pinned, proxy, insecure]);
}
