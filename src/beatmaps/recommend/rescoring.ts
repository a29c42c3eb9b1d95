import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LRUCache } from 'lru-cache';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { Candidate } from '../catalogue/candidates.ts';
import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Beatmap, Beatmapset } from '../model/beatmapset.ts';
import { type LibraryRating, middleOf, rateByLibrary } from '../rating/ratings.ts';
import type { RecommendFilters } from './filters.ts';
import type { ClassProfile } from './player-profile.ts';
import { createPpCalibration, patternDistance, patternsOf } from './pp-calibration.ts';
import { isHit, isWithin, type ScoredCandidate, spreadOut, withinFirst } from './scoring.ts';
import type { SearchPlan } from './search-plan.ts';

export interface Rescoring {
  readonly choice: ScoredCandidate;
  /** Day of the rules its pp and stars were computed by; null when they are still estimates. */
  readonly algorithm: string | null;
}

export interface RescoringRequest {
  readonly plan: SearchPlan;
  readonly filters: RecommendFilters;
  /** The choices in the order in which they were drawn. */
  readonly ordered: readonly ScoredCandidate[];
  /** So many are asked for. */
  readonly limit: number;
  /** The same was asked lately: what is known by now has to do. */
  readonly isRepeat: boolean;
  /** The sets of those that can be had. */
  readSets(choices: readonly ScoredCandidate[]): Promise<ReadonlyMap<number, Beatmapset>>;
  readonly signal: AbortSignal | undefined;
}

export interface Rescored {
  /** Those that may be shown, the best first. */
  readonly choices: readonly Rescoring[];
  /** Maps whose figures were asked for; some of them come after the answer. */
  readonly lookedAt: readonly Candidate[];
}

export interface RescoringOptions {
  readonly difficulty: Pick<Difficulty, 'of'> | undefined;
  /** For an answer; what is not there by then stays an estimate. */
  readonly waitMs: number;
}

/** A wave has so many times what was asked for: some fall out, and the choice is better among more. */
const WAVE = 1.5;
/** How long one wave is waited for before the next one, which has learnt from it, begins. */
const WAVE_MS = 500;
/** All waves together have so many times what was asked for: each map costs a file. */
const MOST_ASKED = 3;
/** Those who ask again get what came late the last time, and do not wait again. */
const REPEAT_MS = 200;
/** How long what came late is worked on for those who ask again. */
const WORKED_MS = 10_000;
const MAX_KNOWN = 5_000;
/** Figures that say by how much the estimates of their mods are off. */
const ENOUGH_TO_LEARN = 3;

/**
 * Replaces estimates by what the maps themselves say, on the scale of what osu! gave for the player's own plays, as far as time allows. What
 * the first ones say about the estimates decides which are looked at next, and mends the estimates that are left.
 */
export function createRescoring({ difficulty, waitMs }: RescoringOptions) {
  const known = createLru<string, LibraryRating>({ max: MAX_KNOWN });
  return async (request: RescoringRequest): Promise<Rescored> => {
    if (difficulty !== undefined) return new Refinement({ library: difficulty, known, waitMs }, request).run();
    const best = spreadOut(withinFirst(request.ordered, request.plan), request.limit);
    return { choices: best.map(choice => ({ choice, algorithm: null })), lookedAt: [] };
  };
}

interface RefinementOptions {
  readonly library: Pick<Difficulty, 'of'>;
  /** What was worked out for earlier answers. */
  readonly known: LRUCache<string, LibraryRating>;
  readonly waitMs: number;
}

/** The figures of one answer. */
class Refinement {
  readonly #options: RefinementOptions;
  readonly #request: RescoringRequest;
  readonly #learnt = createLearnt();
  readonly #computed = new Map<number, Computed>();
  readonly #asked = new Set<number>();
  readonly #work: AbortSignal;
  readonly #calibrate: ReturnType<typeof createPpCalibration>;

  constructor(options: RefinementOptions, request: RescoringRequest) {
    this.#options = options;
    this.#request = request;
    const callers = request.signal === undefined ? [] : [request.signal];
    const work = AbortSignal.any([...callers, AbortSignal.timeout(WORKED_MS)]);
    const wait = AbortSignal.timeout(options.waitMs / 2);
    // One for each map, which is more than Node takes for a mistake.
    setMaxListeners(0, work, wait);
    this.#work = work;
    this.#calibrate = createPpCalibration(options.library, { work, wait });
  }

