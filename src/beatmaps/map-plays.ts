/** This file reads plays on one map, and the ranks of players. Only the official API has both. */
import { POLICIES } from './cache-policy.ts';
import { type Beatmap, type Beatmapset, type Ruleset, statusNumber } from './model/beatmapset.ts';
import type { Score } from './model/score.ts';
import { type OsuAccess, playerAnswer, requireOsu } from './players.ts';
import { missingAs } from './upstreams/upstream-answer.ts';

export interface MapInSet {
  readonly beatmap: Beatmap;
  readonly set: Beatmapset;
}

/** The last rank in osu!'s world ranking. */
export const MAX_RANK = 10_000;
const RANKS_A_PAGE = 50;
const MAX_STANDINGS = 50;

/**
 * Adds the map and its set to scores, since osu! leaves them out of these answers. The map's combo is unknown in a ruleset
 * that is not its own.
 */
function onMap(scores: readonly Score[], { beatmap, set }: MapInSet): readonly Score[] {
  const beatmapset = { ...set, beatmaps: [] };
  return scores.map(score => {
    const played = score.mode === beatmap.mode ? beatmap : { ...beatmap, max_combo: null };
    return { ...score, beatmap_id: beatmap.id, beatmap: played, beatmapset };
  });
}

/** @throws AppError from every method: `credentials_required` (params.what `score` or `player`), an upstream's code */
export function createMapPlays({ osu, caches }: OsuAccess) {
  const ownScores =
    (use: 'own' | 'member') => async (map: MapInSet, userId: number, ruleset: Ruleset, signal?: AbortSignal) => {
      const api = requireOsu(osu, 'score');
      if (statusNumber(map.beatmap.status) <= 0) return { scores: [], ...playerAnswer('load') };
      const { value, from } = await caches.mapScores.wrap(
        `osu-${use}-scores:${map.beatmap.id}:${userId}:${ruleset}`,
        own => missingAs('beatmap', api.userMapScores(map.beatmap.id, userId, ruleset, own)),
        POLICIES[`${use}Scores`],
        signal,
      );
      return { scores: onMap(value, map), ...playerAnswer(from) };
    };

  /** A page of 50 players of the world's ranking, or of a country's by its two letters. @param page from 1 */
  async function ranking(
    ruleset: Ruleset,
    { page, country }: { readonly page: number; readonly country?: string | undefined },
    signal?: AbortSignal,
  ) {
    const api = requireOsu(osu, 'player');
    const { value, from } = await caches.rankings.wrap(
      `osu-ranking:${ruleset}:${country ?? 'world'}:${page}`,
      own => api.ranking(ruleset, { page, country }, own),
      POLICIES.ranking,
      signal,
    );
    return { players: value, ...playerAnswer(from) };
  }

  return {
    /**
     * The world's best plays on a map, at most 50.
     * @param mods only plays with exactly these; undefined for all plays, an empty list for plays without mods
     */
    async mapScores(
      map: MapInSet,
      { ruleset, mods }: { readonly ruleset: Ruleset; readonly mods?: readonly string[] | undefined },
      signal?: AbortSignal,
    ) {
      const api = requireOsu(osu, 'score');
      const asked = mods === undefined ? [] : mods.length === 0 ? ['NM'] : mods;
      const { value, from } = await caches.mapScores.wrap(
        `osu-map-scores:${map.beatmap.id}:${ruleset}:${asked.join('')}`,
        own => missingAs('beatmap', api.mapScores(map.beatmap.id, ruleset, asked, own)),
        POLICIES.mapScores,
        signal,
      );
      return { scores: onMap(value, map), ...playerAnswer(from) };
    },
    /** All plays of a player on a map; none if it has no leaderboard. */
    userMapScores: ownScores('own'),
    /** Like `userMapScores`, but cached longer, so that paging through a list of members repeats no requests. */
    memberMapScores: ownScores('member'),
    /** The standings of players in the given order, at most 50; accounts that no longer exist are missing. */
    async standings(userIds: readonly number[], signal?: AbortSignal) {
      const api = requireOsu(osu, 'player');
      const ids = [...new Set(userIds)].slice(0, MAX_STANDINGS);
      if (ids.length === 0) return { players: [], ...playerAnswer('load') };
      const { value, from } = await caches.standings.wrap(
        `osu-standings:${[...ids].sort((a, b) => a - b).join(',')}`,
        own => api.standings(ids, own),
        POLICIES.standings,
        signal,
      );
      const players = ids.flatMap(id => value.find(player => player.id === id) ?? []);
      return { players, ...playerAnswer(from) };
    },
    /** The player at that rank of the world; undefined if osu! does not state it. @param rank from 1 to 10 000 */
    async rankHolder(ruleset: Ruleset, rank: number, signal?: AbortSignal) {
      const { players, ...answer } = await ranking(ruleset, { page: Math.ceil(rank / RANKS_A_PAGE) }, signal);
      return { holder: players[(rank - 1) % RANKS_A_PAGE], ...answer };
    },
    ranking,
  };
}
