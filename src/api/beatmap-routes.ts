import type { FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { z } from 'zod';
import type { Beatmaps } from '../beatmaps/beatmaps.ts';
import type { SourceId } from '../beatmaps/source.ts';
import { AppError } from '../errors.ts';
import { createAnswer, sendAnswer } from './answer.ts';
import {
  DOWNLOAD_EXAMPLE,
  SCORES_EXAMPLE,
  SEARCH_EXAMPLE,
  USER_BEATMAPS_EXAMPLE,
  USER_EXAMPLE,
} from './beatmap-examples.ts';
import {
  downloadQuery,
  PLAYER_FORMS,
  SET_FORMS,
  searchQuery,
  userBeatmapsQuery,
  userQuery,
  userScoresQuery,
  wholeQuery,
} from './beatmap-parameters.ts';
import { downloadAnswer, searchAnswer, userAnswer, userBeatmapsAnswer, userScoresAnswer } from './beatmap-schema.ts';
import { toDownloadAnswer, toScore, toSearchAnswer, toUserAnswer, toUserBeatmap } from './beatmap-shapes.ts';
import { BEATMAPS_TAG, errorResponses } from './document.ts';

export interface BeatmapRoutesOptions {
  readonly beatmaps: Pick<Beatmaps, 'search' | 'user' | 'userScores' | 'userBeatmaps' | 'download'>;
}

interface Told {
  readonly body: object;
  readonly source: SourceId;
  readonly stale: boolean;
  /** Seconds that a fresh answer may be kept. */
  readonly freshS: number;
}

interface Endpoint<Q extends z.ZodType, A extends z.ZodType> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** What a `not_found` is about. */
  readonly about: 'beatmap' | 'player';
  readonly query: Q;
  readonly answer: A;
  readonly example: z.input<A>;
  readonly tell: (parameters: z.output<Q>, signal: AbortSignal) => Promise<Told>;
}

const SEARCH_FRESH_S = 120;
const USER_FRESH_S = 300;
const USER_BEATMAPS_FRESH_S = 600;
const SCORES_FRESH_S = { best: 900, recent: 60, firsts: 900, pinned: 600 } as const;
/** A set hardly changes, but the order of the mirrors does. */
const DOWNLOAD_FRESH_S = 300;
/** What stood in for failing upstreams: worth asking again soon. */
const STALE_S = 30;

/** What is allowed where the beatmap room itself refuses a value. */
const ALLOWED: Readonly<Record<string, string>> = {
  user: `must be ${PLAYER_FORMS}`,
  id: `must be ${SET_FORMS}`,
  cursor: 'must be one that an earlier answer gave',
};

