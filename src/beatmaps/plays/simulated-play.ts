/** A play that did not take place, described by a person who wants to know its pp. */
import { invalidRequest } from '../../errors.ts';
import type { Beatmap, Ruleset } from '../model/beatmapset.ts';
import { clockRateOf } from '../model/mods.ts';
import type { ScoreMod } from '../model/score.ts';

export interface SimulatedPlay
  extends Readonly<Partial<Record<'combo' | 'misses' | 'n300' | 'n100' | 'n50', number | undefined>>> {
  /** The accuracy from 0 to 100. */
  readonly accuracy?: number | undefined;
}

/** True when the person stated anything about the play. */
export function isDescribed(play: SimulatedPlay): boolean {
  return Object.values(play).some(value => value !== undefined);
}

type Counted = Pick<Beatmap, 'mode' | 'max_combo' | 'count_circles' | 'count_sliders' | 'count_spinners'>;

/**
 * How many hit results a play of osu!stable has; null if the map does not tell: in catch, for converts, and where an
 * upstream states no objects.
 */
function countObjects(
  { mode, count_circles, count_sliders, count_spinners }: Counted,
  ruleset: Ruleset,
): number | null {
  if (ruleset === 'fruits' || mode !== ruleset || count_circles === null) return null;
  const others = ruleset === 'taiko' ? 0 : (count_sliders ?? 0) + (count_spinners ?? 0);
  return count_circles + others || null;
}

/** Mods that run the map at the requested speed: if need be, DT or HT with an unusual rate. */
export function modsAtRate(mods: readonly string[], rate: number | undefined): readonly (string | ScoreMod)[] {
  if (rate === undefined || rate === clockRateOf(mods)) return mods;
  const others = mods.filter(mod => clockRateOf([mod]) === 1);
  if (rate === 1) return others;
  const named = mods.find(mod => clockRateOf([mod]) !== 1 && clockRateOf([mod]) > 1 === rate > 1);
  return [...others, { acronym: named ?? (rate > 1 ? 'DT' : 'HT'), settings: { speed_change: rate } }];
}

/**
 * Turns a described play into a request to the calculator, with the play's accuracy, 0 to 100, and its misses. What the
 * person did not state is the best possible.
 * @throws AppError `invalid_request` with params.what `counts`: for more or fewer results than the map has objects, and
 * for any stated counts where the number of objects is unknown, as in catch and for converts
 */
export function simulate(play: SimulatedPlay, beatmap: Counted, ruleset: Ruleset, mods: readonly ScoreMod[] = []) {
  const objects = countObjects(beatmap, ruleset);
  const { misses = 0, combo } = play;
  if (objects !== null && misses > objects) throw invalidRequest('counts', 'there are not so many objects');
  if ([play.n300, play.n100, play.n50].every(count => count === undefined)) {
    const isStable = mods.some(({ acronym }) => acronym === 'CL');
    // In mania, osu!lazer rates the end of a hold note apart. osu!'s API counts hold notes as sliders.
    const ends = ruleset === 'mania' && !isStable ? (beatmap.count_sliders ?? 0) : 0;
    const results = objects === null ? null : objects + ends;
    const best = results === null ? 100 : Math.max(0, (100 * (results - misses)) / results);
    const accuracy = Math.min(play.accuracy ?? best, best);
    return { accuracy, misses, request: { accuracies: [accuracy], misses, ...(combo !== undefined && { combo }) } };
  }
  if (objects === null) throw invalidRequest('counts', 'the map does not tell how many results there are');
  const statistics = countResults(play, objects, ruleset);
  const longest = beatmap.max_combo ?? objects;
  return {
    accuracy: accuracyOf(statistics, ruleset),
    misses: statistics.miss,
    request: {
      play: { statistics, max_combo: Math.min(combo ?? longest - statistics.miss, longest), lazer: false },
      lazer: false,
    },
  };
}

/** Adds the best possible results to the stated ones. @throws AppError `invalid_request` */
function countResults({ n300, n100, n50, misses }: SimulatedPlay, objects: number, ruleset: Ruleset): Counts {
  const given = (n300 ?? 0) + (n100 ?? 0) + (n50 ?? 0) + (misses ?? 0);
  const counts = { perfect: 0, great: n300 ?? 0, ok: n100 ?? 0, meh: n50 ?? 0, miss: misses ?? 0 };
  const rest = objects - given;
  if (rest < 0) throw invalidRequest('counts', 'there are not so many objects');
  if (rest === 0) return counts;
  if (ruleset === 'mania') return { ...counts, perfect: rest };
  if (n300 === undefined) return { ...counts, great: rest };
  if (n100 === undefined) return { ...counts, ok: rest };
  if (n50 === undefined && ruleset === 'osu') return { ...counts, meh: rest };
  if (misses === undefined) return { ...counts, miss: rest };
  throw invalidRequest('counts', 'there are more objects');
}

type Counts = Readonly<Record<'perfect' | 'great' | 'ok' | 'meh' | 'miss', number>>;

/** The accuracy by the weights that osu!stable gives to hit results. */
function accuracyOf({ perfect, great, ok, meh, miss }: Counts, ruleset: Ruleset): number {
  const all = perfect + great + ok + meh + miss;
  const best = perfect + great;
  const points = ruleset === 'taiko' ? best + ok / 2 : best + ok / 3 + meh / 6;
  return all === 0 ? 0 : (100 * points) / all;
}
