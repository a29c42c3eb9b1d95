import type { FastifyPluginAsync } from 'fastify';
import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import { registerEndpoint } from './beatmap-endpoint.ts';
import {
  DOWNLOAD_EXAMPLE,
  SCORES_EXAMPLE,
  SEARCH_EXAMPLE,
  USER_BEATMAPS_EXAMPLE,
  USER_EXAMPLE,
} from './beatmap-examples.ts';
import {
  downloadQuery,
  searchQuery,
  userBeatmapsQuery,
  userQuery,
  userScoresQuery,
  wholeQuery,
} from './beatmap-parameters.ts';
import { downloadAnswer, searchAnswer, userAnswer, userBeatmapsAnswer, userScoresAnswer } from './beatmap-schema.ts';
import { toScore, toSearchAnswer, toUserAnswer, toUserBeatmap } from './beatmap-shapes.ts';

export interface BeatmapRoutesOptions {
  readonly beatmaps: Pick<Beatmaps, 'search' | 'user' | 'userScores' | 'userBeatmaps' | 'download'>;
}

const SEARCH_FRESH_S = 120;
const USER_FRESH_S = 300;
const USER_BEATMAPS_FRESH_S = 600;
const SCORES_FRESH_S = { best: 900, recent: 60, firsts: 900, pinned: 600 } as const;
/** How long an answer about downloads is fresh: a set hardly changes, but the order of the mirrors does. */
const DOWNLOAD_FRESH_S = 300;
/** `/search`, `/user`, `/user/scores`, `/user/beatmaps` and `/download`, to be registered under `/api`. */
export function beatmapRoutes({ beatmaps }: BeatmapRoutesOptions): FastifyPluginAsync {
  return async server => {
    registerEndpoint(server, {
      path: '/search',
      operationId: 'search',
      summary: 'Search beatmaps',
      description:
        'Sets found by osu!’s search language, by the official API, a mirror or this server’s catalogue. X-Data-Source says which. Where nothing has the words as they are written, sets with words like them may answer.',
      about: 'beatmap',
      query: searchQuery,
      answer: searchAnswer,
      example: SEARCH_EXAMPLE,
      async find(parameters, signal) {
        const { mode, status, sort, limit, cursor, source } = parameters;
        const request = { q: wholeQuery(parameters), ruleset: mode, status, sort, limit, cursor, source, signal };
        const found = await beatmaps.search(request);
        return { ...found, body: toSearchAnswer(found), freshS: SEARCH_FRESH_S };
      },
    });
    registerEndpoint(server, {
      path: '/user',
      operationId: 'user',
      summary: 'A player',
      description: 'Profile and statistics of an osu! player.',
      about: 'player',
      query: userQuery,
      answer: userAnswer,
      example: USER_EXAMPLE,
      async find({ user, mode }, signal) {
        const found = await beatmaps.user(user, mode, signal);
        return { ...found, body: toUserAnswer(found.user), freshS: USER_FRESH_S };
      },
    });
    registerEndpoint(server, {
      path: '/user/scores',
      operationId: 'userScores',
      summary: 'A player’s scores',
      description: 'Best, recent, first-place or pinned plays of an osu! player.',
      about: 'player',
      query: userScoresQuery,
      answer: userScoresAnswer,
      example: SCORES_EXAMPLE,
      async find({ user, type = 'best', mode, limit, cursor }, signal) {
        const found = await beatmaps.userScores(user, type, { ruleset: mode, limit, cursor, signal });
        const body = { scores: found.scores.map(toScore), cursor: found.cursor };
        return { ...found, body, freshS: SCORES_FRESH_S[type] };
      },
    });
    registerEndpoint(server, {
      path: '/user/beatmaps',
      operationId: 'userBeatmaps',
      summary: 'A player’s beatmaps',
      description: 'Sets that a player made, nominated, marked as favourite or plays most.',
      about: 'player',
      query: userBeatmapsQuery,
      answer: userBeatmapsAnswer,
      example: USER_BEATMAPS_EXAMPLE,
      async find({ user, type = 'ranked', limit, cursor }, signal) {
        const found = await beatmaps.userBeatmaps(user, type, { limit, cursor, signal });
        const body = { beatmapsets: found.beatmapsets.map(toUserBeatmap), cursor: found.cursor };
        return { ...found, body, freshS: USER_BEATMAPS_FRESH_S };
      },
    });
    registerEndpoint(server, {
      path: '/download',
      operationId: 'download',
      summary: 'Where to download a beatmap',
      description: 'Addresses of a set’s file, the mirrors that work best first, and why when it cannot be downloaded.',
      about: 'beatmap',
      query: downloadQuery,
      answer: downloadAnswer,
      example: DOWNLOAD_EXAMPLE,
      async find({ id }, signal) {
        const found = await beatmaps.download(id, signal);
        const { available, reason, addresses } = found;
        const body = { id: found.id, available, reason, addresses: [...addresses] };
        return { ...found, body, freshS: DOWNLOAD_FRESH_S };
      },
    });
  };
}
