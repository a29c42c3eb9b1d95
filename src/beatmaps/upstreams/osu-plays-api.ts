import type { Ruleset } from '../model/beatmapset.ts';
import { type PlayerStandings, parsePlayerStandings, parseRankedPlayer, type RankedPlayer } from '../model/player.ts';
import { parseScore, type Score } from '../model/score.ts';
import type { OsuCall } from './osu-call.ts';
import { expectShape, OSU } from './upstream-answer.ts';
/** What the official API knows of plays on one map, and of how players stand (osu-web 2026-08). */

import * as z from 'zod';

export interface OsuPlaysApi {
  /** The best of the world on a map, best first, with their players but without the map. Empty where it has no leaderboard. */
  mapScores(
    mapId: number,
    options: { readonly ruleset: Ruleset; readonly mods: readonly string[] },
    signal?: AbortSignal,
  ): Promise<readonly Score[]>;
  /** All plays of a player on a map, without map and player. `not_found` where the map has no leaderboard. */
  userMapScores(mapId: number, userId: number, ruleset: Ruleset, signal?: AbortSignal): Promise<readonly Score[]>;
  /** Up to 50 at once; those that are gone are missing. */
  standings(userIds: readonly number[], signal?: AbortSignal): Promise<readonly PlayerStandings[]>;
  /** 50 lines of the world ranking. @param page from 1 to 200 */
  ranking(ruleset: Ruleset, page: number, signal?: AbortSignal): Promise<readonly RankedPlayer[]>;
}

const LEADERBOARD = 50;
const scoresShape = z.looseObject({ scores: z.array(z.unknown()) });
const usersShape = z.looseObject({ users: z.array(z.unknown()) });
const rankingShape = z.looseObject({ ranking: z.array(z.unknown()) });

/** What can be read; a list in which nothing can is another shape than ours. */
function readRows<T>(all: readonly unknown[] | undefined, what: string, read: (row: unknown) => T | undefined) {
  const given = expectShape(all, OSU, `list of ${what}s`);
  const rows = given.flatMap(row => read(row) ?? []);
  if (rows.length === 0 && given.length > 0) expectShape(undefined, OSU, what);
  return rows;
}

export function createOsuPlaysApi(ask: OsuCall): OsuPlaysApi {
  return {
    async mapScores(mapId, { ruleset, mods }, signal) {
      const params = { mode: ruleset, limit: LEADERBOARD, 'mods[]': mods };
      const answer = await ask(`beatmaps/${mapId}/scores`, params, signal);
      return readRows(scoresShape.safeParse(answer).data?.scores, 'score', parseScore);
    },
    async userMapScores(mapId, userId, ruleset, signal) {
      const answer = await ask(`beatmaps/${mapId}/scores/users/${userId}/all`, { ruleset }, signal);
      return readRows(scoresShape.safeParse(answer).data?.scores, 'score', parseScore);
    },
    async standings(userIds, signal) {
      const answer = await ask('users', { 'ids[]': userIds.map(String) }, signal);
      return readRows(usersShape.safeParse(answer).data?.users, 'player', parsePlayerStandings);
    },
    async ranking(ruleset, page, signal) {
      const answer = await ask(`rankings/${ruleset}/performance`, { 'cursor[page]': page }, signal);
      return readRows(rankingShape.safeParse(answer).data?.ranking, 'ranked player', parseRankedPlayer);
    },
  };
}
