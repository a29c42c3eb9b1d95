import type { Score } from '../../beatmaps/model/score.ts';
import type { Rating } from '../../beatmaps/rating/ratings.ts';
import type { CommandContext } from '../contract/command.ts';

/**
 * What plays come to, by the play's number: stars with their mods, what those without pp had been worth, and what the others had been
 * worth as full combos. Plays of unknown maps are left out.
 */
export async function ratePlays(
  scores: readonly Score[],
  { services, signal }: Pick<CommandContext, 'services' | 'signal'>,
): Promise<ReadonlyMap<number, Rating>> {
  const rateable = scores.flatMap(score => (score.beatmap === null ? [] : [{ score, beatmap: score.beatmap }]));
  const rated = await services.ratings.ofMaps(
    rateable.map(({ score, beatmap }) => {
      const { mode: ruleset, mods, pp, is_perfect_combo, lazer } = score;
      const isWhole = pp !== null && is_perfect_combo;
      return { beatmap, ruleset, mods, lazer, ...(isWhole ? {} : { play: score, knownPp: pp }) };
    }),
    signal,
  );
  return new Map(
    rateable.flatMap(({ score }, index) => {
      const rating = rated[index];
      return rating === undefined ? [] : [[score.id, rating] as const];
    }),
  );
}
