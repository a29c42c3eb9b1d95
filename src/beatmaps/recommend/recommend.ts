import { randomInt } from 'node:crypto';
import { createLru } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { type Candidate, candidateOf, createRandom } from '../catalogue/candidates.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Beatmapset, Ruleset } from '../model/beatmapset.ts';
import type { Ratings } from '../rating/ratings.ts';
import type { SourceId } from '../upstreams/source.ts';
import { createCandidateSearch } from './candidate-search.ts';
import { isWithinBounds, type RecommendFilters } from './filters.ts';
import { noPlayer, type PlayerContext, readPlayerContext } from './player-context.ts';
import type { Span } from './player-profile.ts';
import { type Recommendation, reasonsFor, referenceReason, withStars } from './recommendation.ts';
import { createRecentAnswers, type RecommendationHistory } from './recommendation-history.ts';
import { findReferenceMap, type ReferenceMap } from './reference-map.ts';
import { createRescoring } from './rescoring.ts';
import { drawOrder, fittingOf, isHit, isOfTarget, type ScoredCandidate, spreadOut, withinFirst } from './scoring.ts';
import { planSearch, type SearchPlan } from './search-plan.ts';

export interface RecommendRequest extends RecommendFilters {
  /** The player whose best plays say what suits; without one the filters do. An id, a name, `@name` or a profile's address. */
  readonly user?: number | string | undefined;
  /** Default: the reference map's, what the player plays most, or osu!. */
  readonly ruleset?: Ruleset | undefined;
  /** A map to find others like: an address or a number, of a difficulty or a set. */
  readonly like?: number | string | undefined;
  /** 1 to 50. Default 10. */
  readonly limit?: number | undefined;
  /** The same seed gives the same answer as long as plays and catalogue stay the same. Default: another one each time. */
  readonly seed?: number | undefined;
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
  /** Nothing is of that worth; these come nearest. */
  readonly isBeside: boolean;
  /** There are fewer than were asked for. */
  readonly isFew: boolean;
  readonly source: SourceId;
  readonly stale: boolean;
}

/**
 * @throws AppError `invalid_request` (params.what: `user`, `like`), `credentials_required`, `not_found`, or an upstream's code when
 * the player or the reference map cannot be asked for, or when the catalogue knows nothing that fits and no upstream could be asked
 */
export type Recommend = (request: RecommendRequest) => Promise<RecommendResult>;

export interface RecommendOptions {
  readonly beatmaps: Pick<Beatmaps, 'user' | 'userScores' | 'search' | 'set' | 'setOfMap'>;
  readonly catalogue: Pick<Catalogue, 'draw' | 'sets'>;
  readonly history: Pick<RecommendationHistory, 'mapsOf' | 'add'>;
  /** Without it, pp stays an estimate from a map's figures. */
  readonly difficulty?: Pick<Difficulty, 'of'> | undefined;
  /** Without it, stars with mods stay estimates. */
  readonly ratings?: Pick<Ratings, 'within'> | undefined;
  readonly log: Logger;
  /** How long an answer may wait for real figures, in milliseconds. Default 1 600. */
  readonly rescoreMs?: number;
}

const NEVER = new AbortController().signal;
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;
/** An answer should stand by then, with osu!'s own stars where they came in time. */
const ANSWER_MS = 2_600;
/** The same for those who ask again. */
const REPEAT_MS = 400;
/** For osu!'s own stars of one answer. */
const STARS_MS = { least: 50, most: 600 };
/** Some that were not looked at yet turn out not to be had. */
const SPARE = 3;
const SEEDS = 2 ** 31;
/** Others are not given the same for so long where there is enough beside it, so that alike players do not all meet on the same maps. */
const GIVEN_MS = 60 * 60_000;
const MAX_GIVEN = 5_000;
/** There is enough with so many times what is asked for. */
const ENOUGH_OTHERS = 2;

