import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { type Candidate, candidateOf, isPlayable } from '../catalogue/candidate.ts';
import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { PAGE_SIZE } from '../query/search.ts';
import type { SourceId } from '../upstreams/source.ts';
import { chooseAmong, fittingOf, shortlist, withinFirst } from './candidate-filter.ts';
import type { CandidatePool } from './catalogue-candidates.ts';
import { ANY_MODS, modsToPlay } from './mod-filter.ts';
import { noPlayer, readPlayerContext } from './player-context.ts';
import { createRandom } from './random.ts';
import { type Recommendation, reasonsFor, seedReason } from './recommendation.ts';
import type { RecommendationHistory } from './recommendation-history.ts';
import { findReferenceMap } from './reference-map.ts';
import { createRescoring } from './rescoring.ts';
import { drawOrder, type ScoredCandidate, type Span, spreadOut } from './scoring.ts';
import { planSearch, type RecommendFilters, type SearchPlan } from './search-plan.ts';

export interface RecommendRequest extends RecommendFilters {
  /** Whose best plays say what suits; without, the wishes do. An id, a name, `@name` or a profile's address. */
  readonly user?: number | string | undefined;
  /** Default: the seed map's, what the player plays most, or osu!. */
  readonly ruleset?: Ruleset | undefined;
  /** A map to find others like: an address or a number, of a difficulty or a set. */
  readonly like?: number | string | undefined;
  /** 1 to 50. Default 10. */
  readonly limit?: number | undefined;
  /** The same seed gives the same answer as long as plays and catalogue stay the same. */
  readonly seed: number;
  /** Key of who asks: nothing is recommended to them twice within 28 days. */
  readonly caller?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RecommendResult {
  /** Fitting ones, in no order of worth. Fewer than asked for, or none, when there are no more. */
  readonly recommendations: readonly Recommendation[];
  readonly ruleset: Ruleset;
  readonly player: { readonly id: number; readonly username: string } | null;
  /** The expected pp that was looked for. */
  readonly target: Span | null;
  readonly source: SourceId;
  readonly stale: boolean;
}

/**
 * @throws AppError `invalid_request` (params.what: `user`, `like`), `credentials_required`, `not_found`, or an upstream's code when
 * the player or the seed map cannot be asked for
 */
export type Recommend = (request: RecommendRequest) => Promise<RecommendResult>;

export interface RecommendOptions {
  readonly beatmaps: Pick<Beatmaps, 'user' | 'userScores' | 'search' | 'set' | 'setOfMap'>;
  readonly pool: CandidatePool;
  readonly catalogue: { set(id: number): Beatmapset | undefined };
  readonly history: Pick<RecommendationHistory, 'mapsOf' | 'add'>;
  /** Without it, pp stays an estimate from a map's figures. */
  readonly difficulty?: Pick<Difficulty, 'of'> | undefined;
  readonly log: Logger;
  /** How long an answer may wait for real figures, in milliseconds. Default 2 500. */
  readonly refineMs?: number;
}

/** Maps looked at for one answer. */
const LOOKED_AT = 2_400;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
/** So many choices for each answer get real figures, so that those that turn out not to fit can go. */
const REFINED = 3;
const MOST_REFINED = 60;
/** Another one each time, so that asking again finds others. */
const ORDERS = ['plays', 'favourites', 'rating', 'ranked'] as const;
const MAX_PAGES = 3;

export function createRecommend(options: RecommendOptions): Recommend {
  const { beatmaps, pool, catalogue, history, difficulty, log, refineMs = 2_500 } = options;
  const refine = createRescoring({ difficulty, waitMs: refineMs });

  /** Sets that the upstreams know, where the catalogue knows too little. */
  async function fetchSets({ plan, ruleset, request, random }: Hunt): Promise<readonly Beatmapset[]> {
    const [search] = plan.searches;
    const field = ORDERS[Math.floor(random() * ORDERS.length)];
    if (search === undefined || field === undefined) return [];
    const { low, high } = search.window.stars;
    const q = `stars>=${low.toFixed(2)} stars<=${high.toFixed(2)}`;
    const { signal } = request;
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
    }
    return found;
  }

