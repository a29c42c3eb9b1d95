import { randomInt } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import { createLru } from '../../infra/cache/cache.ts';
import type { Logger } from '../../infra/log.ts';
import type { Beatmaps } from '../beatmaps.ts';
import { type Candidate, createRandom } from '../catalogue/candidates.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Beatmapset } from '../model/beatmapset.ts';
import type { Ratings } from '../rating/ratings.ts';
import { createCandidateSearch } from './candidate-search.ts';
import { isWithinBounds, type RecommendFilters } from './filters.ts';
import { type Question, type RecommendRequest, readQuestion } from './question.ts';
import { type Recommendation, reasonsFor, withStars } from './recommendation.ts';
import type { RecommendationHistory } from './recommendation-history.ts';
import { refine } from './rescoring.ts';
import { drawOrder, fittingOf, isHit, type ScoredCandidate, spreadOut, withinFirst } from './scoring.ts';

export type Recommend = ReturnType<typeof createRecommend>;
export type RecommendResult = Awaited<ReturnType<Recommend>>;

export interface RecommendOptions {
  readonly beatmaps: Pick<Beatmaps, 'user' | 'userScores' | 'search' | 'set' | 'setOfMap'>;
  readonly catalogue: Pick<Catalogue, 'draw' | 'sets'>;
  readonly history: Pick<RecommendationHistory, 'mapsOf' | 'add'>;
  /** Calculates pp; without it pp are estimated from stars and settings. */
  readonly difficulty?: Pick<Difficulty, 'of'> | undefined;
  /** Rates stars with mods; without it stars are estimates. */
  readonly ratings?: Pick<Ratings, 'within'> | undefined;
  readonly log: Logger;
  /** The most milliseconds that an answer waits for exact pp and stars. Default 1 600. */
  readonly rescoreMs?: number;
}

const NEVER = new AbortController().signal;
/** The time in which an answer should be ready, in milliseconds; osu!'s own stars that come later are left out. */
const ANSWER_MS = 2_600;
/** The time in which an answer should be ready if the same question was asked lately, in milliseconds. */
const REPEAT_MS = 400;
/** How long the answer waits for osu!'s own stars, at least and at most. */
const STARS_MS = { least: 50, most: 600 };
/** This many more maps than requested are chosen, because some may no longer be available. */
const SPARE = 3;
const SEEDS = 2 ** 31;
/** How long a map that one person got is not given to others, so that similar players get different maps. */
const GIVEN_MS = 60 * 60_000;
const MAX_GIVEN = 5_000;
const MAX_QUESTIONS = 500;
/** How long a question counts as asked lately. A person takes less time to look at about ten maps and to ask again. */
const LATELY_MS = 15 * 60_000;
/** The most maps that are kept for a question; the least recently drawn ones are dropped. */
const MAX_DRAWN = 60;
/** Maps that other people got are left out only if this many times the requested number of maps remain. */
const ENOUGH_OTHERS = 2;

