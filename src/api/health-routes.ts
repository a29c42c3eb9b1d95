import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { isLoopback } from '../infra/server/client-address.ts';
import type { Server } from '../infra/server/server.ts';
import type { createKeyCheck } from './api-keys.ts';
import type { Metrics } from './metrics.ts';

export interface HealthRoutesOptions {
  readonly server: Pick<Server, 'state'>;
  /** What has to work before people are sent here, by name; one that throws counts as false. */
  readonly checks: Readonly<Record<string, () => boolean | Promise<boolean>>>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly checkKey: ReturnType<typeof createKeyCheck>;
}

/** `/healthz`: the process lives. `/readyz`: it can answer. `/metrics`: for this machine and holders of a key. */
export function healthRoutes({ server: state, checks, metrics, checkKey }: HealthRoutesOptions): FastifyPluginAsync {
  return async server => {
    server.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });

    server.get('/healthz', () => ({ status: 'ok' }));

    server.get('/readyz', async (_request, reply) => {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const),
      );
      const isReady = state.state === 'ready' && results.every(([, ok]) => ok);
      return reply.code(isReady ? 200 : 503).send({
        status: isReady ? 'ok' : 'unavailable',
        server: state.state,
        checks: Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failed'])),
      });
    });

    server.get('/metrics', async (request, reply) => {
      if (!isLocal(request) && checkKey(request.headers).kind !== 'known') {
        throw new AppError('forbidden', 'metrics are for this machine and for holders of a key');
      }
      return reply.type(metrics.contentType).send(await metrics.text());
    });
  };
}

async function passes(check: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch {
    // The name of the check that failed is the answer; its owner logs why.
    return false;
  }
}

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** Behind a proxy on this machine every stranger's connection comes from loopback: what was forwarded is not local. */
function isLocal(request: FastifyRequest): boolean {
  return isLoopback(request.socket.remoteAddress) && FORWARDED.every(name => request.headers[name] === undefined);
}
