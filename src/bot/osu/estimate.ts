import type { DifficultyRequest, MapDifficulty } from '../../beatmaps/difficulty/difficulty.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import type { CommandContext } from '../command.ts';

/** A reply does not wait longer for what it can do without. */
const WAIT_MS = 3_000;

type Context = Pick<CommandContext, 'services' | 'signal'>;

/** What a map comes to, or undefined where that is not known in time: a reply never fails for want of an estimate. */
export async function estimate(
  request: DifficultyRequest,
  { services, signal }: Context,
  waitMs = WAIT_MS,
): Promise<MapDifficulty | undefined> {
  try {
    return await services.difficulty?.of(request, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
  } catch {
    // Logged where it failed; here it only matters whether the caller still waits.
    signal.throwIfAborted();
    return undefined;
  }
}

/**
 * What plays with a miss or a broken combo had been worth without, by the play's number. The library's rules are older than osu!'s:
 * its share of a gain is put on what osu! itself gave for the play.
 */
export async function estimateFullCombos(
  scores: readonly Score[],
  context: Context,
): Promise<ReadonlyMap<number, number>> {
  const found = await Promise.all(
    scores.map(async (score): Promise<readonly [number, number] | undefined> => {
      const { id, beatmap, mode: ruleset, mods, pp } = score;
      if (beatmap === null || pp === null || !score.passed || score.is_perfect_combo) return undefined;
      const { play } = (await estimate({ beatmap, ruleset, mods, play: score }, context)) ?? {};
      if (play == null || !(play.pp > 0)) return undefined;
      return [id, (pp * play.ppIfFullCombo) / play.pp];
    }),
  );
  return new Map(found.filter(each => each !== undefined));
}
