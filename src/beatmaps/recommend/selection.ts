import { passesFilters, type RecommendFilters } from './filters.ts';
import type { ScoredCandidate } from './scoring.ts';
import type { SearchPlan, Span } from './search-plan.ts';

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

/** Whether a choice still fits now that its real figures are known. */
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

/** Whether what {@link fittingOf} gave is what was looked for, rather than the nearest there is. */
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
