import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import { renderOffsetCursor } from '../../beatmaps/cursor.ts';
import type { Player } from '../../beatmaps/model/player.ts';
import type { Score, ScoreType } from '../../beatmaps/model/score.ts';
import type { Rating, RatingRequest } from '../../beatmaps/rating/ratings.ts';
import type { CommandContext } from '../contract/command.ts';

/** The number of plays that one request to osu! returns. */
export const PLAYS_A_CALL = 100;
const MOST_CALLS = 2;

export interface Plays {
  readonly scores: readonly Score[];
  readonly stale: boolean;
  /** True when the player's list has more plays than these. */
  readonly hasMore: boolean;
}

type Asked = Pick<Player, 'id' | 'mode'>;

/** A part of a player's list, as many plays as one request returns. @param part the number of the part, from 0 */
export async function playsPart(
  { id, mode }: Asked,
  type: ScoreType,
  part: number,
  beatmaps: Pick<Beatmaps, 'userScores'>,
  signal: AbortSignal,
): Promise<Plays> {
  const { scores, stale, cursor } = await beatmaps.userScores(id, type, {
    ruleset: mode,
    limit: PLAYS_A_CALL,
    ...(part > 0 && { cursor: renderOffsetCursor(part * PLAYS_A_CALL) }),
    signal,
  });
  return { scores, stale, hasMore: cursor !== null };
}

/** The first 200 plays of a player's list, read with two requests; osu! has no more best plays. */
export async function firstPlays(
  player: Asked,
  type: ScoreType,
  beatmaps: Pick<Beatmaps, 'userScores'>,
  signal: AbortSignal,
): Promise<Plays> {
  const parts: Plays[] = [];
  for (let part = 0; part < MOST_CALLS && parts.at(-1)?.hasMore !== false; part += 1) {
    parts.push(await playsPart(player, type, part, beatmaps, signal));
  }
  return {
    scores: parts.flatMap(({ scores }) => scores),
    stale: parts.some(({ stale }) => stale),
    hasMore: parts.at(-1)?.hasMore ?? false,
  };
}

export type BestPlays = Awaited<ReturnType<typeof bestPlays>>;

/** The best plays that osu! has, with their pp in the same order. */
export async function bestPlays(player: Player, beatmaps: Pick<Beatmaps, 'userScores'>, signal: AbortSignal) {
  const { scores, stale } = await firstPlays(player, 'best', beatmaps, signal);
  // osu! states no total for people who have not played for a long time.
  return { scores, stale, best: scores.map(({ pp }) => pp ?? 0), total: player.statistics?.pp || null };
}

/**
 * Ratings by play, and not by the play's id, because several failed plays may have the same id. A rating has the stars
 * with the play's mods and, unless the play is a full combo with pp from osu!, its pp with and without misses. Plays of
 * unknown maps are left out.
 */
export async function ratePlays(
  scores: readonly Score[],
  { services, signal }: Pick<CommandContext, 'services' | 'signal'>,
  { strains = false, isScan = false }: Pick<RatingRequest, 'strains' | 'isScan'> = {},
): Promise<ReadonlyMap<Score, Rating>> {
  const rateable = scores.flatMap(score => (score.beatmap === null ? [] : [{ score, beatmap: score.beatmap }]));
  const rated = await services.ratings.ofMaps(
    rateable.map(({ score, beatmap }) => {
      const { mode: ruleset, mods, pp, is_perfect_combo, lazer } = score;
      const isWhole = pp !== null && is_perfect_combo;
      return { beatmap, ruleset, mods, lazer, strains, isScan, ...(isWhole ? {} : { play: score, knownPp: pp }) };
    }),
    signal,
  );
  return new Map(
    rateable.flatMap(({ score }, index) => {
      const rating = rated[index];
      return rating === undefined ? [] : [[score, rating] as const];
    }),
  );
}
