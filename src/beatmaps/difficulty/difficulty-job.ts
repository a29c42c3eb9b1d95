/** What the worker is given and what it says, as values that can be sent between threads. */
import type { ScoreMod } from '../model/score.ts';

/** Figures of a play, named as rosu-pp names them. */
export interface HitCounts {
  readonly nGeki?: number;
  readonly nKatu?: number;
  readonly n300?: number;
  readonly n100?: number;
  readonly n50?: number;
  readonly misses?: number;
  readonly largeTickHits?: number;
  readonly smallTickHits?: number;
  readonly sliderEndHits?: number;
  readonly combo?: number;
  /** How many objects were played; absent for all of them. */
  readonly passedObjects?: number;
}

export interface DifficultyJob {
  readonly file: Uint8Array;
  /** 0 to 3. */
  readonly mode: number;
  readonly mods: readonly ScoreMod[];
  readonly lazer: boolean;
  /** 0 to 100. */
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

export interface DifficultyFigures {
  readonly stars: number;
  /** Without mods. */
  readonly plainStars: number;
  readonly maxCombo: number;
  readonly ar: number;
  readonly od: number;
  readonly cs: number;
  readonly hp: number;
  readonly bpm: number;
  readonly clockRate: number;
  readonly lengthSeconds: number;
  readonly aim?: number;
  readonly speed?: number;
  /** What the map is made of, by name, each from 0 to 1. */
  readonly patterns?: Readonly<Record<string, number>>;
  readonly pp: readonly { readonly accuracy: number; readonly pp: number }[];
  readonly play: { readonly pp: number; readonly ppIfFullCombo: number } | null;
  readonly strains: { readonly sectionMs: number; readonly series: readonly StrainSeries[] } | null;
}

/** Why there are no figures: the file is no map, it was made to break calculators, it exists in another ruleset only, a mod is unknown. */
export type Refusal = 'unreadable' | 'suspicious' | 'ruleset' | 'mods';

export type DifficultyAnswer =
  | { readonly kind: 'figures'; readonly figures: DifficultyFigures }
  | { readonly kind: 'refused'; readonly why: Refusal };
