import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type * as z from 'zod';
import type { SourceId } from '../../beatmaps/upstreams/source.ts';
import { AppError } from '../../errors.ts';
import { BEATMAPS_TAG, errorResponses } from '../reference/document.ts';
import { createAnswer, sendAnswer } from '../send-answer.ts';
import { PLAYER_FORMS, SET_FORMS } from './beatmap-parameters.ts';

interface Found<Body> {
  readonly body: Body;
  readonly source: SourceId;
  readonly stale: boolean;
  /** True for an answer from the cache that is still fresh. Default false. */
  readonly cached?: boolean;
  /** How long a fresh answer may be cached, in seconds. */
  readonly freshS: number;
  /** True if the answer is for one client alone. Shared caches must not keep it. */
  readonly isPrivate?: boolean;
}

interface BeatmapEndpoint<Q extends z.ZodType, A extends z.ZodType> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The kind of thing that does not exist when the answer is `not_found`. */
  readonly about: 'beatmap' | 'player';
  readonly query: Q;
  readonly answer: A;
  readonly example: object;
  readonly find: (parameters: z.output<Q>, signal: AbortSignal) => Promise<Found<z.input<A>>>;
}

/** How long (in seconds) clients may keep an answer from this server's cache: a newer answer may soon exist. */
const KEPT_S = 30;

/** The error texts for parameters whose values only src/beatmaps checks, by the parameter's name. */
const ALLOWED: Readonly<Record<string, string>> = {
  user: `must be ${PLAYER_FORMS}`,
  id: `must be ${SET_FORMS}`,
  like: `must be ${SET_FORMS}`,
  cursor: 'must be one that an earlier answer gave',
};

/**
 * Registers an endpoint under `/api` about beatmaps or players: it reads the parameters, explains failures, and names
 * the answer's source.
 */
export function registerEndpoint<Q extends z.ZodType, A extends z.ZodType<object, object>>(
  server: FastifyInstance,
  endpoint: BeatmapEndpoint<Q, A>,
): void {
  const { path, operationId, summary, description, about, query, answer, example, find } = endpoint;
  // The schema is named after the operation: `UserScoresAnswer` for `userScores`.
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Answer`;
  const schema: FastifySchema = {
    tags: [BEATMAPS_TAG],
    operationId,
    summary,
    description,
    querystring: query,
    response: { 200: answer.meta({ id: name, example }), ...errorResponses },
  };
  // The query is parsed in the handler, where its type is known; this schema is only for the reference.
  server.get(path, { schema, validatorCompiler: () => value => ({ value }) }, async (request, reply) => {
    const parameters = query.safeParse(request.query);
    if (!parameters.success) {
      const [first] = parameters.error.issues;
      throw badParameter(path, String(first?.path[0]), first?.message ?? 'cannot be read', parameters.error);
    }
    const found = await find(parameters.data, request.signal).catch((error: unknown) => {
      throw error instanceof AppError ? explain(error, path, about) : error;
    });
    return send(request, reply, found);
  });
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, source, stale, cached = false, freshS, isPrivate }: Found<object>,
): FastifyReply {
  reply.header('x-data-source', source);
  const kept = cached ? 'HIT' : 'MISS';
  reply.header('x-cache', stale ? 'STALE' : kept);
  const maxAgeS = stale || cached ? Math.min(KEPT_S, freshS) : freshS;
  return sendAnswer(request, reply, createAnswer(body), maxAgeS, isPrivate);
}

/** Rewrites a failure, so that its message speaks of beatmaps or players. */
function explain(error: AppError, path: string, about: 'beatmap' | 'player'): AppError {
  const { code, message, params, retryAfterMs } = error;
  const renamed = (own: Readonly<Record<string, string | number>>, as = code) =>
    new AppError(as, message, { params: { ...params, ...own }, cause: error, retryAfterMs });
  // If the error does not name the upstream that failed, osu! is named for players, which only osu! knows, and the
  // local catalogue for beatmaps.
  const upstreams = { upstreams: about === 'player' ? 'osu' : 'catalogue', ...params };
  switch (code) {
    case 'invalid_request':
      return badParameter(path, String(params.what), allowedFor(error), error);
    case 'not_found':
      return renamed({ what: params.what === 'beatmap' || params.what === 'player' ? params.what : about });
    case 'credentials_required':
      return renamed({ what: 'osu' });
    // The upstream refused this server, not the client, so the client must not get a 403.
    case 'forbidden':
      return renamed(upstreams, 'upstream_unavailable');
    case 'upstream_rate_limited':
    case 'upstream_unavailable':
    case 'upstream_changed':
    case 'timeout':
      return renamed(upstreams);
    default:
      return error;
  }
}

function allowedFor({ params, message }: AppError): string {
  if (params.max !== undefined) return `must not be longer than ${params.max} characters`;
  if (params.key !== undefined) return `has a condition by which nothing can be searched: ${params.key}`;
  return ALLOWED[String(params.what)] ?? message;
}

function badParameter(path: string, name: string, trouble: string, cause: Error): AppError {
  const send = `The parameter "${name}" ${trouble}. /docs shows what /api${path} takes.`;
  return new AppError('invalid_request', `unreadable parameter ${name}`, {
    params: { what: 'parameter', send },
    cause,
  });
}
