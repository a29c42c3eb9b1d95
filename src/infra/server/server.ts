import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { AppError, invalidRequest, LOG_LEVELS } from '../../errors.ts';
import { actFor } from '../concurrency/running-work.ts';
import type { Logger } from '../log.ts';
import { clientKey, createHostGuard } from './client-address.ts';
import { limitConnections } from './connection-limits.ts';
import { JSON_TYPE, type RenderError, refuseUnreadable, toFailure } from './server-failure.ts';

export interface ServerOptions {
  readonly log: Logger;
  /** Addresses, CIDRs or `loopback` of proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[];
  /** This server's public address: requests for another name are refused, except health checks. Default: any name. */
  readonly publicUrl?: string | undefined;
  /** Turns an error into an answer. The API supplies it, since the server does not know the API's format. */
  readonly renderError: RenderError;
  /** The most bytes of a request's body unless its route sets another bound. Default 64 KiB. */
  readonly bodyLimit?: number;
  /** The most bytes of a request's line and headers together. Default 32 KiB, for a percent-encoded link of 8 KB. */
  readonly maxHeaderSize?: number;
  /** The most characters of one path parameter. Default 12 288. */
  readonly maxParamLength?: number;
  /**
   * The time to receive a request's line and headers, in milliseconds: from the connection's start, or from the first
   * byte of a later request. Default 15 000.
   */
  readonly headersTimeoutMs?: number;
  /** The most connections of all clients together. Default 10 000. */
  readonly maxConnections?: number;
  /** The most connections of one client; a proxy of `trustProxy` has no such bound. Default 256. */
  readonly maxConnectionsPerClient?: number;
  /** How long running requests may take after `stop()`. Default 7500. */
  readonly drainMs?: number;
}

/** Paths that monitoring asks for, under any host name. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export type Server = ReturnType<typeof createServer>;

/** The longest time to receive a whole request. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A connection that is idle for this long is closed. */
const IDLE_TIMEOUT_MS = 120_000;
const DRAIN_MS = 7_500;

/** The one HTTP server: limits, error envelope, shutdown. The API, the web chat and webhooks are plugins of `app`. */
export function createServer(options: ServerOptions) {
  let state: 'starting' | 'ready' | 'stopping' = 'starting';
  let stopped: Promise<void> | undefined;
  const app = createApp(options);
  const { maxConnections = 10_000, maxConnectionsPerClient = 256 } = options;
  limitConnections(app.server, maxConnections, maxConnectionsPerClient, options.trustProxy);

  const isForUs = options.publicUrl === undefined ? undefined : createHostGuard(options.publicUrl);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer');
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw invalidRequest('request', 'no Host header');
    if (isForUs !== undefined && !isForUs(request.headers.host) && !HEALTH_PATHS.has(request.routeOptions.url ?? ''))
      throw new AppError('forbidden', 'asked under a foreign name', { params: { what: 'host' } });
    actFor(clientKey(request.ip), done);
  });

  return {
    /** The Fastify app on which plugins are registered before `listen`. */
    app,
    get state() {
      return state;
    },
    /**
     * Resolves with the host as it was given and the actual port, also when 0 was asked for.
     * @throws Error whose message says what to do, when the port is taken or may not be used
     */
    async listen({ host, port }: { readonly host: string; readonly port: number }) {
      try {
        await app.listen({ host, port });
      } catch (error) {
        throw explainListenFailure(error, host, port);
      }
      state = 'ready';
      const address = app.server.address();
      const real = address !== null && typeof address === 'object' ? address.port : port;
      return { host, port: real, origin: `http://${host.includes(':') ? `[${host}]` : host}:${real}` };
    },
    /** Accepts no new requests, waits for running ones, then ends those that are left. Safe to call twice. */
    stop(): Promise<void> {
      state = 'stopping';
      stopped ??= drain(app, options);
      return stopped;
    },
  };
}