/** Recommends maps in steps: player -> plan -> scored candidates -> shortlist -> calculated pp and stars -> answer. */
export function createRecommend(options: RecommendOptions) {
  const { beatmaps, catalogue, history, difficulty, ratings, log, rescoreMs = 1_600 } = options;
  const findCandidates = createCandidateSearch(beatmaps, catalogue, log);
  // Drawn maps are candidates again when a question is repeated, so that pp that were calculated too late for one
  // answer are used in the next.
  const drawn: DrawnMaps = createLru({ max: MAX_QUESTIONS, ttl: LATELY_MS });
  const given = createLru<number, true>({ max: MAX_GIVEN, ttl: GIVEN_MS });

  return async function recommend(request: RecommendRequest) {
    const { caller, signal } = request;
    const startedAt = performance.now();
    const question = await readQuestion(options, request);
    const { limit, context, like, plan } = question;
    const name = nameOf(request);
    const lookedAt = drawn.get(name);
    const random = createRandom(request.seed ?? randomInt(SEEDS));
    // A request with a seed but without a person must always get the same answer, whatever maps other people got.
    const isOwn = caller !== undefined || request.seed === undefined;
    const isFree = ({ id }: Candidate) => !isOwn || !given.has(id);
    const before = caller === undefined ? new Set<number>() : await history.mapsOf(caller);
    const isNew = ({ id }: Candidate) => !before.has(id);
    const { sets, failures, ...found } = await findCandidates({
      plan,
      filters: request,
      ruleset: context.profile.ruleset,
      enough: limit,
      isOpen: ({ id }) => !context.known.has(id) && id !== like?.id,
      isNew,
      isFree,
      lookedAt: lookedAt ?? [],
      random,
      signal,
    });
    const candidates = found.candidates.filter(({ candidate }) => isNew(candidate));

    const readSets = createSetReader(catalogue, sets);
    const others = othersOf(candidates, limit, isFree);
    const ordered = drawOrder(others, random);
    const asked = { plan, filters: request, ordered, limit, lookedAt, waitMs: rescoreMs, readSets, signal };
    const refined = await refine(difficulty, asked);
    addDrawn(drawn, name, refined.lookedAt);
    const fitting = fittingOf(refined.choices, plan, request);
    // The maps are spread out again: after some were removed, two maps of one mapper may be neighbours.
    const fitted = spreadOut(fitting, limit + SPARE);
    const chosen =
      fitted.length >= limit || others.length === candidates.length
        ? fitted
        : fillUp(fitted, refined.choices, [ordered, drawOrder(candidates, random)], question, request);
    const known = await readSets(chosen);
    const presented = chosen.flatMap(choice => {
      const set = known.get(choice.candidate.setId);
      return (set && present(choice, set, question)) ?? [];
    });
    const until = startedAt + (lookedAt === undefined ? ANSWER_MS : REPEAT_MS);
    const today = await withOfficialStars(presented.slice(0, limit), ratings, until, signal);
    const recommendations = today.filter(({ stars }) => isWithinBounds(stars, request.stars));
    // A catalogue without fitting maps does not prove that none exist, so the upstreams' error is thrown.
    if (recommendations.length === 0 && failures.length > 0) throw failures[0];
    const ids = recommendations.map(({ beatmap }) => beatmap.id);
    if (isOwn) noteGiven(ids, given);
    if (caller !== undefined) await history.add(caller, ids);
    const { player, profile, stale } = context;
    return {
      /** The maps, not sorted by pp; fewer than requested, or none, when there are no more. */
      recommendations,
      ruleset: profile.ruleset,
      player,
      /** The range of expected pp that was searched for. */
      target: plan.target.pp,
      /** True when no map has the searched pp, so that the nearest ones are given. */
      isBeside: isBeside(fitting, plan, request),
      isFew: recommendations.length < limit,
      /** True when the person got all fitting maps before. */
      isOver: recommendations.length === 0 && found.candidates.length > candidates.length,
      source: player === null ? ('catalogue' as const) : ('osu' as const),
      stale,
    };
  };
}

function noteGiven(ids: readonly number[], given: LRUCache<number, true>): void {
  for (const id of ids) given.set(id, true);
}

function isBeside(fitting: ReturnType<typeof fittingOf>, plan: Question['plan'], filters: RecommendFilters): boolean {
  return fitting.length > 0 && plan.target.pp !== null && !fitting.some(choice => isHit(choice, plan, filters));
}

/** The maps that were drawn for recent questions, by the question. */
type DrawnMaps = LRUCache<string, readonly Candidate[]>;

/** Adds maps to those that another answer to the same question may have stored in the meantime. */
function addDrawn(drawn: DrawnMaps, question: string, maps: readonly Candidate[]): void {
  const all = new Map([...maps, ...(drawn.get(question) ?? [])].map(each => [each.id, each]));
  drawn.set(question, [...all.values()].slice(0, MAX_DRAWN));
}

