import compress, { type FastifyCompressOptions } from '@fastify/compress';
import cors from '@fastify/cors';
import swagger from '@fastify/swagger';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { AppError } from '../errors.ts';
import { actFor } from '../infra/concurrency/running-work.ts';
import type { RateLimiter } from '../infra/rate-limit/rate-limit.ts';
import { type CheckKey, createRateLimit, RATE_HEADERS } from './rate-limit.ts';
import { docsRoutes, type Thumbnails } from './reference/docs-routes.ts';
import { describeApi, finishDocument, type ParameterExamples } from './reference/document.ts';
import { BROTLI_PARAMS, ENCODINGS, MIN_COMPRESSED_BYTES } from './send-answer.ts';

export interface ApiOptions {
  readonly limiter: RateLimiter;
  readonly checkKey: CheckKey;
  /** Plugins with routes below `/api`. */
  readonly routes: readonly FastifyPluginAsync[];
  /** The public address of this server. Without it the reference shows the address of the request. */
  readonly publicUrl: string | undefined;
  /** Example values for the reference that work on this server. */
  readonly examples: ParameterExamples;
  readonly thumbnails: Thumbnails;
  readonly now?: () => number;
}

/** How answers are compressed. Formats that are already compressed, such as video, are sent unchanged. */
const COMPRESSION: FastifyCompressOptions = {
  threshold: MIN_COMPRESSED_BYTES,
  encodings: [...ENCODINGS],
  brotliOptions: { params: BROTLI_PARAMS },
};

/** Serves every path below `/api`, even unknown paths. Scripts of any page may call it; `/docs` describes it. */
export function api(options: ApiOptions): FastifyPluginAsync {
  const { limiter, checkKey, routes, publicUrl, examples, thumbnails, now = Date.now } = options;
  const countRequest = createRateLimit({ limiter, checkKey, now });
  return async server => {
    let document: () => object = () => ({});
    let written: object | undefined;
    await server.register(
      async scope => {
        await scope.register(cors, {
          origin: '*',
          methods: 'GET, HEAD, OPTIONS',
          exposedHeaders: [
            ...RATE_HEADERS,
            'Retry-After',
            'ETag',
            'X-Cache',
            'X-Data-Source',
            'Allow',
            'Content-Disposition',
          ].join(', '),
          maxAge: 86_400,
          strictPreflight: false,
        });
        await scope.register(compress, COMPRESSION);
        await scope.register(swagger, describeApi());
        scope.setValidatorCompiler(validatorCompiler);
        // Routes write their JSON themselves. Schemas only describe it in the reference; tests check that both agree.
        scope.setSerializerCompiler(() => data => JSON.stringify(data));
        scope.addHook('onRequest', countRequest);
        scope.addHook('onRequest', (request, _reply, done) => {
          const check = checkKey(request.headers);
          if (check.kind === 'known') actFor(`key:${check.key.name}`, done);
          else done();
        });
        scope.addHook('preValidation', refuseUnknownParameters);
        scope.setNotFoundHandler(() => {
          throw new AppError('not_found', 'unknown path', { params: { what: 'path' } });
        });
        for (const plugin of routes) await scope.register(plugin);
        document = () => {
          written ??= finishDocument(scope.swagger(), examples);
          return written;
        };
      },
      { prefix: '/api' },
    );
    await server.register(async scope => {
      await scope.register(compress, COMPRESSION);
      await scope.register(docsRoutes({ document: () => document(), publicUrl, thumbnails, countRequest }));
    });
  };
}

const MAX_SHOWN = 40;

/**
 * Refuses parameters that the endpoint does not know: a misspelt one would otherwise be ignored without notice.
 * @throws AppError `invalid_request` with the unknown parameter and all known ones
 */
async function refuseUnknownParameters(request: FastifyRequest): Promise<void> {
  const { schema, url } = request.routeOptions;
  const { query } = request;
  if (!(schema?.querystring instanceof z.ZodObject) || typeof query !== 'object' || query === null) return;
  const known = Object.keys(schema.querystring.shape);
  const unknown = Object.keys(query).find(name => !known.includes(name));
  if (unknown === undefined) return;
  // The unknown parameter may belong to the link in a known one: a link that is not percent-encoded ends at its first
  // `&`.
  const advice = /=https?:\/\//.test(request.url) ? ' What belongs to a link has to be percent-encoded with it.' : '';
  const shown = /^[\w.-]+$/.test(unknown) && unknown.length <= MAX_SHOWN ? `"${unknown}"` : 'One of the names';
  throw new AppError('invalid_request', 'unknown parameter', {
    params: { what: 'parameter', send: `${shown} is no parameter of ${url}. It takes: ${known.join(', ')}.${advice}` },
  });
}
