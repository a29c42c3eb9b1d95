import type { Candidate } from '../catalogue/candidates.ts';
import { type Figures, figuresWith } from '../rating/mod-class.ts';
import { estimatePp } from '../rating/pp-estimate.ts';
import { passesFilters, type RecommendFilters } from './filters.ts';
import { type ClassProfile, FEATURES, type Feature, type Span } from './player-profile.ts';
import type { PlannedSearch, SearchPlan, SearchTarget } from './search-plan.ts';

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
  const { stars, ar, od } = figures;
  return calibration * estimatePp({ ruleset, stars, ar, od, accuracy, misses, objects, mods });
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

/** Other players' opinion: many plays, favourites and a good rating. */
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

/** Choices whose fit is this much worse are drawn e times as rarely. */
const TEMPERATURE = 0.5;

/** The choices in the order in which a weighted draw without putting back brings them: the fitter, the earlier. */
export function drawOrder(choices: readonly ScoredCandidate[], random: () => number): readonly ScoredCandidate[] {
  return choices
    .map(choice => ({ choice, key: choice.fit / TEMPERATURE - Math.log(-Math.log(random() || Number.MIN_VALUE)) }))
    .sort((a, b) => b.key - a.key)
    .map(({ choice }) => choice);
}

const ROW = 10;
const MAX_OF_MAPPER = 2;

/** The first `limit` of them with every set once, and of no mapper more than two among any ten in a row. */
export function spreadOut(ordered: Iterable<ScoredCandidate>, limit: number): readonly ScoredCandidate[] {
  const picked: ScoredCandidate[] = [];
  let waiting: ScoredCandidate[] = [];
  const sets = new Set<number>();
  const fits = ({ candidate }: ScoredCandidate) =>
    candidate.mapper === null ||
    picked.slice(-(ROW - 1)).filter(one => one.candidate.mapper === candidate.mapper).length < MAX_OF_MAPPER;
  const take = (choice: ScoredCandidate) => {
    picked.push(choice);
    sets.add(choice.candidate.setId);
  };
  for (const choice of ordered) {
    if (picked.length >= limit) break;
    if (sets.has(choice.candidate.setId)) continue;
    if (!fits(choice)) {
      waiting.push(choice);
      continue;
    }
    take(choice);
    const ready = waiting.find(one => fits(one) && !sets.has(one.candidate.setId));
    if (ready === undefined || picked.length >= limit) continue;
    take(ready);
    waiting = waiting.filter(one => one !== ready);
  }
  return picked;
}

/** Those within the target before those beside it, each in their order. */
export function withinFirst(choices: readonly ScoredCandidate[], plan: SearchPlan): readonly ScoredCandidate[] {
  return [...choices.filter(choice => isWithin(choice, plan)), ...choices.filter(choice => !isWithin(choice, plan))];
}

export function isWithin({ pp, figures }: ScoredCandidate, { target }: SearchPlan): boolean {
  return isInSpan(pp, target.pp) && isInSpan(figures.stars, target.stars);
}

function isInSpan(value: number, span: Span | null): boolean {
  return span === null || (value >= span.low && value <= span.high);
}

/** How far from the middle of the target, as a share of it, real figures may be. */
const MAX_MISS = 0.1;

/** True when a choice still fits now that its real figures are known. */
export function isHit(choice: ScoredCandidate, { target }: SearchPlan, filters: RecommendFilters): boolean {
  if (!passesFilters(choice.figures, choice.pp, filters)) return false;
  if (target.pp === null || filters.pp !== undefined) return true;
  return Math.abs(choice.pp - target.pp.middle) <= MAX_MISS * target.pp.middle;
}

interface Refined {
  readonly choice: ScoredCandidate;
  /** Null while its figures are estimates. */
  readonly algorithm: string | null;
}

/** True when {@link fittingOf} gave maps of the target, rather than the nearest there are. */
export function isOfTarget(fitting: readonly Refined[], plan: SearchPlan, filters: RecommendFilters): boolean {
  return fitting.some(({ choice }) => isHit(choice, plan, filters));
}

/** Those that still fit; where all real figures lie beside the target, what was asked for all the same, the nearest first. */
export function fittingOf<T extends Refined>(
  refined: readonly T[],
  plan: SearchPlan,
  filters: RecommendFilters,
): readonly T[] {
  const hits = refined.filter(({ choice }) => isHit(choice, plan, filters));
  const { pp } = plan.target;
  if (hits.length > 0 || pp === null) return hits;
  const distance = ({ choice }: T) => Math.abs(choice.pp - pp.middle);
  return refined
    .filter(({ choice }) => passesFilters(choice.figures, choice.pp, filters))
    .toSorted((a, b) => distance(a) - distance(b));
}
