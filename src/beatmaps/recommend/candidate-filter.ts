import type { Candidate } from '../catalogue/candidate.ts';
import { type ScoredCandidate, type Span, scoreCandidate, spreadOut } from './scoring.ts';
import { isWished, type PlannedSearch, type RecommendFilters, type SearchPlan } from './search-plan.ts';

/** What every search of a plan finds, as far as it is what was asked for. */
export function chooseAmong(
  { searches, aim }: SearchPlan,
  wishes: RecommendFilters,
  find: (search: PlannedSearch) => readonly Candidate[],
): readonly ScoredCandidate[] {
  return searches.flatMap(search =>
    find(search)
      .filter(({ cs }) => search.profile.keys === null || cs === search.profile.keys)
      .map(candidate => scoreCandidate(candidate, search.profile, aim))
      .filter(choice => isWished(choice, wishes)),
  );
}

/** Those within the aim before those beside it, each in their order. */
export function withinFirst(choices: readonly ScoredCandidate[], { aim }: SearchPlan): readonly ScoredCandidate[] {
  const isWithin = ({ pp, figures }: ScoredCandidate) => isIn(pp, aim.pp) && isIn(figures.stars, aim.stars);
  return [...choices.filter(isWithin), ...choices.filter(choice => !isWithin(choice))];
}

function isIn(value: number, span: Span | null): boolean {
  return span === null || (value >= span.low && value <= span.high);
}

/** How far from the middle of the target, as a share of it, real figures may be. */
const MAX_MISS = 0.1;

/** Whether a choice still fits now that its real figures are known. */
function isHit(choice: ScoredCandidate, { aim }: SearchPlan, wishes: RecommendFilters): boolean {
  if (!isWished(choice, wishes)) return false;
  if (aim.pp === null || wishes.pp !== undefined) return true;
  return Math.abs(choice.pp - aim.pp.middle) <= MAX_MISS * aim.pp.middle;
}

interface Refined {
  readonly choice: ScoredCandidate;
  /** Null while its figures are estimates. */
  readonly algorithm: string | null;
}

/** Those that still fit; where all real figures lie beside the target, what was asked for all the same, the nearest first. */
export function fittingOf<T extends Refined>(
  refined: readonly T[],
  plan: SearchPlan,
  wishes: RecommendFilters,
): readonly T[] {
  const hits = refined.filter(({ choice, algorithm }) => algorithm === null || isHit(choice, plan, wishes));
  const { pp } = plan.aim;
  if (hits.length > 0 || pp === null) return hits;
  const distance = ({ choice }: T) => Math.abs(choice.pp - pp.middle);
  return refined.filter(({ choice }) => isWished(choice, wishes)).toSorted((a, b) => distance(a) - distance(b));
}

/** The first that go together, of those that can be had. Looks no further than it must, for looking costs. */
export function shortlist(
  ordered: readonly ScoredCandidate[],
  canBeHad: (candidate: Candidate) => boolean,
  size: number,
): readonly ScoredCandidate[] {
  function* those(): Generator<ScoredCandidate> {
    for (const choice of ordered) if (canBeHad(choice.candidate)) yield choice;
  }
  return spreadOut(those(), size);
}
