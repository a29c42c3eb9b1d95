import { createLru } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { type Bounds, type Candidate, candidateOf } from '../catalogue/candidates.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { type Beatmapset, hasLeaderboard, type Ruleset } from '../model/beatmapset.ts';
import type { StatusFilter } from '../query/query-words.ts';
import { PAGE_SIZE } from '../query/search.ts';
import { isWithinBounds, passesFilters, type RecommendFilters } from './filters.ts';
import { type ScoredCandidate, scoreCandidate } from './scoring.ts';
import type { PlannedSearch, SearchPlan } from './search-plan.ts';

export interface CandidateSearch {
  readonly plan: SearchPlan;
  readonly filters: RecommendFilters;
  readonly ruleset: Ruleset;
  /** If the catalogue has fewer candidates than this, upstreams are asked as well. */
  readonly enough: number;
  /** True for a map that may be a candidate, unlike a map that the player has played. */
  isOpen(candidate: Candidate): boolean;
  /** True for a map that the person did not get before. Other maps are found, but do not count towards `enough`. */
  isNew(candidate: Candidate): boolean;
  /** True for a map that no other person got lately. Other maps are a last resort and do not count towards `enough`. */
  isFree(candidate: Candidate): boolean;
  /**
   * Maps whose pp were requested when the same question was asked before. They stay candidates, so that this work is
   * used.
   */
  readonly lookedAt: readonly Candidate[];
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
}

/** How many maps are drawn from the catalogue for one answer. */
const LOOKED_AT = 2_400;
/** Orders of which one is chosen at random, so that upstreams return other maps when asked again. */
const ORDERS = ['plays', 'favourites', 'rating', 'ranked'] as const;
/** The most searches at upstreams for one answer. Reading a player's plays takes four requests more. */
const MAX_ASKED = 2;
/** With fewer candidates than this, people would get the same maps again and again. */
const ENOUGH = 60;
/** How long the pages of a query are kept. While they have too few candidates, the next page is added. */
const ASKED_MS = 2 * 60_000;
const MAX_QUESTIONS = 64;
const MAX_PAGES = 6;
/** If no new map has the searched stars, maps are taken whose stars are beyond them by up to this factor. */
const BEYOND = 1.15;

interface Pages {
  readonly sets: readonly Beatmapset[];
  readonly pages: number;
  /** The cursor of the next page; null after the last one. */
  readonly cursor: string | null | undefined;
  readonly sort: { readonly field: (typeof ORDERS)[number]; readonly order: 'desc' };
}

/**
 * Finds and scores maps for a plan in the catalogue and, if that has too few, at the upstreams. It returns them with
 * the sets of the upstreams' answers, and as `failures` the errors of the catalogue and of upstreams.
 */
export function createCandidateSearch(
  beatmaps: Pick<Beatmaps, 'search'>,
  catalogue: Pick<Catalogue, 'draw'>,
  log: Logger,
) {
  const { questionsOf, fetchMore } = createUpstreamSearch(beatmaps, log);

  /** Draws maps from the catalogue. If the catalogue is not available, there are none, and the upstreams are asked. */
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

  return async function find(search: CandidateSearch) {
    const { plan, filters, ruleset, isOpen, isNew } = search;
    const failures: unknown[] = [];
    const known = await scoreAll(plan, filters, async each => (await draw(each, search, failures)).filter(isOpen));
    const isEnough = (found: readonly ScoredCandidate[]) =>
      found.filter(({ candidate }) => isNew(candidate) && search.isFree(candidate)).length >=
      Math.max(ENOUGH, search.enough);
    if (isEnough(known)) return { candidates: known, sets: new Map<number, Beatmapset>(), failures };
    const questions = questionsOf(search);
    const kept = await withSets(
      known,
      [...questions.values()].flatMap(({ sets }) => sets),
    );
    if (isEnough(kept.candidates)) return { ...kept, failures };
    const fetched = await withSets(known, await fetchMore(questions, search, failures));
    // Each query has been sent once now. If there was only one, `MAX_ASKED` allows one more request, which is spent on
    // the second page of that query.
    if (failures.length > 0 || questions.size >= MAX_ASKED || isEnough(fetched.candidates))
      return { ...fetched, failures };
    return { ...(await withSets(known, await fetchMore(questionsOf(search), search, failures))), failures };

    async function withSets(others: readonly ScoredCandidate[], found: readonly Beatmapset[]) {
      const isWanted = (set: Beatmapset) => hasLeaderboard(set) && (set.status !== 'loved' || filters.loved === true);
      const sets = new Map(found.filter(isWanted).map(set => [set.id, set]));
      const maps = [...sets.values()].flatMap(set => set.beatmaps.map(map => candidateOf(set, map)));
      const fitting = maps.filter(map => map.ruleset === ruleset && isOpen(map));
      const score = (beyond: number) =>
        scoreAll(plan, filters, async ({ window: { stars } }) =>
          fitting.filter(map => isWithinBounds(map.stars, { low: stars.low / beyond, high: stars.high * beyond })),
        );
      const within = await score(1);
      const isAnyNew = [...within, ...others].some(({ candidate }) => isNew(candidate));
      const scored = isAnyNew ? within : await score(BEYOND);
      return { candidates: [...others.filter(({ candidate }) => !sets.has(candidate.setId)), ...scored], sets };
    }
  };
}

