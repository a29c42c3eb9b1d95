import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { type Candidate, candidateOf, isPlayable } from '../catalogue/candidate.ts';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { PAGE_SIZE } from '../query/search.ts';
import type { CandidatePool } from './catalogue-candidates.ts';
import { passesFilters, type RecommendFilters } from './filters.ts';
import { type ScoredCandidate, scoreCandidate } from './scoring.ts';
import type { PlannedSearch, SearchPlan } from './search-plan.ts';

export interface CandidateSearch {
  readonly plan: SearchPlan;
  readonly filters: RecommendFilters;
  readonly ruleset: Ruleset;
  /** So many candidates are enough; with fewer the upstreams are asked too. */
  readonly enough: number;
  isNew(candidate: Candidate): boolean;
  readonly random: () => number;
  /** Filled with the sets that the upstreams answered. */
  readonly sets: Map<number, Beatmapset | undefined>;
  /** Filled with why the upstreams could not be asked. */
  readonly failures: unknown[];
  readonly signal: AbortSignal | undefined;
}

export interface CandidateSearchOptions {
  readonly beatmaps: Pick<Beatmaps, 'search'>;
  readonly pool: CandidatePool;
  readonly log: Logger;
}

/** Maps looked at for one answer. */
const LOOKED_AT = 2_400;
/** Another one each time, so that asking again finds others. */
const ORDERS = ['plays', 'favourites', 'rating', 'ranked'] as const;
const MAX_PAGES = 3;

/** Finds and scores what a plan looks for, from the catalogue or else from the upstreams. */
export function createCandidateSearch({ beatmaps, pool, log }: CandidateSearchOptions) {
  /** Sets that the upstreams know, where the catalogue knows too little. */
  async function fetchSets({
    plan,
    ruleset,
    random,
    failures,
    signal,
  }: CandidateSearch): Promise<readonly Beatmapset[]> {
    const [search] = plan.searches;
    const field = ORDERS[Math.floor(random() * ORDERS.length)];
    if (search === undefined || field === undefined) return [];
    const { low, high } = search.window.stars;
    const q = `stars>=${low.toFixed(2)} stars<=${high.toFixed(2)}`;
    const found: Beatmapset[] = [];
    try {
      let cursor: string | null | undefined;
      for (let page = 0; page < MAX_PAGES && cursor !== null; page += 1) {
        const sort = { field, order: 'desc' } as const;
        const answer = await beatmaps.search({ q, ruleset, status: 'ranked', sort, limit: PAGE_SIZE, cursor, signal });
        found.push(...answer.sets);
        cursor = answer.cursor;
      }
    } catch (error) {
      signal?.throwIfAborted();
      log.warn({ err: error }, 'recommended from the catalogue and little more');
      failures.push(error);
    }
    return found;
  }

  return async function find(search: CandidateSearch): Promise<readonly ScoredCandidate[]> {
    const { plan, filters, ruleset, isNew, random, sets } = search;
    const known = score(plan, filters, ({ window, part }) =>
      pool.draw(window, Math.ceil(LOOKED_AT * part), random).filter(isNew),
    );
    if (known.length >= search.enough) return known;
    const more = (await fetchSets(search)).filter(set => isRecommendable(set, filters));
    for (const set of more) sets.set(set.id, set);
    const maps = more.flatMap(set => set.beatmaps.map(map => candidateOf(set, map)));
    const fetched = maps.filter(map => map.ruleset === ruleset && isNew(map));
    return [...known.filter(({ candidate }) => !sets.has(candidate.setId)), ...score(plan, filters, () => fetched)];
  };
}

/** What every search of the plan finds, as far as it is what was asked for. */
function score(
  { searches, target }: SearchPlan,
  filters: RecommendFilters,
  find: (search: PlannedSearch) => readonly Candidate[],
): readonly ScoredCandidate[] {
  return searches.flatMap(search =>
    find(search)
      .filter(({ cs }) => search.profile.keys === null || cs === search.profile.keys)
      .map(candidate => scoreCandidate(candidate, search.profile, target))
      .filter(({ figures, pp }) => passesFilters(figures, pp, filters)),
  );
}

function isRecommendable(set: Beatmapset, { loved }: RecommendFilters): boolean {
  return isPlayable(set) && (set.status !== 'loved' || loved === true);
}
