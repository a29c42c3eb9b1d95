import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Metrics } from '../infra/metrics.ts';
import type { RateLimiter, RateLimitRule } from '../infra/rate-limit/rate-limit.ts';
import type { Readiness } from '../infra/readiness.ts';
import { clientKey, isLoopback, isLoopbackName } from '../infra/server/client-address.ts';
import type { Server } from '../infra/server/server.ts';
import type { CheckKey } from './rate-limit.ts';

export interface HealthRoutesOptions {
  readonly server: Pick<Server, 'state'>;
  readonly readiness: Pick<Readiness, 'report'>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly checkKey: CheckKey;
  /** The rate limiter that slows down guessing of keys: it counts wrong keys. */
  readonly limiter: RateLimiter;
  /** True when a proxy may run on this machine, which would make every client seem to be on this machine. */
  readonly isProxied: boolean;
}

const WRONG_KEYS: RateLimitRule = { name: 'wrong-key', limit: 20, windowMs: 3_600_000, window: 'first' };

/**
 * `/healthz` says that the process is alive. `/readyz` says whether it can answer, or why not. `/metrics` is for
 * holders of a key, and for this machine unless a proxy may run on it.
 */
export function healthRoutes(options: HealthRoutesOptions): FastifyPluginAsync {
  const { readiness, metrics, checkKey, limiter, isProxied } = options;

  return async server => {
    server.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });

    server.get('/healthz', () => ({ status: 'ok' }));

    server.get('/readyz', async (_request, reply) => {
      const { isReady, checks } = await readiness.report();
      const { state } = options.server;
      const isUp = state === 'ready' && isReady;
      const reasons = checks.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${name}: ${reason}`]));
      return reply.code(isUp ? 200 : 503).send({
        status: isUp ? 'ok' : 'unavailable',
        server: state,
        checks: Object.fromEntries(checks.map(({ name, reason }) => [name, reason === undefined ? 'ok' : 'failed'])),
        reasons,
      });
    });

    server.get('/metrics', async (request, reply) => {
      if (isProxied || !isLocal(request)) await admit(request);
      return reply.type(metrics.contentType).send(await metrics.text());
    });
  };

  /** Lets only holders of a key pass. @throws AppError `forbidden`, `rate_limited` */
  async function admit(request: FastifyRequest): Promise<void> {
    const { kind } = checkKey(request.headers);
    if (kind === 'known') return;
    if (kind === 'none') throw new AppError('forbidden', 'metrics are for holders of a key');
    const { allowed, resetAt } = await limiter.consume(WRONG_KEYS, clientKey(request.ip));
    if (allowed) throw new AppError('forbidden', 'unknown API key', { params: { what: 'key' } });
    throw new AppError('rate_limited', 'too many wrong keys', { retryAfterMs: Math.max(1_000, resetAt - Date.now()) });
  }
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** True for a direct request from this machine to `localhost` or the like, which no proxy passed on. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  return (
    isLoopback(socket.remoteAddress) &&
    isLoopbackName(headers.host) &&
    FORWARDED.every(name => headers[name] === undefined)
  );
}