/** The steps: player -> plan -> candidates, scored -> a shortlist -> real figures -> the answer. */
export function createRecommend(options: RecommendOptions): Recommend {
  const { beatmaps, catalogue, history, difficulty, ratings, log, rescoreMs = 1_600 } = options;
  const findCandidates = createCandidateSearch({ beatmaps, catalogue, log });
  const refine = createRescoring({ difficulty, waitMs: rescoreMs });
  const recent = createRecentAnswers();
  const given = createLru<number, true>({ max: MAX_GIVEN, ttl: GIVEN_MS });

  /** The stars that osu! itself gives, for as many as it may be asked for. */
  async function withToday(list: readonly Recommendation[], until: number, signal: AbortSignal = NEVER) {
    const asked = list.map(({ beatmap, mods }) => ({ beatmap, mods }));
    const waitMs = Math.max(STARS_MS.least, Math.min(until - performance.now(), STARS_MS.most));
    const rated = await ratings?.within(waitMs).ratings.ofMaps(asked, signal);
    return list.map((each, index) => withStars(each, rated?.[index] ?? each));
  }

  async function noteGiven(caller: string | undefined, ids: readonly number[]): Promise<void> {
    for (const id of ids) given.set(id, true);
    if (caller !== undefined) await history.add(caller, ids);
  }

  return async function recommend(request) {
    const { caller, signal } = request;
    const startedAt = performance.now();
    const question = await readQuestion(options, request);
    const { limit, context, like, plan } = question;
    const { isRepeat, lookedAt, note } = recent.of(nameOf(request));
    const random = createRandom(request.seed ?? randomInt(SEEDS));
    // A seed alone asks for the same answer whoever else asked.
    const isOwn = caller !== undefined || request.seed === undefined;
    const isFree = ({ id }: Candidate) => !isOwn || !given.has(id);
    const before = caller === undefined ? new Set<number>() : await history.mapsOf(caller);
    const { candidates, sets, failures } = await findCandidates({
      plan,
      filters: request,
      ruleset: context.profile.ruleset,
      enough: limit,
      isNew: ({ id }) => !context.known.has(id) && !before.has(id) && id !== like?.id,
      isFree,
      lookedAt,
      random,
      signal,
    });

    /** Those that can be had. The catalogue's maps came without their sets. */
    async function readSets(choices: readonly ScoredCandidate[]): Promise<ReadonlyMap<number, Beatmapset>> {
      const missing = new Set(choices.map(({ candidate }) => candidate.setId).filter(id => !sets.has(id)));
      // A catalogue that is away has none of them, and must not be asked for nothing.
      for (const set of missing.size === 0 ? [] : await catalogue.sets([...missing])) sets.set(set.id, set);
      const found = choices.flatMap(({ candidate }) => sets.get(candidate.setId) ?? []);
      return new Map(found.filter(set => !set.download_disabled).map(set => [set.id, set]));
    }

    const others = othersOf(candidates, limit, isFree);
    const ordered = drawOrder(others, random);
    const refined = await refine({ plan, filters: request, ordered, limit, isRepeat, readSets, signal });
    note(refined.lookedAt);
    const fitting = fittingOf(refined.choices, plan, request);
    const algorithms = new Map(fitting.map(({ choice, algorithm }) => [choice, algorithm]));
    // Once more: what fell out of the shortlist may leave two of one mapper side by side.
    const fitted = spreadOut(algorithms.keys(), limit + SPARE);
    const computed = new Set(
      refined.choices.flatMap(each => (each.algorithm === null ? [] : each.choice.candidate.id)),
    );
    const chosen =
      fitted.length >= limit || others.length === candidates.length
        ? fitted
        : fillUp(fitted, [ordered, drawOrder(candidates, random)], computed, question, request);
    const known = await readSets(chosen);
    const presented = chosen.flatMap(choice => {
      const set = known.get(choice.candidate.setId);
      return (set && present(choice, set, algorithms.get(choice) ?? null, question)) ?? [];
    });
    const until = startedAt + (isRepeat ? REPEAT_MS : ANSWER_MS);
    const today = await withToday(presented.slice(0, limit), until, signal);
    const recommendations = today.filter(({ stars }) => isWithinBounds(stars, request.stars));
    // A catalogue that knows none does not mean that there is none.
    if (recommendations.length === 0 && failures.length > 0) throw failures[0];
    const ids = recommendations.map(({ beatmap }) => beatmap.id);
    if (isOwn) await noteGiven(caller, ids);
    const { player, profile, stale } = context;
    return {
      recommendations,
      ruleset: profile.ruleset,
      player,
      target: plan.target.pp,
      isBeside: fitting.length > 0 && plan.target.pp !== null && !isOfTarget(fitting, plan, request),
      isFew: recommendations.length < limit,
      source: player === null ? 'catalogue' : 'osu',
      stale,
    };
  };
}

