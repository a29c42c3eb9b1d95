import type { Candidate } from '../catalogue/candidates.ts';
import { type Figures, figuresWith } from '../rating/mod-class.ts';
import { estimatePp } from '../rating/pp-estimate.ts';
import { isWithinBounds, passesFilters, type RecommendFilters } from './filters.ts';
import { type ClassProfile, FEATURES, type Feature, type Span } from './player-profile.ts';
import type { PlannedSearch, SearchPlan, SearchTarget } from './search-plan.ts';

/** A map with mods, and how well it suits a player. */
export interface ScoredCandidate {
  readonly candidate: Candidate;
  readonly profile: ClassProfile;
  /** The mods to play the map with: those of `profile.modClass`, and HD if the player usually adds it. */
  readonly mods: readonly string[];
  /** The map's stars and settings with the mods. */
  readonly figures: Figures;
  /** The expected pp at the player's usual accuracy, estimated. */
  readonly pp: number;
  /** How well the map suits; higher is better. Only the difference between two maps' values has a meaning. */
  readonly fit: number;
  /** The date of the osu! rules by which pp and stars were calculated; null while they are estimates. */
  readonly algorithm: string | null;
}

/** The least range that is assumed for each feature, since some players always play nearly the same value. */
const LEAST_SPREAD: Readonly<Record<Feature, number>> = { ar: 0.4, od: 0.8, cs: 0.3, bpm: 12, length: 35 };
const FEATURE_WEIGHTS: Readonly<Record<Feature, number>> = { ar: 1, od: 0.3, cs: 0.7, bpm: 0.8, length: 0.5 };
const FARM_WEIGHT = 2.5;
/** How many standard deviations lie between the 20 % and the 80 % quantile. */
const QUANTILE_SPAN = 1.68;
/** The most that one feature's distance counts, so that a map may still suit by its other features. */
const MAX_DISTANCE = 3;

export function scoreCandidate(
  candidate: Candidate,
  { profile, mods }: Pick<PlannedSearch, 'profile' | 'mods'>,
  target: SearchTarget,
): ScoredCandidate {
  const figures = figuresWith(candidate, profile.modClass);
  const { ruleset, objects } = candidate;
  const { accuracy, misses, calibration } = profile;
  const { stars, ar, od } = figures;
  const pp = calibration * estimatePp({ ruleset, stars, ar, od, accuracy, misses, objects, mods });
  const farm = target.farm === undefined ? 0 : FARM_WEIGHT * (target.farm ? 1 : -1);
  const fit =
    Math.log(Math.max(0.02, profile.share)) -
    habitDistance(figures, profile, target.chosen) -
    spanDistance(pp, target.pp) -
    spanDistance(stars, target.stars) +
    target.popularity * quality(candidate) +
    farm * farmShare(candidate, figures);
  return { candidate, profile, mods, figures, pp, fit, algorithm: null };
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

/** Half the squared distance of a value from the middle of a span, where each end of the span has the distance 1. */
function spanDistance(value: number, span: Span | null): number {
  if (span === null) return 0;
  const reach = value < span.middle ? span.middle - span.low : span.high - span.middle;
  return Math.min(MAX_DISTANCE, Math.abs(value - span.middle) / Math.max(0.01, reach)) ** 2 / 2;
}

/** How good other players find a map, judged by its plays, favourites and rating. */
function quality({ plays, favourites, rating }: Candidate): number {
  const liked = 0.12 * Math.log1p(favourites ?? 0) + 0.06 * Math.log1p(plays ?? 0);
  return liked + (rating === null || rating === 0 ? 0 : 0.15 * (rating - 9));
}

/** How likely a map is played for its pp, 0 to 1: such a map is short and often played, but seldom a favourite. */
export function farmShare({ plays, favourites }: Candidate, { length }: Pick<Figures, 'length'>): number {
  const again = Math.log10(((plays ?? 0) + 1_000) / ((favourites ?? 0) + 20));
  const short = (150 - length) / 60;
  return 1 / (1 + Math.exp(-(2 * (again - 2.3) + short)));
}

/** A candidate whose fit is worse by this much is drawn 2.7 times (e times) less often. */
const TEMPERATURE = 0.5;

/** Puts candidates in a random order, in which better ones tend to be earlier. */
export function drawOrder(choices: readonly ScoredCandidate[], random: () => number): readonly ScoredCandidate[] {
  return choices
    .map(choice => ({ choice, key: choice.fit / TEMPERATURE - Math.log(-Math.log(random() || Number.MIN_VALUE)) }))
    .sort((a, b) => b.key - a.key)
    .map(({ choice }) => choice);
}

const ROW = 10;
const MAX_OF_MAPPER = 2;

/** The first `limit` candidates, with each set once and at most two maps of one mapper in any ten in a row. */
export function spreadOut(ordered: Iterable<ScoredCandidate>, limit: number): readonly ScoredCandidate[] {
  const all = [...ordered];
  const picked: ScoredCandidate[] = [];
  const fits = ({ candidate: { setId, mapper } }: ScoredCandidate) => {
    if (picked.some(({ candidate }) => candidate.setId === setId)) return false;
    const row = mapper === null ? [] : picked.slice(1 - ROW);
    return row.filter(({ candidate }) => candidate.mapper === mapper).length < MAX_OF_MAPPER;
  };
  while (picked.length < limit) {
    const next = all.find(fits);
    if (next === undefined) break;
    picked.push(next);
  }
  return picked;
}

/** Puts candidates with the searched pp before all others, and otherwise keeps their order. */
export function withinFirst(choices: readonly ScoredCandidate[], plan: SearchPlan): readonly ScoredCandidate[] {
  return [...choices.filter(choice => isWithin(choice, plan)), ...choices.filter(choice => !isWithin(choice, plan))];
}

export function isWithin({ pp, figures }: ScoredCandidate, { target }: SearchPlan): boolean {
  return isWithinBounds(pp, target.pp) && isWithinBounds(figures.stars, target.stars);
}

/** How far calculated pp may be from the middle of the target, as a share of the middle. */
const MAX_MISS = 0.1;

/** True when a candidate still suits after its pp and stars were calculated. */
export function isHit(choice: ScoredCandidate, { target }: SearchPlan, filters: RecommendFilters): boolean {
  if (!passesFilters(choice.figures, choice.pp, filters)) return false;
  if (target.pp === null || filters.pp !== undefined) return true;
  return Math.abs(choice.pp - target.pp.middle) <= MAX_MISS * target.pp.middle;
}

/**
 * The maps that still suit after their pp were calculated. If the pp of all of them miss the target, the maps that pass
 * the filters are returned, those nearest to the target first.
 */
export function fittingOf(refined: readonly ScoredCandidate[], plan: SearchPlan, filters: RecommendFilters) {
  const hits = refined.filter(choice => isHit(choice, plan, filters));
  const { pp } = plan.target;
  if (hits.length > 0 || pp === null) return hits;
  const distance = (choice: ScoredCandidate) => Math.abs(choice.pp - pp.middle);
  return refined
    .filter(choice => passesFilters(choice.figures, choice.pp, filters))
    .toSorted((a, b) => distance(a) - distance(b));
}
