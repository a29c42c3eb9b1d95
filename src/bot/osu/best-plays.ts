import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import type { Player } from '../../beatmaps/model/player.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import type { PpStanding } from '../../beatmaps/plays/totals.ts';

/** As many as one request brings. */
export const PLAYS_A_CALL = 100;

export interface BestPlays extends PpStanding {
  readonly scores: readonly Score[];
  readonly stale: boolean;
}

/** The best plays that osu! tells of, 200 at most, by two calls; their pp in the same order. */
export async function bestPlays(
  { id, mode, statistics }: Player,
  beatmaps: Pick<Beatmaps, 'userScores'>,
  signal: AbortSignal,
): Promise<BestPlays> {
  const asked = { ruleset: mode, limit: PLAYS_A_CALL, signal };
  const first = await beatmaps.userScores(id, 'best', asked);
  const second =
    first.cursor === null ? undefined : await beatmaps.userScores(id, 'best', { ...asked, cursor: first.cursor });
  const scores = [...first.scores, ...(second?.scores ?? [])];
  return {
    scores,
    stale: first.stale || second?.stale === true,
    best: scores.map(({ pp }) => pp ?? 0),
    // Those who have not played for long have none.
    total: statistics?.pp || null,
  };
}