/** Candidates that were not given to others, where there are enough of them. */
function othersOf(
  candidates: readonly ScoredCandidate[],
  limit: number,
  isFree: (candidate: Candidate) => boolean,
): readonly ScoredCandidate[] {
  const others = candidates.filter(({ candidate }) => isFree(candidate));
  return others.length >= limit * ENOUGH_OTHERS ? others : candidates;
}

/** When others were given what fits best, what fits nearly makes up for it, and then what they were given. */
function fillUp(
  fitted: readonly ScoredCandidate[],
  [fresh, all]: readonly [fresh: readonly ScoredCandidate[], all: readonly ScoredCandidate[]],
  computed: ReadonlySet<number>,
  { plan, limit }: Question,
  filters: RecommendFilters,
): readonly ScoredCandidate[] {
  const isOpen = ({ candidate }: ScoredCandidate) => !computed.has(candidate.id);
  const given = all.filter(choice => isHit(choice, plan, filters));
  return spreadOut([...fitted, ...[...withinFirst(fresh, plan), ...given].filter(isOpen)], limit);
}

/** A question, and who asks it. */
interface Question {
  readonly limit: number;
  readonly context: PlayerContext;
  readonly reference: ReferenceMap | undefined;
  readonly like: Candidate | undefined;
  readonly plan: SearchPlan;
}

async function readQuestion({ beatmaps, log }: RecommendOptions, request: RecommendRequest): Promise<Question> {
  const { user, signal } = request;
  const reference =
    request.like === undefined ? undefined : await findReferenceMap(beatmaps, request.like, request.ruleset, signal);
  const wanted = reference?.map.mode ?? request.ruleset;
  const context =
    user === undefined ? noPlayer(wanted ?? 'osu') : await readPlayerContext({ beatmaps, log }, user, wanted, signal);
  const like = reference === undefined ? undefined : candidateOf(reference.set, reference.map);
  const plan = planSearch(context.profile, context.totalPp, request, like);
  const limit = Math.max(1, Math.min(Math.trunc(request.limit ?? DEFAULT_LIMIT), MAX_LIMIT));
  return { limit, context, reference, like, plan };
}

/** The same for the same wishes; with a seed of one who is not known, for the same seed, whose answer must stay the same. */
function nameOf({ caller, seed, signal: _signal, limit: _limit, ...asked }: RecommendRequest): string {
  return JSON.stringify(caller === undefined && seed !== undefined ? { ...asked, seed } : asked);
}

/** Undefined where the set does not have the difficulty any more. */
function present(
  choice: ScoredCandidate,
  beatmapset: Beatmapset,
  algorithm: string | null,
  { context, reference, plan }: Question,
): Recommendation | undefined {
  const beatmap = beatmapset.beatmaps.find(({ id }) => id === choice.candidate.id);
  if (beatmap === undefined) return undefined;
  const { pp, figures, mods } = choice;
  const { accuracy, misses } = choice.profile;
  const { total } = context;
  // Loved maps give no pp.
  const gain = total === null ? null : beatmapset.status === 'loved' ? 0 : total.gain(pp);
  const reasons = reasonsFor(choice, plan, reference && referenceReason(reference));
  const rated = { stars: figures.stars, isEstimate: mods.length > 0, algorithm };
  return { beatmap, beatmapset, mods, pp, accuracy, misses, gain, ...rated, reasons };
}