/** Asks upstreams for sets in pages, and keeps the pages of each query for a while. */
function createUpstreamSearch(beatmaps: Pick<Beatmaps, 'search'>, log: Logger) {
  const asked = createLru<string, Pages>({ max: MAX_QUESTIONS, ttl: ASKED_MS });

  const keyOf = ({ ruleset, filters }: CandidateSearch, q: string) => `${ruleset} ${statusFor(filters)} ${q}`;

  function questionsOf(search: CandidateSearch): ReadonlyMap<string, Pages> {
    const { plan, random } = search;
    const queries = spansOf(plan.searches.map(({ window: { stars } }) => stars)).map(queryOf);
    const field = ORDERS[Math.floor(random() * ORDERS.length)] ?? 'plays';
    const fresh: Pages = { sets: [], pages: 0, cursor: undefined, sort: { field, order: 'desc' } };
    return new Map(queries.map(q => [q, asked.get(keyOf(search, q)) ?? fresh]));
  }

  /** Requests the next page of each query. */
  async function fetchMore(
    questions: ReadonlyMap<string, Pages>,
    search: CandidateSearch,
    failures: unknown[],
  ): Promise<readonly Beatmapset[]> {
    const { ruleset, filters, signal } = search;
    const pages = [...questions].map(async ([q, known]) => {
      const { sort, cursor } = known;
      if (cursor === null || known.pages >= MAX_PAGES) return known.sets;
      try {
        const more = { ...(cursor !== undefined && { cursor }), limit: PAGE_SIZE, signal };
        const found = await beatmaps.search({ q, ruleset, status: statusFor(filters), sort, ...more });
        const sets = [...known.sets, ...found.sets];
        asked.set(keyOf(search, q), { sets, pages: known.pages + 1, cursor: found.cursor, sort });
        return sets;
      } catch (error) {
        signal?.throwIfAborted();
        log.warn({ err: error }, 'recommended from the catalogue and little more');
        failures.push(error);
        return known.sets;
      }
    });
    return (await Promise.all(pages)).flat();
  }

  return { questionsOf, fetchMore };
}

/** Merges neighbouring ranges of stars, the closest first, until at most `MAX_ASKED` ranges are left to request. */
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

/** The query for a range, rounded to steps of stars, so that nearly equal ranges make the same query. */
function queryOf({ low, high }: Bounds): string {
  return `stars>=${(Math.floor(low * 5) / 5).toFixed(2)} stars<=${(Math.ceil(high * 5) / 5).toFixed(2)}`;
}

/** Scores the maps that were found by the plan's searches and that pass the filters. */
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

/** The status of the sets to ask upstreams for: `leaderboard` includes loved sets. */
function statusFor({ loved }: RecommendFilters): StatusFilter {
  return loved === true ? 'leaderboard' : 'ranked';
}
