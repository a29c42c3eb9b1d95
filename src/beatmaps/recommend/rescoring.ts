import { setMaxListeners } from 'node:events';
import type { LRUCache } from 'lru-cache';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Candidate } from '../catalogue/candidates.ts';
import type { Difficulty, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { medianOf } from '../rating/ratings.ts';
import type { RecommendFilters } from './filters.ts';
import type { ClassProfile, Play } from './player-profile.ts';
import { isHit, isWithin, type Refined, type ScoredCandidate, spreadOut, withinFirst } from './scoring.ts';
import type { SearchPlan } from './search-plan.ts';

export interface RescoringRequest {
  readonly plan: SearchPlan;
  readonly filters: RecommendFilters;
  /** The candidates in the random order in which they were drawn. */
  readonly ordered: readonly ScoredCandidate[];
  /** How many maps the person wants. */
  readonly limit: number;
  /** True when the same question was asked lately: then only figures that are ready are used. */
  readonly isRepeat: boolean;
  /** The sets of these candidates that are still available. */
  readSets(choices: readonly ScoredCandidate[]): Promise<ReadonlyMap<number, Beatmapset>>;
  readonly signal: AbortSignal | undefined;
}

interface RescoringOptions {
  readonly difficulty: Pick<Difficulty, 'of'> | undefined;
  /** How long an answer waits, in milliseconds; figures that are not ready in time stay estimates. */
  readonly waitMs: number;
}

/** How many maps the first wave calculates, as a multiple of the requested maps, because some of them will not fit. */
const WAVE = 1.5;
/** How long to wait for the maps of one wave. The results decide which maps are calculated in the next wave. */
const WAVE_MS = 500;
/** The most maps that are calculated in all waves, as a multiple of the requested maps; each needs a file. */
const MOST_ASKED = 3;
/** How long to wait when a person asks again: figures that came too late the last time are ready now. */
const REPEAT_MS = 200;
/** How long the work on late figures goes on, in case the person asks again. */
const WORKED_MS = 10_000;
const MAX_KNOWN = 5_000;
/** From this many figures on, they show how far the estimates for their mods are off. */
const ENOUGH_TO_LEARN = 3;

/**
 * Replaces estimates by figures that are calculated from the maps' files, scaled by osu!'s pp for the player's
 * own plays, as far as time allows. The first figures show the error of the estimates, which decides what is
 * read next and corrects the rest.
 */
export function createRescoring({ difficulty, waitMs }: RescoringOptions) {
  const known = createLru<string, MapDifficulty>({ max: MAX_KNOWN });
  return async (
    request: RescoringRequest,
  ): Promise<{ readonly choices: readonly Refined[]; readonly lookedAt: readonly Candidate[] }> => {
    if (difficulty !== undefined) return new Refinement({ library: difficulty, known, waitMs }, request).run();
    const best = spreadOut(withinFirst(request.ordered, request.plan), request.limit);
    return { choices: best.map(choice => ({ choice, algorithm: null })), lookedAt: [] };
  };
}

interface RefinementOptions {
  readonly library: Pick<Difficulty, 'of'>;
  /** The figures that were calculated for earlier answers. */
  readonly known: LRUCache<string, MapDifficulty>;
  readonly waitMs: number;
}

/** Calculates the figures for one answer. */
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
    // Each map adds a listener to the signals; Node would report that many as a leak.
    setMaxListeners(0, work, wait);
    this.#work = work;
    this.#calibrate = createPpCalibration(options.library, { work, wait });
  }

  async run() {
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
      /** Maps that may be shown, the best first. */
      choices: [
        ...bestMade(hits, limit, ordered),
        ...[...this.#computed.values()].filter(each => !hits.includes(each)),
        ...spreadOut(withinFirst(rest, plan), limit * 2).map(choice => ({ choice, algorithm: null })),
      ],
      /** Maps whose figures were requested; some may come only after the answer. */
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
    await abortable(Promise.all(all), AbortSignal.timeout(Math.ceil(Math.max(0, ms)))).catch(() => undefined);
    if (signal?.aborted === true) throw new AppError('timeout', 'the caller left', { cause: signal.reason });
  }

  async #compute(choice: ScoredCandidate, beatmap: Beatmap): Promise<void> {
    const { library, known } = this.#options;
    const { accuracy, misses, modClass } = choice.profile;
    const key = keyOf(choice);
    try {
      const [found, calibration] = await Promise.all([
        known.get(key) ??
          library.of({ beatmap, mods: choice.mods, accuracies: [accuracy * 100], misses, isScan: true }, this.#work),
        this.#calibrate(choice.profile, choice.candidate.ruleset),
      ]);
      known.set(key, found);
      const [played] = found.pp;
      const pp = played === undefined ? choice.pp : played.pp * calibration.ratio;
      // Without mods the map has osu!'s own stars already.
      const stars = modClass.key === '' ? choice.figures.stars : found.stars;
      this.#learnt.note(choice, pp);
      this.#computed.set(choice.candidate.id, {
        choice: { ...choice, figures: { ...choice.figures, stars }, pp },
        algorithm: found.algorithm,
        distance: patternDistance(patternsOf(found), calibration.patterns),
      });
    } catch {
      // The error was logged where it happened.
    }
  }
}

interface Computed extends Refined {
  /** How different the map's patterns are from those of the player's plays. */
  readonly distance: number;
}

/** The key of a map's figures. It contains the player's usual accuracy and misses, on which pp depend. */
function keyOf({ candidate, mods, profile }: ScoredCandidate): string {
  return `${candidate.id} ${mods.join('')} ${profile.accuracy} ${profile.misses}`;
}

