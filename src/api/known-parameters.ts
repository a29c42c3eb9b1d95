import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { AppError } from '../errors.ts';

const MAX_SHOWN = 40;

/**
 * A misspelt parameter must not be ignored: the answer would look as if it had counted.
 * @throws AppError `invalid_request` that names the unknown parameter and the known ones
 */
export async function refuseUnknownParameters(request: FastifyRequest): Promise<void> {
  const { schema, url } = request.routeOptions;
  const { query } = request;
  if (!(schema?.querystring instanceof z.ZodObject) || typeof query !== 'object' || query === null) return;
  const known = Object.keys(schema.querystring.shape);
  const unknown = Object.keys(query).find(name => !known.includes(name));
  if (unknown === undefined) return;
  const shown = /^[\w.-]+$/.test(unknown) && unknown.length <= MAX_SHOWN ? `"${unknown}"` : 'One of the names';
  throw new AppError('invalid_request', 'unknown parameter', {
    params: { what: 'parameter', send: `${shown} is no parameter of ${url}. It takes: ${known.join(', ')}.` },
  });
}
