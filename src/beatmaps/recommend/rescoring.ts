import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/create-lru.ts';
import type { Candidate } from '../catalogue/candidates.ts';
import type { Difficulty } from '../difficulty/difficulty.ts';
import type { Beatmap, Beatmapset } from '../model/beatmapset.ts';
import { type LibraryRating, rateByLibrary } from '../rating/ratings.ts';
import type { RecommendFilters } from './filters.ts';
import type { ClassProfile } from './player-profile.ts';
import { type Calibration, createPpCalibration, patternDistance, patternsOf } from './pp-calibration.ts';
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

  function estimates({ ordered, plan, limit }: RescoringRequest): Rescored {
    const choices = spreadOut(withinFirst(ordered, plan), limit).map(choice => ({ choice, algorithm: null }));
    return { choices, lookedAt: [] };
  }

  async function refineWith(library: Pick<Difficulty, 'of'>, request: RescoringRequest): Promise<Rescored> {
    const { plan, filters, ordered, limit, isRepeat, readSets, signal } = request;
    const learnt = createLearnt();
    const computed = new Map<number, Computed>();
    const asked = new Set<number>();
    const work = AbortSignal.any([...(signal === undefined ? [] : [signal]), AbortSignal.timeout(WORKED_MS)]);
    // One for each map, which is more than Node takes for a mistake.
    setMaxListeners(0, work);
    const calibrate = createPpCalibration(library);
    const calibrations = new Map<ClassProfile, Promise<Calibration>>();
    const wait = AbortSignal.timeout(waitMs / 2);
    setMaxListeners(0, wait);
    const calibrationFor = ({ profile, candidate }: ScoredCandidate) => {
      const own = calibrations.get(profile) ?? calibrate(profile, candidate.ruleset, { work, wait });
      calibrations.set(profile, own);
      return own;
    };

    async function compute(choice: ScoredCandidate, beatmap: Beatmap): Promise<void> {
      const { accuracy, misses, modClass } = choice.profile;
      const key = keyOf(choice);
      try {
        const [found, calibration] = await Promise.all([
          known.get(key) ?? rateByLibrary(library, { beatmap, mods: choice.mods, accuracy, misses }, work),
          calibrationFor(choice),
        ]);
        known.set(key, found);
        const pp = found.todayPp === undefined ? choice.pp : found.todayPp * calibration.ratio;
        // Without mods osu! itself gives the stars.
        const stars = modClass.key === '' ? choice.figures.stars : found.stars;
        learnt.note(choice, pp);
        computed.set(choice.candidate.id, {
          choice: { ...choice, figures: { ...choice.figures, stars }, pp },
          algorithm: found.algorithm,
          distance: patternDistance(patternsOf(found), calibration.patterns),
        });
      } catch {
        // Logged where it failed.
      }
    }

    async function computeAll(choices: readonly ScoredCandidate[], ms: number): Promise<void> {
      for (const { candidate } of choices) asked.add(candidate.id);
      const sets = await readSets(choices);
      const all = choices.flatMap(choice => {
        const beatmap = sets.get(choice.candidate.setId)?.beatmaps.find(({ id }) => id === choice.candidate.id);
        return beatmap === undefined ? [] : [compute(choice, beatmap)];
      });
      const left = new AbortController();
      const timeout = sleep(Math.max(0, ms), undefined, { signal: left.signal }).catch(() => undefined);
      await Promise.race([Promise.all(all), timeout]);
      left.abort();
      if (signal?.aborted === true) throw new AppError('timeout', 'the caller left', { cause: signal.reason });
    }

    const hits = () => [...computed.values()].filter(({ choice }) => isHit(choice, plan, filters));
    const nextOnes = (size: number) => {
      const sets = new Set(hits().map(({ choice }) => choice.candidate.setId));
      const rest = ordered.filter(({ candidate }) => !asked.has(candidate.id) && !sets.has(candidate.setId));
      const within = rest.filter(choice => isWithin(learnt.mend(choice), plan));
      return spreadOut(within.length > 0 || computed.size > 0 ? within : rest, size);
    };

    const start = performance.now();
    const remembered = ordered.filter(choice => known.has(keyOf(choice))).slice(0, limit * MOST_ASKED);
    const until = start + (isRepeat ? Math.min(REPEAT_MS, waitMs) : waitMs);
    await computeAll(remembered, until - performance.now());
    for (let wave = nextOnes(Math.ceil(limit * WAVE)); wave.length > 0; wave = nextOnes(limit)) {
      const isDone = hits().length >= limit || performance.now() >= until;
      if (isDone || asked.size - remembered.length >= limit * MOST_ASKED) break;
      await computeAll(wave, Math.min(WAVE_MS, until - performance.now()));
    }
    const rest = ordered.filter(({ candidate }) => !computed.has(candidate.id)).map(learnt.mend);
    return {
      choices: [
        ...bestMade(hits(), limit, ordered),
        ...[...computed.values()].filter(({ choice }) => !isHit(choice, plan, filters)),
        ...spreadOut(withinFirst(rest, plan), limit * 2).map(choice => ({ choice, algorithm: null })),
      ],
      lookedAt: ordered.flatMap(({ candidate }) => (asked.has(candidate.id) ? [candidate] : [])),
    };
  }

  return (request: RescoringRequest): Promise<Rescored> =>
    difficulty === undefined ? Promise.resolve(estimates(request)) : refineWith(difficulty, request);
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
    const known = (errors.get(profile) ?? []).toSorted((a, b) => a - b);
    return known.length < ENOUGH_TO_LEARN ? 1 : (known[Math.floor(known.length / 2)] ?? 1);
  };
  return {
    note({ profile, pp }: ScoredCandidate, real: number): void {
      if (pp > 0) errors.set(profile, [...(errors.get(profile) ?? []), real / pp]);
    },
    mend: (choice: ScoredCandidate): ScoredCandidate => ({ ...choice, pp: choice.pp * factorOf(choice.profile) }),
  };
}