/** Puts first the maps whose patterns are the player's usual ones; the others stay in the order of drawing. */
function bestMade(hits: readonly Computed[], limit: number, ordered: readonly ScoredCandidate[]): readonly Refined[] {
  const best = new Set(hits.toSorted((a, b) => a.distance - b.distance).slice(0, limit));
  const places = new Map(ordered.map(({ candidate }, place) => [candidate.id, place]));
  const place = ({ choice }: Refined) => places.get(choice.candidate.id) ?? 0;
  const inOrder = (list: readonly Computed[]) => list.toSorted((a, b) => place(a) - place(b));
  return [...inOrder([...best]), ...inOrder(hits.filter(hit => !best.has(hit)))];
}

/** Learns the error of the estimates for each class of mods. */
function createLearnt() {
  const errors = new Map<ClassProfile, number[]>();
  const factorOf = (profile: ClassProfile) => {
    const known = errors.get(profile) ?? [];
    return known.length < ENOUGH_TO_LEARN ? 1 : (medianOf(known) ?? 1);
  };
  return {
    note({ profile, pp }: ScoredCandidate, real: number): void {
      if (pp > 0) errors.set(profile, [...(errors.get(profile) ?? []), real / pp]);
    },
    mend: (choice: ScoredCandidate): ScoredCandidate => ({ ...choice, pp: choice.pp * factorOf(choice.profile) }),
  };
}

interface CalibrationSignals {
  /** Ends the calculation itself. */
  readonly work: AbortSignal;
  /** Ends only the waiting for the calculation, which goes on. */
  readonly wait: AbortSignal;
}

/** How many of a player's plays are calculated: each needs a map's file, and so do the recommended maps. */
const PLAYS = 3;
/**
 * osu!'s pp for a play divided by the calculated pp must be between these bounds. Changes of osu!'s rules are smaller,
 * so a ratio beyond the bounds means that the file is of another map, or that the play is of another client.
 */
const BOUNDS = { low: 0.7, high: 1.4 };
/** The bounds in mania are wider: perfect hits give more pp, and accuracy does not tell how many there are. */
const MANIA_BOUNDS = { low: 0.5, high: 2.2 };

/** Plays from all parts of the list, because the best ones are on maps that give more pp than usual. */
function spread(plays: readonly Play[]): readonly Play[] {
  const ordered = [...plays].sort((a, b) => b.pp - a.pp);
  const places = Array.from({ length: PLAYS }, (_, index) => Math.floor(((index + 1) * ordered.length) / (PLAYS + 1)));
  return ordered.filter((_, place) => places.includes(place));
}

/** Learns from a player's plays with certain mods how far calculated pp are off, and which kinds of maps they like. */
function createPpCalibration(difficulty: Pick<Difficulty, 'of'>, { work, wait }: CalibrationSignals) {
  const known = new Map<ClassProfile, ReturnType<typeof calibrate>>();

  async function readPlay(play: Play, ruleset: Ruleset) {
    const { mapId: id, mods, accuracy, misses } = play;
    const beatmap = { id, checksum: null, mode: ruleset };
    const asked = { beatmap, mods, accuracies: [accuracy * 100], misses, isScan: true };
    try {
      const rated = await abortable(difficulty.of(asked, work), wait);
      return { ratio: play.pp / (rated.pp[0]?.pp ?? 0), patterns: patternsOf(rated) };
    } catch {
      // The error was logged where it happened.
      return undefined;
    }
  }

  async function calibrate({ plays }: ClassProfile, ruleset: Ruleset) {
    const read = (await Promise.all(spread(plays).map(play => readPlay(play, ruleset)))).flatMap(each => each ?? []);
    const { low, high } = ruleset === 'mania' ? MANIA_BOUNDS : BOUNDS;
    const ratios = read.map(({ ratio }) => ratio).filter(ratio => ratio >= low && ratio <= high);
    return {
      /**
       * osu!'s pp for these plays divided by those calculated by older rules; 1 if none could be calculated in time.
       */
      ratio: medianOf(ratios) ?? 1,
      patterns: usualPatterns(read.map(({ patterns }) => patterns)),
    };
  }

  return (profile: ClassProfile, ruleset: Ruleset) => {
    const own = known.get(profile) ?? calibrate(profile, ruleset);
    known.set(profile, own);
    return own;
  };
}

/** The share of each kind of pattern in a map, by name, from 0 to 1. */
type Patterns = Readonly<Record<string, number>>;

/** If the shares of one pattern differ by this much, players say that two maps are of different kinds. */
const FAR = 0.12;
/** The most that the difference in one pattern counts: maps that differ in one may be alike in the others. */
const MAX_DISTANCE = 3;

function patternsOf({ aim, speed, patterns = {} }: Pick<MapDifficulty, 'aim' | 'speed' | 'patterns'>): Patterns {
  if (aim === undefined || speed === undefined || aim + speed <= 0) return patterns;
  return { ...patterns, aim: aim / (aim + speed) };
}

/** The medians of several maps' shares of patterns. */
function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries([...names].map(name => [name, medianOf(maps.flatMap(map => map[name] ?? [])) ?? 0]));
}

/** How different the patterns are: 0 the same, 1 if one differs much. Patterns of only one of the maps do not count. */
function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  const distances = shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR));
  return Math.sqrt(distances.reduce((sum, distance) => sum + distance ** 2, 0));
}
