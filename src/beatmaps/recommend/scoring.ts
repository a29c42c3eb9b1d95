import type { Candidate } from '../catalogue/candidate.ts';
import { type Figures, figuresWith } from '../rating/mod-class.ts';
import { estimatePp } from '../rating/pp-estimate.ts';
import { type ClassProfile, FEATURES, type Feature } from './player-profile.ts';
import type { PlannedSearch, SearchTarget, Span } from './search-plan.ts';

/** A map with mods for a player, and how well it suits them. */
export interface ScoredCandidate {
  readonly candidate: Candidate;
  readonly profile: ClassProfile;
  /** To play it with: those of the class, and HD where it belongs to it. */
  readonly mods: readonly string[];
  /** With mods. */
  readonly figures: Figures;
  /** Expected, by estimate. */
  readonly pp: number;
  /** The higher the better; only differences mean something. */
  readonly fit: number;
}

/** How far from a habit is far, where the habit is narrower than that. */
const LEAST_SPREAD: Readonly<Record<Feature, number>> = { ar: 0.4, od: 0.8, cs: 0.3, bpm: 12, length: 35 };
const FEATURE_WEIGHTS: Readonly<Record<Feature, number>> = { ar: 1, od: 0.3, cs: 0.7, bpm: 0.8, length: 0.5 };
/** From the 20 % to the 80 % quantile, in standard deviations. */
const QUANTILE_SPAN = 1.68;
/** Nothing is so far off that it could not be made up for. */
const MAX_DISTANCE = 3;

/** Expected pp of a map with the mods of a class, at the player's usual accuracy. */
function expectedPp(candidate: Candidate, profile: ClassProfile, figures: Figures, mods: readonly string[]): number {
  const { ruleset, objects } = candidate;
  const { accuracy, misses, calibration } = profile;
  return (
    calibration *
    estimatePp({
      ruleset,
      stars: figures.stars,
      ar: figures.ar,
      od: figures.od,
      accuracy,
      misses,
      objects,
      mods,
    })
  );
}

export function scoreCandidate(
  candidate: Candidate,
  { profile, mods }: Pick<PlannedSearch, 'profile' | 'mods'>,
  target: SearchTarget,
): ScoredCandidate {
  const figures = figuresWith(candidate, profile.modClass);
  const pp = expectedPp(candidate, profile, figures, mods);
  const fit =
    Math.log(Math.max(0.02, profile.share)) -
    habitDistance(figures, profile, target.chosen) -
    spanDistance(pp, target.pp) -
    spanDistance(figures.stars, target.stars) +
    target.popularity * quality(candidate) +
    farmBonus(candidate, figures, target.farm);
  return { candidate, profile, mods, figures, pp, fit };
}

function habitDistance(figures: Figures, { features }: ClassProfile, chosen: readonly Feature[]): number {
  let sum = 0;
  for (const feature of FEATURES) {
    const value = figures[feature];
    const habit = features[feature];
    if (value === null || habit === undefined || chosen.includes(feature)) continue;
    const spread = Math.max(LEAST_SPREAD[feature], (habit.high - habit.low) / QUANTILE_SPAN);
    const distance = Math.min(MAX_DISTANCE, Math.abs(value - habit.middle) / spread);
    sum += (FEATURE_WEIGHTS[feature] * distance ** 2) / 2;
  }
  return sum;
}

/** The middle is best, the ends are half as good, in the logarithm's sense. */
function spanDistance(value: number, span: Span | null): number {
  if (span === null) return 0;
  const reach = value < span.middle ? span.middle - span.low : span.high - span.middle;
  return Math.min(MAX_DISTANCE, Math.abs(value - span.middle) / Math.max(0.01, reach)) ** 2 / 2;
}

/** What others make of it: many plays, favourites and a good rating. */
function quality({ plays, favourites, rating }: Candidate): number {
  const liked = 0.12 * Math.log1p(favourites ?? 0) + 0.06 * Math.log1p(plays ?? 0);
  return liked + (rating === null || rating === 0 ? 0 : 0.15 * (rating - 9));
}

/** From 0 to 1: short, played over and over, and rather played than loved. */
export function farmShare({ plays, favourites }: Candidate, { length }: Pick<Figures, 'length'>): number {
  const again = Math.log10(((plays ?? 0) + 1_000) / ((favourites ?? 0) + 20));
  const short = (150 - length) / 60;
  return 1 / (1 + Math.exp(-(2 * (again - 2.3) + short)));
}

function farmBonus(candidate: Candidate, figures: Figures, farm: boolean | undefined): number {
  if (farm === undefined) return 0;
  return (farm ? 2.5 : -2.5) * farmShare(candidate, figures);
}