/** The Fastify instance; it answers failures in the API's format. */
function createApp({ log, renderError, trustProxy, ...options }: ServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: quietLogger(log),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length === 0 ? false : [...trustProxy],
    bodyLimit: options.bodyLimit ?? 64 * 1024,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    routerOptions: { maxParamLength: options.maxParamLength ?? 12_288 },
    // This is longer than proxies keep their connections, so that they never send on one that is being closed.
    keepAliveTimeout: 72_000,
    http: {
      maxHeaderSize: options.maxHeaderSize ?? 32 * 1024,
      // Node would answer a request that has no Host header with an empty body, so a hook refuses it in the API's
      // format.
      requireHostHeader: false,
      headersTimeout: options.headersTimeoutMs ?? 15_000,
      connectionsCheckingInterval: Math.min(5_000, options.headersTimeoutMs ?? 15_000),
    },
    // While the server drains, an accepted request is answered like any other, and its connection then closes.
    return503OnClosing: false,
    rewriteUrl: request => repairPath(request.url ?? '/'),
    frameworkErrors: answerFailure,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, renderError),
  });
  // Node would answer an unknown `Expect` with 417 and no body; RFC 9110, 10.1.1, lets a server ignore it.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange));
  const routes = watchRoutes(app);
  app.setErrorHandler(answerFailure);
  app.setNotFoundHandler(() => {
    throw unknownPath();
  });
  return app;

  function answerFailure(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const failure = toFailure(thrown);
    // Fastify reads the body before it finds that the path or method is wrong. An error about the body is then replaced
    // by one about the path or method, which tells the client more.
    const isUnread = request.is404 && failure.status !== undefined && failure.status < 500;
    const { error, status } = isUnread ? { error: unknownPath(), status: undefined } : failure;
    const allowed = request.is404 && error.code === 'not_found' ? routes.methodsOf(pathOf(request.url)) : [];
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      const allow = allowed.join(', ');
      reply.header('allow', allow);
      return send(reply, invalidRequest('method', 'wrong method', { allow }), 405);
    }
    logFailure(log, error, request);
    return send(
      reply,
      error,
      status,
      request.headers['sec-fetch-dest'] === 'document' ? pathOf(request.url) : undefined,
    );
  }

  function send(reply: FastifyReply, error: AppError, status: number | undefined, visited?: string): FastifyReply {
    const { page, ...rendered } = renderError(error, status, visited);
    reply.code(rendered.status).headers(rendered.headers).removeHeader('etag');
    if (page === undefined) return reply.type(JSON_TYPE).send(JSON.stringify(rendered.body));
    return reply.type('text/html; charset=utf-8').header('content-security-policy', page.policy).send(page.html);
  }
}

async function drain(app: FastifyInstance, { log, drainMs = DRAIN_MS }: ServerOptions): Promise<void> {
  const { server } = app;
  // Fastify stops listening only after all preClose hooks, so the server is closed first, to take no new connections.
  const doorClosed = new Promise<void>(resolve => {
    if (server.listening) server.close(() => resolve());
    else resolve();
  });
  // A keep-alive connection becomes idle only when its last answer has ended, so idle ones are closed again and again.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => {
    log.warn({ drainMs }, 'requests still ran when the time to stop was over');
    server.closeAllConnections();
  }, drainMs);
  try {
    await Promise.all([doorClosed, app.close()]);
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
  }
}

/** Escapes a path that cannot be decoded, so that Fastify treats it as any other unknown path. */
function repairPath(url: string): string {
  const path = pathOf(url);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function unknownPath(): AppError {
  return new AppError('not_found', 'unknown path', { params: { what: 'path' } });
}

/** Logs the route, never the address, because queries contain links and tokens. */
function logFailure(log: Logger, error: AppError, request: FastifyRequest): void {
  const route = request.routeOptions.url ?? 'unknown path';
  // When the client has gone, a broken answer is no failure of this server, so it is not logged as one.
  const level = request.socket?.destroyed === true ? 'debug' : LOG_LEVELS[error.code];
  log[level]({ method: request.method, route, code: error.code, err: error }, 'request failed');
}

function explainListenFailure(error: unknown, host: string, port: number): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `${host}:${port}`;
  if (code === 'EADDRINUSE')
    return new Error(`${where} is already in use. Stop the program that listens there, or set PORT to another port.`, {
      cause: error,
    });
  if (code === 'EACCES')
    return new Error(`${where} may not be used by this account. Set PORT to a port above 1023.`, { cause: error });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Error(`${host} is no address of this machine. Set HOST to one, for example 127.0.0.1.`, {
      cause: error,
    });
  return error instanceof Error ? error : new Error(`cannot listen on ${where}`, { cause: error });
}

/** Passes on only Fastify's warnings and errors, because its other lines contain addresses with their queries. */
function quietLogger(log: Logger): FastifyBaseLogger {
  const write = (level: 'warn' | 'error') => (details: unknown, message?: unknown) => {
    const fields = typeof details === 'object' && details !== null ? details : {};
    const text = typeof message === 'string' ? message : typeof details === 'string' ? details : 'server';
    log[level](fields, text);
  };
  const silent = () => {};
  const quiet: FastifyBaseLogger = {
    level: 'warn',
    trace: silent,
    debug: silent,
    info: silent,
    silent,
    warn: write('warn'),
    error: write('error'),
    fatal: write('error'),
    child: () => quiet,
  };
  return quiet;
}

/**
 * Records the routes that are registered from now on, for status 405 and its `Allow`. A path that only a wildcard route
 * matches counts as unknown.
 */
function watchRoutes(app: FastifyInstance) {
  const routes: { readonly url: string; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => void routes.push({ url, methods: [method].flat() }));
  return {
    /** The methods that a path would answer, in the order of registration; empty for an unknown path. */
    methodsOf(path: string): readonly string[] {
      const exact = routes.filter(({ url }) => !url.endsWith('*') && matchesPattern(url, path));
      const wild = routes.filter(({ url }) => url.endsWith('*') && path.startsWith(url.slice(0, -1)));
      return exact.length === 0 ? [] : [...new Set([...exact, ...wild].flatMap(({ methods }) => methods))];
    },
  };
}

function matchesPattern(pattern: string, path: string): boolean {
  if (!pattern.includes(':')) return pattern === path;
  const want = pattern.split('/');
  const have = path.split('/');
  return (
    want.length === have.length && want.every((part, i) => (part.startsWith(':') ? have[i] !== '' : part === have[i]))
  );
}