/** `/search`, `/user`, `/user/scores`, `/user/beatmaps` and `/download`, to be registered under `/api`. */
export function beatmapRoutes({ beatmaps }: BeatmapRoutesOptions): FastifyPluginAsync {
  return async server => {
    function route<Q extends z.ZodType, A extends z.ZodType>(endpoint: Endpoint<Q, A>): void {
      const { path, operationId, summary, description, query, answer, example } = endpoint;
      const schema: FastifySchema = {
        tags: [BEATMAPS_TAG],
        operationId,
        summary,
        description,
        querystring: query,
        response: { 200: answer.meta({ example }), ...errorResponses },
      };
      // The query is read below, where its type is known; in the schema it is for the reference.
      server.get(path, { schema, validatorCompiler: () => value => ({ value }) }, async (request, reply) => {
        const parameters = query.safeParse(request.query);
        if (!parameters.success) throw refuse(path, parameters.error);
        return send(request, reply, await ask(endpoint, parameters.data, request.signal));
      });
    }

    route({
      path: '/search',
      operationId: 'search',
      summary: 'Search beatmaps',
      description:
        'Sets found by osu!’s search language, whoever answers: the official API, a mirror or this server’s catalogue. X-Data-Source says which.',
      about: 'beatmap',
      query: searchQuery,
      answer: searchAnswer,
      example: SEARCH_EXAMPLE,
      async tell(parameters, signal) {
        const { mode, status, sort, limit, cursor, source } = parameters;
        const request = { q: wholeQuery(parameters), ruleset: mode, status, sort, limit, cursor, source, signal };
        const found = await beatmaps.search(request);
        return { ...found, body: toSearchAnswer(found), freshS: SEARCH_FRESH_S };
      },
    });
    route({
      path: '/user',
      operationId: 'user',
      summary: 'A player',
      description: 'Profile and statistics of an osu! player.',
      about: 'player',
      query: userQuery,
      answer: userAnswer,
      example: USER_EXAMPLE,
      async tell({ user, mode }, signal) {
        const found = await beatmaps.user(user, mode, signal);
        return { ...found, body: toUserAnswer(found.user), freshS: USER_FRESH_S };
      },
    });
    route({
      path: '/user/scores',
      operationId: 'userScores',
      summary: 'A player’s scores',
      description: 'Best, recent, first-place or pinned plays of an osu! player.',
      about: 'player',
      query: userScoresQuery,
      answer: userScoresAnswer,
      example: SCORES_EXAMPLE,
      async tell({ user, type = 'best', mode, limit, cursor }, signal) {
        const found = await beatmaps.userScores(user, type, { ruleset: mode, limit, cursor, signal });
        const body = { scores: found.scores.map(toScore), cursor: found.cursor };
        return { ...found, body, freshS: SCORES_FRESH_S[type] };
      },
    });
    route({
      path: '/user/beatmaps',
      operationId: 'userBeatmaps',
      summary: 'A player’s beatmaps',
      description: 'Sets that a player made, nominated, marked as favourite or plays most.',
      about: 'player',
      query: userBeatmapsQuery,
      answer: userBeatmapsAnswer,
      example: USER_BEATMAPS_EXAMPLE,
      async tell({ user, type = 'ranked', limit, cursor }, signal) {
        const found = await beatmaps.userBeatmaps(user, type, { limit, cursor, signal });
        const body = { beatmapsets: found.beatmapsets.map(toUserBeatmap), cursor: found.cursor };
        return { ...found, body, freshS: USER_BEATMAPS_FRESH_S };
      },
    });
    route({
      path: '/download',
      operationId: 'download',
      summary: 'Where to download a beatmap',
      description: 'Addresses of a set’s file, the mirrors that work best first, and why when it cannot be downloaded.',
      about: 'beatmap',
      query: downloadQuery,
      answer: downloadAnswer,
      example: DOWNLOAD_EXAMPLE,
      async tell({ id }, signal) {
        const found = await beatmaps.download(id, signal);
        return { ...found, body: toDownloadAnswer(found), freshS: DOWNLOAD_FRESH_S };
      },
    });
  };
}

async function ask<Q extends z.ZodType, A extends z.ZodType>(
  { path, about, tell }: Endpoint<Q, A>,
  parameters: z.output<Q>,
  signal: AbortSignal,
): Promise<Told> {
  try {
    return await tell(parameters, signal);
  } catch (error) {
    throw error instanceof AppError ? explain(error, path, about) : error;
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { body, source, stale, freshS }: Told): FastifyReply {
  reply.header('x-data-source', source);
  if (stale) reply.header('x-cache', 'STALE');
  return sendAnswer(request, reply, createAnswer(body), stale ? STALE_S : freshS);
}

/** The same failure in the words of who asked for beatmaps. */
function explain(error: AppError, path: string, about: Endpoint<z.ZodType, z.ZodType>['about']): AppError {
  const { code, message, params, retryAfterMs } = error;
  const tell = (own: Readonly<Record<string, string | number>>, as = code) =>
    new AppError(as, message, { params: { ...params, ...own }, cause: error, retryAfterMs });
  // What failed without a name: players have one source, and sets only the catalogue when it was asked for alone.
  const upstreams = { upstreams: about === 'player' ? 'osu' : 'catalogue', ...params };
  switch (code) {
    case 'invalid_request':
      return badParameter(path, String(params.what), allowedFor(error), error);
    case 'not_found':
      return tell({ what: about });
    case 'credentials_required':
      return tell({ what: 'osu' });
    // It is this server whom the upstream refused, not who asked.
    case 'forbidden':
      return tell(upstreams, 'upstream_unavailable');
    case 'upstream_rate_limited':
    case 'upstream_unavailable':
    case 'upstream_changed':
    case 'timeout':
      return tell(upstreams);
    default:
      return error;
  }
}

function allowedFor({ params, message }: AppError): string {
  if (params.max !== undefined) return `must not be longer than ${params.max} characters`;
  return ALLOWED[String(params.what)] ?? message;
}

function refuse(path: string, error: z.ZodError): AppError {
  const [first] = error.issues;
  return badParameter(path, String(first?.path[0]), first?.message ?? 'cannot be read', error);
}

function badParameter(path: string, name: string, trouble: string, cause: Error): AppError {
  const send = `The parameter "${name}" ${trouble}. /docs shows what /api${path} takes.`;
  return new AppError('invalid_request', `unreadable parameter ${name}`, {
    params: { what: 'parameter', send },
    cause,
  });
}
