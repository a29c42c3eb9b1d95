import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { starFactor } from '../rating/mod-class.ts';
import { ppRatio, starRatio } from '../rating/ratings.ts';
import type { ClassProfile, Play } from './player-profile.ts';

/** Each costs a file, and the picks themselves need theirs in the same time. */
const PLAYS = 3;
/** Rules change by less; what lies beyond is another map under the same number, or a play of another client. */
const LOWEST = 0.7;
const HIGHEST = 1.4;

/** From all over the list: those on its top stand there because their maps give more than is usual. */
function spread(plays: readonly Play[]): readonly Play[] {
  const ordered = [...plays].sort((a, b) => b.pp - a.pp);
  const places = Array.from({ length: PLAYS }, (_, index) => Math.floor(((index + 1) * ordered.length) / (PLAYS + 1)));
  return ordered.filter((_, place) => places.includes(place));
}

/**
 * What osu! gives for a player's plays with certain mods, as a multiple of what the library works out for them on the scale of today's stars:
 * its rules are older than osu!'s. 1 where there are no plays, or nothing is known about them in time.
 */
export function createPpCalibration(difficulty: Pick<Difficulty, 'of'>) {
  async function ratioOf(play: Play, ruleset: Ruleset, signal: AbortSignal): Promise<number | undefined> {
    const { mapId: id, mods, accuracy, misses, figures, modClass } = play;
    const request = { beatmap: { id, checksum: null, mode: ruleset }, mods, accuracies: [accuracy * 100], misses };
    try {
      const found = await difficulty.of(request, signal);
      const today = figures.stars / starFactor(ruleset, modClass);
      const scale = ppRatio(ruleset, starRatio(today, found.plainStars));
      const ratio = play.pp / ((found.pp[0]?.pp ?? 0) * scale);
      return ratio >= LOWEST && ratio <= HIGHEST ? ratio : undefined;
    } catch {
      // Logged where it failed.
      return undefined;
    }
  }

  return async function libraryRatio({ plays }: ClassProfile, ruleset: Ruleset, signal: AbortSignal): Promise<number> {
    const ratios = await Promise.all(spread(plays).map(play => ratioOf(play, ruleset, signal)));
    const known = ratios.filter(ratio => ratio !== undefined).sort((a, b) => a - b);
    return known[Math.floor(known.length / 2)] ?? 1;
  };
}
