/** A play that did not happen, in the terms in which its worth is worked out. */
import { AppError } from '../../errors.ts';
import type { Beatmap, Ruleset } from '../model/beatmapset.ts';
import { clockRateOf } from '../model/mods.ts';
import type { ScoreMod } from '../model/score.ts';
import type { RatingRequest } from '../rating/ratings.ts';

export interface SimulatedPlay {
  /** 0 to 100. */
  readonly accuracy?: number | undefined;
  readonly combo?: number | undefined;
  readonly misses?: number | undefined;
  readonly n300?: number | undefined;
  readonly n100?: number | undefined;
  readonly n50?: number | undefined;
}

/** Whether a play is described at all. */
export function isDescribed(play: SimulatedPlay): boolean {
  return Object.values(play).some(value => value !== undefined);
}

function hasCounts({ n300, n100, n50 }: SimulatedPlay): boolean {
  return n300 !== undefined || n100 !== undefined || n50 !== undefined;
}

/** How many results a play of the stable client has; null where the map does not say. In catch only the file does. */
function countObjects(
  { count_circles, count_sliders, count_spinners }: Pick<Beatmap, 'count_circles' | 'count_sliders' | 'count_spinners'>,
  ruleset: Ruleset,
): number | null {
  if (ruleset === 'fruits' || count_circles === null) return null;
  if (ruleset === 'taiko') return count_circles;
  return count_circles + (count_sliders ?? 0) + (count_spinners ?? 0);
}

/** The mods with the speed asked for: DT or HT at another rate than their usual one. */
export function modsAtRate(mods: readonly string[], rate: number | undefined): readonly (string | ScoreMod)[] {
  if (rate === undefined || rate === clockRateOf(mods)) return mods;
  const others = mods.filter(mod => clockRateOf([mod]) === 1);
  if (rate === 1) return others;
  const named = mods.find(mod => clockRateOf([mod]) !== 1 && clockRateOf([mod]) > 1 === rate > 1);
  return [...others, { acronym: named ?? (rate > 1 ? 'DT' : 'HT'), settings: { speed_change: rate } }];
}

export interface SimulatedRequest {
  readonly request: Pick<RatingRequest, 'accuracies' | 'misses' | 'combo' | 'play' | 'lazer'>;
  /** Of the play, 0 to 100; null where only the results say it. */
  readonly accuracy: number;
}

/**
 * What to work out for a play. What is not said is as good as it can be.
 *
 * @throws AppError `invalid_request` with params.what `counts`: more results than the map has objects, or counts in catch
 */
export function simulate(
  play: SimulatedPlay,
  beatmap: Pick<Beatmap, 'max_combo' | 'count_circles' | 'count_sliders' | 'count_spinners'>,
  ruleset: Ruleset,
): SimulatedRequest {
  const objects = countObjects(beatmap, ruleset);
  const { misses = 0, combo } = play;
  if (!hasCounts(play)) {
    const best = objects === null ? 100 : Math.max(0, (100 * (objects - misses)) / objects);
    const accuracy = Math.min(play.accuracy ?? best, best);
    return { accuracy, request: { accuracies: [accuracy], misses, ...(combo !== undefined && { combo }) } };
  }
  if (objects === null) throw refuse('results in catch are not known from the map');
  const { n100 = 0, n50 = 0 } = play;
  const left = objects - misses - n100 - n50;
  const n300 = play.n300 ?? (ruleset === 'mania' ? 0 : left);
  const perfect = ruleset === 'mania' ? left - n300 : 0;
  if (n300 < 0 || perfect < 0 || n300 + perfect > left) throw refuse('there are not so many objects');
  const statistics = { perfect, great: n300, ok: n100, meh: n50, miss: misses };
  const longest = beatmap.max_combo ?? objects;
  return {
    accuracy: accuracyOf(statistics, ruleset),
    request: {
      play: { statistics, max_combo: Math.min(combo ?? longest - misses, longest), lazer: false },
      lazer: false,
    },
  };
}

type Counts = Readonly<Record<'perfect' | 'great' | 'ok' | 'meh' | 'miss', number>>;

/** By the stable client's weights. */
function accuracyOf({ perfect, great, ok, meh, miss }: Counts, ruleset: Ruleset): number {
  const all = perfect + great + ok + meh + miss;
  const best = perfect + great;
  const points = ruleset === 'taiko' ? best + ok / 2 : best + ok / 3 + meh / 6;
  return all === 0 ? 0 : (100 * points) / all;
}

function refuse(message: string): AppError {
  return new AppError('invalid_request', message, { params: { what: 'counts' } });
}