  async run(): Promise<Rescored> {
    const { plan, ordered, limit, isRepeat } = this.#request;
    const { known, waitMs } = this.#options;
    const until = performance.now() + (isRepeat ? Math.min(REPEAT_MS, waitMs) : waitMs);
    const remembered = ordered.filter(choice => known.has(keyOf(choice))).slice(0, limit * MOST_ASKED);
    await this.#computeAll(remembered, until - performance.now());
    for (let wave = this.#next(Math.ceil(limit * WAVE)); wave.length > 0; wave = this.#next(limit)) {
      const isDone = this.#hits().length >= limit || performance.now() >= until;
      if (isDone || this.#asked.size - remembered.length >= limit * MOST_ASKED) break;
      await this.#computeAll(wave, Math.min(WAVE_MS, until - performance.now()));
    }
    const hits = this.#hits();
    const rest = ordered.filter(({ candidate }) => !this.#computed.has(candidate.id)).map(this.#learnt.mend);
    return {
      choices: [
        ...bestMade(hits, limit, ordered),
        ...[...this.#computed.values()].filter(each => !hits.includes(each)),
        ...spreadOut(withinFirst(rest, plan), limit * 2).map(choice => ({ choice, algorithm: null })),
      ],
      lookedAt: ordered.flatMap(({ candidate }) => (this.#asked.has(candidate.id) ? [candidate] : [])),
    };
  }

  #hits(): readonly Computed[] {
    const { plan, filters } = this.#request;
    return [...this.#computed.values()].filter(({ choice }) => isHit(choice, plan, filters));
  }

  #next(size: number): readonly ScoredCandidate[] {
    const { ordered, plan } = this.#request;
    const sets = new Set(this.#hits().map(({ choice }) => choice.candidate.setId));
    const rest = ordered.filter(({ candidate }) => !this.#asked.has(candidate.id) && !sets.has(candidate.setId));
    const within = rest.filter(choice => isWithin(this.#learnt.mend(choice), plan));
    return spreadOut(within.length > 0 || this.#computed.size > 0 ? within : rest, size);
  }

  async #computeAll(choices: readonly ScoredCandidate[], ms: number): Promise<void> {
    const { readSets, signal } = this.#request;
    for (const { candidate } of choices) this.#asked.add(candidate.id);
    const sets = await readSets(choices);
    const all = choices.flatMap(choice => {
      const beatmap = sets.get(choice.candidate.setId)?.beatmaps.find(({ id }) => id === choice.candidate.id);
      return beatmap === undefined ? [] : [this.#compute(choice, beatmap)];
    });
    const left = new AbortController();
    const timeout = sleep(Math.max(0, ms), undefined, { signal: left.signal }).catch(() => undefined);
    await Promise.race([Promise.all(all), timeout]);
    left.abort();
    if (signal?.aborted === true) throw new AppError('timeout', 'the caller left', { cause: signal.reason });
  }

  async #compute(choice: ScoredCandidate, beatmap: Beatmap): Promise<void> {
    const { library, known } = this.#options;
    const { accuracy, misses, modClass } = choice.profile;
    const key = keyOf(choice);
    try {
      const [found, calibration] = await Promise.all([
        known.get(key) ?? rateByLibrary(library, { beatmap, mods: choice.mods, accuracy, misses }, this.#work),
        this.#calibrate(choice.profile, choice.candidate.ruleset),
      ]);
      known.set(key, found);
      const pp = found.todayPp === undefined ? choice.pp : found.todayPp * calibration.ratio;
      // Without mods osu! itself gives the stars.
      const stars = modClass.key === '' ? choice.figures.stars : found.stars;
      this.#learnt.note(choice, pp);
      this.#computed.set(choice.candidate.id, {
        choice: { ...choice, figures: { ...choice.figures, stars }, pp },
        algorithm: found.algorithm,
        distance: patternDistance(patternsOf(found), calibration.patterns),
      });
    } catch {
      // Logged where it failed.
    }
  }
}

interface Computed extends Rescoring {
  /** From what the player's plays are made of. */
  readonly distance: number;
}

/** The same figures are asked for again by the same player alone. */
function keyOf({ candidate, mods, profile }: ScoredCandidate): string {
  return `${candidate.id} ${mods.join('')} ${profile.accuracy} ${profile.misses}`;
}

/** Those made of what the player likes, in the order in which they were drawn. */
function bestMade(hits: readonly Computed[], limit: number, ordered: readonly ScoredCandidate[]): readonly Rescoring[] {
  const best = new Set(hits.toSorted((a, b) => a.distance - b.distance).slice(0, limit));
  const places = new Map(ordered.map(({ candidate }, place) => [candidate.id, place]));
  const place = ({ choice }: Rescoring) => places.get(choice.candidate.id) ?? 0;
  const inOrder = (list: readonly Computed[]) => list.toSorted((a, b) => place(a) - place(b));
  return [...inOrder([...best]), ...inOrder(hits.filter(hit => !best.has(hit)))];
}

/** By how much the estimates for each class of mods are off, as far as is known. */
function createLearnt() {
  const errors = new Map<ClassProfile, number[]>();
  const factorOf = (profile: ClassProfile) => {
    const known = errors.get(profile) ?? [];
    return known.length < ENOUGH_TO_LEARN ? 1 : (middleOf(known) ?? 1);
  };
  return {
    note({ profile, pp }: ScoredCandidate, real: number): void {
      if (pp > 0) errors.set(profile, [...(errors.get(profile) ?? []), real / pp]);
    },
    mend: (choice: ScoredCandidate): ScoredCandidate => ({ ...choice, pp: choice.pp * factorOf(choice.profile) }),
  };
}