  /** What suits, and of which nothing is known yet, from the catalogue or else from the upstreams. */
  async function findChoices(hunt: Hunt, limit: number): Promise<readonly ScoredCandidate[]> {
    const { request, plan, ruleset, isNew, random, sets } = hunt;
    const choices = chooseAmong(plan, request, ({ window, part }) =>
      pool.draw(window, Math.ceil(LOOKED_AT * part), random).filter(isNew),
    );
    if (choices.length >= limit) return choices;
    const more = (await fetchSets(hunt)).filter(set => isRecommendable(set, request));
    for (const set of more) sets.set(set.id, set);
    const maps = more.flatMap(set => set.beatmaps.map(map => candidateOf(set, map)));
    const unknown = maps.filter(map => map.ruleset === ruleset && isNew(map));
    const kept = choices.filter(({ candidate }) => !sets.has(candidate.setId));
    return [...kept, ...chooseAmong(plan, request, () => unknown)];
  }

  return async function recommend(request) {
    const { user, like: reference, caller, signal } = request;
    const limit = Math.max(1, Math.min(Math.trunc(request.limit ?? DEFAULT_LIMIT), MAX_LIMIT));
    const seedMap =
      reference === undefined ? undefined : await findReferenceMap(beatmaps, reference, request.ruleset, signal);
    const wanted = seedMap?.map.mode ?? request.ruleset;
    const asker =
      user === undefined ? noPlayer(wanted ?? 'osu') : await readPlayerContext({ beatmaps, log }, user, wanted, signal);
    const { profile, player, total } = asker;
    const like = seedMap === undefined ? undefined : candidateOf(seedMap.set, seedMap.map);
    const plan = planSearch(profile, asker.totalPp, request, like);
    const random = createRandom(request.seed);
    const before = caller === undefined ? new Set<number>() : await history.mapsOf(caller);
    const isNew = ({ id }: Candidate) => !asker.known.has(id) && !before.has(id) && id !== like?.id;

    const sets = new Map<number, Beatmapset | undefined>();
    const setOf = ({ setId }: Candidate) => {
      if (!sets.has(setId)) sets.set(setId, catalogue.set(setId));
      return sets.get(setId);
    };
    const hunt = { request, plan, ruleset: profile.ruleset, isNew, random, sets };
    const choices = await findChoices(hunt, limit);
    const wish = request.mods ?? ANY_MODS;
    const modsOf = ({ profile: { modClass, hidden } }: ScoredCandidate) => modsToPlay(wish, modClass, hidden);
    const shortlisted = shortlist(
      withinFirst(drawOrder(choices, random), plan),
      candidate => setOf(candidate)?.download_disabled === false,
      difficulty === undefined ? limit : Math.max(limit, Math.min(limit * REFINED, MOST_REFINED)),
    );
    const refined = await refine(
      shortlisted.map(choice => ({ choice, set: setOf(choice.candidate), mods: modsOf(choice) })),
      signal,
    );
    const fitting = fittingOf(refined, plan, request);
    const algorithms = new Map(fitting.map(({ choice, algorithm }) => [choice, algorithm]));
    const likeReason = seedMap === undefined ? undefined : seedReason(seedMap);

    function tell(choice: ScoredCandidate): readonly Recommendation[] {
      const beatmapset = setOf(choice.candidate);
      const beatmap = beatmapset?.beatmaps.find(({ id }) => id === choice.candidate.id);
      if (beatmapset === undefined || beatmap === undefined) return [];
      const { pp, figures } = choice;
      const { accuracy, misses } = choice.profile;
      // Loved maps are played for love.
      const gain = total === null ? null : beatmapset.status === 'loved' ? 0 : total.gain(pp);
      const algorithm = algorithms.get(choice) ?? null;
      const reasons = reasonsFor(choice, plan, likeReason);
      const mods = modsOf(choice);
      return [{ beatmap, beatmapset, mods, pp, accuracy, misses, gain, stars: figures.stars, algorithm, reasons }];
    }
    const recommendations = spreadOut(algorithms.keys(), limit).flatMap(tell);
    if (caller !== undefined) {
      await history.add(
        caller,
        recommendations.map(({ beatmap }) => beatmap.id),
      );
    }
    const source = player === null ? 'catalogue' : 'osu';
    return { recommendations, ruleset: profile.ruleset, player, target: plan.aim.pp, source, stale: asker.stale };
  };
}

interface Hunt {
  readonly request: RecommendRequest;
  readonly plan: SearchPlan;
  readonly ruleset: Ruleset;
  isNew(candidate: Candidate): boolean;
  readonly random: () => number;
  /** Filled with what the upstreams tell. */
  readonly sets: Map<number, Beatmapset | undefined>;
}

function isRecommendable(set: Beatmapset, { loved }: RecommendFilters): boolean {
  return isPlayable(set) && (set.status !== 'loved' || loved === true);
}
