import { createLru } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { type Bounds, type Candidate, candidateOf, isPlayable } from '../catalogue/candidates.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { PAGE_SIZE } from '../query/search.ts';
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
  /** Maps whose figures were asked for the last time are among the candidates, whatever is drawn. */
  readonly lookedAt: readonly Candidate[];
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
}

export interface FoundCandidates {
  readonly candidates: readonly ScoredCandidate[];
  /** Those that the upstreams answered. */
  readonly sets: Map<number, Beatmapset>;
  /** Why catalogue and upstreams could not be asked. */
  readonly failures: readonly unknown[];
}

export interface CandidateSearchOptions {
  readonly beatmaps: Pick<Beatmaps, 'search'>;
  readonly catalogue: Pick<Catalogue, 'draw'>;
  readonly log: Logger;
}

/** Maps looked at for one answer. */
const LOOKED_AT = 2_400;
/** Another one each time, so that asking again finds others. */
const ORDERS = ['plays', 'favourites', 'rating', 'ranked'] as const;
/** Pages that are asked for, over every class of mods: with a player's plays that makes six calls. */
const MAX_ASKED = 2;
/** With fewer the same maps would come again and again. */
const ENOUGH = 60;
/** The upstreams are not asked again for a person who asks again this soon. */
const ASKED_MS = 2 * 60_000;

/** Finds and scores what a plan looks for, from the catalogue or else from the upstreams. */
export function createCandidateSearch({ beatmaps, catalogue, log }: CandidateSearchOptions) {
  const asked = createLru<string, true>({ max: 1_000, ttl: ASKED_MS });

  /** Sets that the upstreams know, where the catalogue knows too little. */
  async function fetchSets({ plan, ruleset, random, signal }: CandidateSearch, failures: unknown[]) {
    const field = ORDERS[Math.floor(random() * ORDERS.length)] ?? 'plays';
    const sort = { field, order: 'desc' } as const;
    const queries = spansOf(plan.searches.map(({ window: { stars } }) => stars)).map(queryOf);
    const fresh = [...new Set(queries)].filter(q => asked.get(`${ruleset} ${q}`) === undefined);
    const pages = fresh.map(async (q): Promise<readonly Beatmapset[]> => {
      try {
        const { sets } = await beatmaps.search({ q, ruleset, status: 'ranked', sort, limit: PAGE_SIZE, signal });
        asked.set(`${ruleset} ${q}`, true);
        return sets;
      } catch (error) {
        signal?.throwIfAborted();
        log.warn({ err: error }, 'recommended from the catalogue and little more');
        failures.push(error);
        return [];
      }
    });
    return (await Promise.all(pages)).flat();
  }

  /** A catalogue that is away knows none; the upstreams are asked then. */
  async function draw({ window, part }: PlannedSearch, { lookedAt, random }: CandidateSearch, failures: unknown[]) {
    const seed = Math.floor(random() * 2 ** 32);
    try {
      const drawn = await catalogue.draw(window, Math.ceil(LOOKED_AT * part), seed);
      const ids = new Set(drawn.map(({ id }) => id));
      return [...drawn, ...lookedAt.filter(({ id }) => !ids.has(id))];
    } catch (error) {
      log.warn({ err: error }, 'recommended without the catalogue');
      failures.push(error);
      return [];
    }
  }

  return async function find(search: CandidateSearch): Promise<FoundCandidates> {
    const { plan, filters, ruleset, isNew } = search;
    const failures: unknown[] = [];
    const known = await scoreAll(plan, filters, async each => (await draw(each, search, failures)).filter(isNew));
    if (known.length >= Math.max(ENOUGH, search.enough)) return { candidates: known, sets: new Map(), failures };
    const more = (await fetchSets(search, failures)).filter(set => isRecommendable(set, filters));
    const sets = new Map(more.map(set => [set.id, set]));
    const maps = more.flatMap(set => set.beatmaps.map(map => candidateOf(set, map)));
    const fetched = maps.filter(map => map.ruleset === ruleset && isNew(map));
    const others = known.filter(({ candidate }) => !sets.has(candidate.setId));
    return { candidates: [...others, ...(await scoreAll(plan, filters, async () => fetched))], sets, failures };
  };
}

/** Those that lie next to each other become one, until no more are left than may be asked for: so every class of mods is. */
export function spansOf(windows: readonly Bounds[]): readonly Bounds[] {
  const spans = windows.toSorted((a, b) => a.low - b.low);
  while (spans.length > MAX_ASKED) {
    const gaps = spans.slice(1).map(({ low }, index) => low - (spans[index]?.high ?? low));
    const at = gaps.indexOf(Math.min(...gaps));
    const [first, second] = spans.slice(at, at + 2);
    if (first === undefined || second === undefined) break;
    spans.splice(at, 2, { low: first.low, high: Math.max(first.high, second.high) });
  }
  return spans;
}

/** In steps, so that windows that are nearly the same are one question. */
function queryOf({ low, high }: Bounds): string {
  return `stars>=${(Math.floor(low * 5) / 5).toFixed(2)} stars<=${(Math.ceil(high * 5) / 5).toFixed(2)}`;
}

/** Scores all that the searches of the plan find and that passes the filters. */
async function scoreAll(
  { searches, target }: SearchPlan,
  filters: RecommendFilters,
  find: (search: PlannedSearch) => Promise<readonly Candidate[]>,
): Promise<readonly ScoredCandidate[]> {
  const scored = searches.map(async search =>
    (await find(search))
      .filter(({ cs }) => search.profile.keys === null || cs === search.profile.keys)
      .map(candidate => scoreCandidate(candidate, search, target))
      .filter(({ figures, pp }) => passesFilters(figures, pp, filters)),
  );
  return (await Promise.all(scored)).flat();
}

function isRecommendable(set: Beatmapset, { loved }: RecommendFilters): boolean {
  return isPlayable(set) && (set.status !== 'loved' || loved === true);
}
