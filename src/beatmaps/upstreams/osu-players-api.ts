/** Players, their plays, maps and ranks, from the official API (osu-web 2026-08). */

import * as z from 'zod';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { id, number } from '../model/osu-fields.ts';
import { parseBeatmap, parseBeatmapset } from '../model/osu-schemas.ts';
import { parsePlayer, parsePlayerStandings, parseRankedPlayer } from '../model/player.ts';
import { parseScore, type ScoreType } from '../model/score.ts';
import type { OsuCall } from './osu-call.ts';
import { expectShape, isNotFound, OSU } from './upstream-answer.ts';

export const USER_BEATMAP_TYPES = [
  'ranked',
  'loved',
  'pending',
  'graveyard',
  'guest',
  'nominated',
  'favourite',
  'most_played',
] as const;
export type UserBeatmapType = (typeof USER_BEATMAP_TYPES)[number];

/** One entry of a player's list of sets. */
export interface UserBeatmapset {
  readonly set: Beatmapset;
  /** How often the player played `beatmap_id`; only in `most_played`. */
  readonly count: number | null;
  readonly beatmap_id: number | null;
}

/** One part of a list, of which the API does not state the length. */
export interface ListSlice<T> {
  readonly items: readonly T[];
  /** True when the API returned as many entries as were requested. */
  readonly isFull: boolean;
}

interface SliceOptions {
  /** How many entries to request, from 1 to 100. */
  readonly limit: number;
  readonly offset: number;
}

/** A player: a number is an id, a text a name. */
export type PlayerRef = number | string;

const LEADERBOARD = 50;
const rows = z.array(z.unknown());
const fields = z.record(z.string(), z.unknown());
const playedShape = z.looseObject({ beatmap_id: id, count: number, beatmap: z.unknown(), beatmapset: z.unknown() });
/**
 * Reads the rows that can be read. It throws if there are rows but none can be read, because the API has changed then.
 */
function readRows<T>(all: readonly unknown[] | undefined, what: string, read: (row: unknown) => T | undefined) {
  const given = expectShape(all, OSU, `list of ${what}s`);
  const items = given.flatMap(row => read(row) ?? []);
  if (items.length === 0 && given.length > 0) expectShape(undefined, OSU, what);
  return items;
}

/** Reads the rows of the list that is in this field of an answer. */
function readField<T>(answer: unknown, name: string, what: string, read: (row: unknown) => T | undefined) {
  return readRows(rows.safeParse(fields.safeParse(answer).data?.[name]).data, what, read);
}

function readSlice<T>(answer: unknown, limit: number, what: string, read: (row: unknown) => T | undefined) {
  // Rows beyond the limit are cut off, since they come again with the next slice.
  const all = rows.safeParse(answer).data?.slice(0, limit);
  return { items: readRows(all, what, read), isFull: (all?.length ?? 0) >= limit };
}

/** Reads a row of `most_played`: a difficulty, or only its id, and beside it the set. */
function readPlayed(row: unknown): UserBeatmapset | undefined {
  const played = playedShape.safeParse(row).data;
  const set = parseBeatmapset(played?.beatmapset);
  const beatmap = parseBeatmap(played?.beatmap);
  if (played === undefined || set === undefined) return undefined;
  const beatmaps = beatmap === undefined ? [] : [beatmap];
  return { set: { ...set, beatmaps }, count: played.count, beatmap_id: beatmap?.id ?? played.beatmap_id };
}

function readOwn(row: unknown): UserBeatmapset | undefined {
  const set = parseBeatmapset(row);
  return set === undefined ? undefined : { set, count: null, beatmap_id: null };
}

/** The name with underscores in place of spaces, or the reverse: people confuse them, and a name never has both. */
function otherSpelling(name: string): string | undefined {
  const other = name.includes('_') ? name.replaceAll('_', ' ').trim() : name.replaceAll(' ', '_');
  return other === name || other === '' ? undefined : other;
}

export function createOsuPlayersApi(ask: OsuCall) {
  async function findUser(name: PlayerRef, ruleset: Ruleset | undefined, signal: AbortSignal | undefined) {
    const key = typeof name === 'number' ? name : `@${encodeURIComponent(name)}`;
    const path = `users/${key}${ruleset === undefined ? '' : `/${ruleset}`}`;
    return expectShape(parsePlayer(await ask(path, {}, signal), ruleset), OSU, 'player');
  }

  return {
    /** A player's profile; if no ruleset is given, with the statistics of the ruleset that the player plays most. */
    async user(player: PlayerRef, ruleset?: Ruleset, signal?: AbortSignal) {
      try {
        return await findUser(player, ruleset, signal);
      } catch (error) {
        const other = typeof player === 'string' ? otherSpelling(player) : undefined;
        if (!isNotFound(error) || other === undefined) throw error;
        return findUser(other, ruleset, signal);
      }
    },
    async userScores(
      userId: number,
      type: ScoreType,
      { ruleset, limit, offset }: SliceOptions & { readonly ruleset?: Ruleset | undefined },
      signal?: AbortSignal,
    ) {
      const params = { mode: ruleset, limit, offset, include_fails: type === 'recent' ? 1 : undefined };
      return readSlice(await ask(`users/${userId}/scores/${type}`, params, signal), limit, 'score', parseScore);
    },
    /**
     * A single play, with its difficulty and set. A ruleset is needed only for an `id` from before 2022, when each
     * ruleset numbered its plays separately.
     */
    async score(id: number, ruleset?: Ruleset, signal?: AbortSignal) {
      const path = ruleset === undefined ? `scores/${id}` : `scores/${ruleset}/${id}`;
      return expectShape(parseScore(await ask(path, {}, signal)), OSU, 'score');
    },
    async userBeatmaps(userId: number, type: UserBeatmapType, { limit, offset }: SliceOptions, signal?: AbortSignal) {
      const answer = await ask(`users/${userId}/beatmapsets/${type}`, { limit, offset }, signal);
      return readSlice(answer, limit, 'set', type === 'most_played' ? readPlayed : readOwn);
    },
    /** The world's best plays on a map, best first, with players but without the map; none without a leaderboard. */
    async mapScores(mapId: number, ruleset: Ruleset, mods: readonly string[], signal?: AbortSignal) {
      const params = { mode: ruleset, limit: LEADERBOARD, 'mods[]': mods };
      const answer = await ask(`beatmaps/${mapId}/scores`, params, signal);
      return readField(answer, 'scores', 'score', parseScore);
    },
    /** All plays of a player on a map, without player and map. `not_found` if the map has no leaderboard. */
    async userMapScores(mapId: number, userId: number, ruleset: Ruleset, signal?: AbortSignal) {
      const answer = await ask(`beatmaps/${mapId}/scores/users/${userId}/all`, { ruleset }, signal);
      return readField(answer, 'scores', 'score', parseScore);
    },
    /** The ranks of up to 50 players; accounts that no longer exist are missing. */
    async standings(userIds: readonly number[], signal?: AbortSignal) {
      const answer = await ask('users', { 'ids[]': userIds.map(String) }, signal);
      return readField(answer, 'users', 'player', parsePlayerStandings);
    },
    /** A page of 50 lines of the world's ranking, or of a country's by its two letters. @param page from 1 to 200 */
    async ranking(
      ruleset: Ruleset,
      { page, country }: { readonly page: number; readonly country?: string | undefined },
      signal?: AbortSignal,
    ) {
      const answer = await ask(`rankings/${ruleset}/performance`, { 'cursor[page]': page, country }, signal);
      return readField(answer, 'ranking', 'ranked player', parseRankedPlayer);
    },
  };
}
