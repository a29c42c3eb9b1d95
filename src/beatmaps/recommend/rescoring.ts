import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors.ts';
import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { ppRatio, starRatio } from '../rating/ratings.ts';
import type { ClassProfile } from './player-profile.ts';
import { createPpCalibration } from './pp-calibration.ts';
import type { ScoredCandidate } from './scoring.ts';

export interface Rescoring {
  readonly choice: ScoredCandidate;
  /** Day of the rules its pp and stars were computed by; null when they are still estimates. */
  readonly algorithm: string | null;
}

interface Shortlisted {
  readonly choice: ScoredCandidate;
  readonly set: Beatmapset | undefined;
  readonly mods: readonly string[];
}

export interface RescoringOptions {
  readonly difficulty: Pick<Difficulty, 'of'> | undefined;
  /** For the whole list; what is not there by then stays an estimate. */
  readonly waitMs: number;
}

/**
 * Replaces estimates by what the maps themselves say, on the scale of what osu! gave for the player's own plays, as far as time allows.
 * Those come first, each in their order.
 */
export function createRescoring({ difficulty, waitMs }: RescoringOptions) {
  type RatioFor = (choice: ScoredCandidate, ruleset: Ruleset) => Promise<number>;

  async function refineOne(
    { choice, set, mods }: Shortlisted,
    ratioFor: RatioFor,
    signal: AbortSignal,
  ): Promise<Rescoring> {
    const beatmap = set?.beatmaps.find(({ id }) => id === choice.candidate.id);
    if (difficulty === undefined || beatmap === undefined) return { choice, algorithm: null };
    const { accuracy, misses } = choice.profile;
    try {
      const [found, ratio] = await Promise.all([
        difficulty.of({ beatmap, mods, accuracies: [accuracy * 100], misses }, signal),
        ratioFor(choice, beatmap.mode),
      ]);
      const known = found.pp[0]?.pp;
      const scale = ppRatio(beatmap.mode, starRatio(beatmap.difficulty_rating, found.plainStars));
      const pp = known === undefined ? choice.pp : known * ratio * scale;
      // Without mods osu! itself gives the stars.
      const stars = choice.profile.modClass.key === '' ? choice.figures.stars : found.stars;
      const figures = { ...choice.figures, stars };
      return { choice: { ...choice, figures, pp }, algorithm: found.algorithm };
    } catch {
      // Logged where it failed.
      return { choice, algorithm: null };
    }
  }

  return async function refine(list: readonly Shortlisted[], signal?: AbortSignal): Promise<readonly Rescoring[]> {
    if (difficulty === undefined) return list.map(({ choice }) => ({ choice, algorithm: null }));
    const deadline = AbortSignal.timeout(waitMs);
    const own = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    // One for each map, which is more than Node takes for a mistake.
    setMaxListeners(0, own);
    const ratio = createPpCalibration(difficulty);
    const ratios = new Map<ClassProfile, Promise<number>>();
    const ratioFor: RatioFor = ({ profile }, ruleset) => {
      const known = ratios.get(profile) ?? ratio(profile, ruleset, own);
      ratios.set(profile, known);
      return known;
    };
    const refined = await Promise.all(list.map(one => refineOne(one, ratioFor, own)));
    if (signal?.aborted === true) throw new AppError('timeout', 'the caller left', { cause: signal.reason });
    return [...refined.filter(isComputed), ...refined.filter(one => !isComputed(one))];
  };
}

function isComputed({ algorithm }: Rescoring): boolean {
  return algorithm !== null;
}