/**
 * Makes the function that finds the sets of candidates which are still available. Candidates of the catalogue come
 * without their sets, which are added to `sets`.
 */
function createSetReader(catalogue: Pick<Catalogue, 'sets'>, sets: Map<number, Beatmapset>) {
  return async (choices: readonly ScoredCandidate[]): Promise<ReadonlyMap<number, Beatmapset>> => {
    const missing = new Set(choices.map(({ candidate }) => candidate.setId).filter(id => !sets.has(id)));
    // While the catalogue cannot be used, asking it fails, so it is asked only if sets are missing.
    for (const set of missing.size === 0 ? [] : await catalogue.sets([...missing])) sets.set(set.id, set);
    const found = choices.flatMap(({ candidate }) => sets.get(candidate.setId) ?? []);
    return new Map(found.filter(set => !set.download_disabled).map(set => [set.id, set]));
  };
}

/** Replaces estimated stars by osu!'s own, for as many maps as osu! may be asked about. */
async function withOfficialStars(
  list: readonly Recommendation[],
  ratings: RecommendOptions['ratings'],
  until: number,
  signal: AbortSignal = NEVER,
): Promise<readonly Recommendation[]> {
  const asked = list.map(({ beatmap, mods }) => ({ beatmap, mods }));
  const waitMs = Math.max(STARS_MS.least, Math.min(until - performance.now(), STARS_MS.most));
  const rated = await ratings?.within(waitMs).ratings.ofMaps(asked, signal);
  return list.map((each, index) => withStars(each, rated?.[index] ?? each));
}

/** The candidates that other people did not get lately; all candidates if that leaves too few. */
function othersOf(
  candidates: readonly ScoredCandidate[],
  limit: number,
  isFree: (candidate: Candidate) => boolean,
): readonly ScoredCandidate[] {
  const others = candidates.filter(({ candidate }) => isFree(candidate));
  return others.length >= limit * ENOUGH_OTHERS ? others : candidates;
}

/** Completes a list that is too short: first with maps that fit less, then with maps that other people got. */
function fillUp(
  fitted: readonly ScoredCandidate[],
  refined: readonly ScoredCandidate[],
  [fresh, all]: readonly [fresh: readonly ScoredCandidate[], all: readonly ScoredCandidate[]],
  { plan, limit }: Question,
  filters: RecommendFilters,
): readonly ScoredCandidate[] {
  const computed = new Set(refined.flatMap(({ algorithm, candidate }) => (algorithm === null ? [] : candidate.id)));
  const isOpen = ({ candidate }: ScoredCandidate) => !computed.has(candidate.id);
  const given = all.filter(choice => isHit(choice, plan, filters));
  return spreadOut([...fitted, ...[...withinFirst(fresh, plan), ...given].filter(isOpen)], limit);
}

/** A key that recognises a repeated question. Without a known person it includes the seed, which decides the answer. */
function nameOf({ caller, seed, signal: _signal, limit: _limit, ...asked }: RecommendRequest): string {
  return JSON.stringify(caller === undefined && seed !== undefined ? { ...asked, seed } : asked);
}

/** A map with its set; undefined when the set no longer has the difficulty. */
function present(
  choice: ScoredCandidate,
  beatmapset: Beatmapset,
  { context, reference, plan }: Question,
): Recommendation | undefined {
  const beatmap = beatmapset.beatmaps.find(({ id }) => id === choice.candidate.id);
  if (beatmap === undefined) return undefined;
  const { pp, figures, mods, algorithm } = choice;
  const { accuracy, misses } = choice.profile;
  const { total } = context;
  // A play on a loved map gives no pp.
  const gain = total === null ? null : beatmapset.status === 'loved' ? 0 : total.gain(pp);
  const reasons = reasonsFor(choice, plan, reference);
  const rated = { stars: figures.stars, isEstimate: mods.length > 0, algorithm };
  return { beatmap, beatmapset, mods, pp, accuracy, misses, gain, ...rated, reasons };
}
