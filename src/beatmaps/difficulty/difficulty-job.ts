/** The worker's jobs and answers, as values that can be sent between threads. */
import type { Ruleset } from '../model/beatmapset.ts';
import { countOf, HIT_RESULTS, type HitCounter, playedObjects, type Score, type ScoreMod } from '../model/score.ts';

/** The counts of a play, under the names of rosu-pp. */
export interface HitCounts
  extends Readonly<Partial<Record<HitCounter | 'largeTickHits' | 'smallTickHits' | 'sliderEndHits', number>>> {
  readonly combo?: number;
  /** How many objects were played; absent if all of them were. */
  readonly passedObjects?: number;
}

export interface DifficultyJob {
  readonly file: Uint8Array;
  /** The ruleset's number, 0 to 3. */
  readonly mode: number;
  readonly mods: readonly ScoreMod[];
  readonly lazer: boolean;
  /** The accuracies to calculate pp for, each from 0 to 100. */
  readonly accuracies: readonly number[];
  readonly misses: number | undefined;
  readonly combo: number | undefined;
  readonly play: HitCounts | undefined;
  readonly strains: boolean;
}

export interface StrainSeries {
  readonly name: string;
  readonly values: readonly number[];
}

/** The settings, tempo and length of a map with mods. */
type MapSettings = Readonly<Record<'ar' | 'od' | 'cs' | 'hp' | 'bpm' | 'clockRate' | 'lengthSeconds', number>>;

export interface DifficultyFigures extends MapSettings {
  readonly stars: number;
  /** The star rating without mods. */
  readonly plainStars: number;
  readonly maxCombo: number;
  /** The part of the map's time that was played, from 0 to 1; absent if it is unknown or the play reached the end. */
  readonly endsAt?: number;
  /** The share of each kind of pattern in the map, by name, from 0 to 1. */
  readonly patterns?: Readonly<Record<string, number>>;
  readonly pp: readonly { readonly accuracy: number; readonly pp: number }[];
  readonly play: { readonly pp: number; readonly ppIfFullCombo: number } | null;
  readonly strains: { readonly sectionMs: number; readonly series: readonly StrainSeries[] } | null;
}

/** Why nothing is calculated: the file is no map or malicious, the map lacks the ruleset, or a mod is unknown. */
export type Refusal = 'unreadable' | 'suspicious' | 'ruleset' | 'mods';

export type DifficultyAnswer = DifficultyFigures | Refusal;

/** Counts that only osu!lazer sends. If a play lacks them they are unknown, not 0. */
const OF_SLIDERS: Readonly<Partial<Record<keyof HitCounts, string>>> = {
  largeTickHits: 'large_tick_hit',
  smallTickHits: 'small_tick_hit',
  sliderEndHits: 'slider_tail_hit',
};

/** The results of a play in a calculator's terms. A failed play ended after as many objects as it has results. */
export function countHits(
  play: Pick<Score, 'statistics' | 'max_combo'> & { readonly passed?: boolean },
  ruleset: Ruleset,
): HitCounts {
  const { statistics, max_combo: combo, passed = true } = play;
  const results = { mode: ruleset, statistics };
  const ended = passed ? {} : { passedObjects: playedObjects(results) };
  // A count that osu!'s API omits is 0 and is passed on as 0, because a calculator would guess a missing number.
  const counted = Object.entries(HIT_RESULTS[ruleset]).map(([name, result]) => [name, countOf(results, result)]);
  const sliders = ruleset === 'osu' ? Object.entries(OF_SLIDERS) : [];
  const reported = sliders.flatMap(([name, result]) => (result in statistics ? [[name, statistics[result]]] : []));
  return { ...Object.fromEntries([...counted, ...reported]), combo, ...ended };
}
