import { setMaxListeners } from 'node:events';
import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Candidate } from '../catalogue/candidates.ts';
import type { Difficulty, MapDifficulty } from '../difficulty/difficulty.ts';
import type { Beatmap, Beatmapset, Ruleset } from '../model/beatmapset.ts';
import { medianOf } from '../rating/ratings.ts';
import type { RecommendFilters } from './filters.ts';
import type { ClassProfile, Play } from './player-profile.ts';
import { isHit, isWithin, type ScoredCandidate, spreadOut, withinFirst } from './scoring.ts';
import type { SearchPlan } from './search-plan.ts';

export interface RescoringRequest {
  readonly plan: SearchPlan;
  readonly filters: RecommendFilters;
  /** The candidates in the random order in which they were drawn. */
  readonly ordered: readonly ScoredCandidate[];
  /** How many maps the person wants. */
  readonly limit: number;
  /** Maps whose pp were requested for the last answer to the same question; undefined for a new question. */
  readonly lookedAt: readonly Candidate[] | undefined;
  /** How long an answer waits, in milliseconds. Maps without calculated pp by then keep their estimates. */
  readonly waitMs: number;
  /** The sets of these candidates that are still available. */
  readSets(choices: readonly ScoredCandidate[]): Promise<ReadonlyMap<number, Beatmapset>>;
  readonly signal: AbortSignal | undefined;
}

/** The first wave calculates this many times the requested number of maps, because some will not fit. */
const WAVE = 1.5;
/** How long to wait for the maps of one wave. The results decide which maps are calculated in the next wave. */
const WAVE_MS = 500;
/** The most maps in all waves, as a multiple of the requested number; each map needs its file. */
const MOST_ASKED = 3;
/** How long to wait when a person asks again: pp that came too late the last time are ready now. */
const REPEAT_MS = 200;
/** How long the work on late pp goes on, in case the person asks again. */
const WORKED_MS = 10_000;
/**
 * The estimates for maps with the same mods are corrected once pp of this many of them are calculated: fewer do not
 * show how far the estimates are off.
 */
const ENOUGH_TO_LEARN = 3;

/**
 * Replaces estimated pp and stars by those calculated from the maps' files, for as many maps as time allows. The
 * calculated pp are multiplied by the ratio of osu!'s pp to calculated pp in the player's own plays. The first results
 * show the error of the estimates, which decides which maps are read next, and corrects the other estimates.
 */
export async function refine(library: Pick<Difficulty, 'of'> | undefined, request: RescoringRequest) {
  const { plan, filters, ordered, limit, lookedAt, waitMs, readSets, signal } = request;
  const estimated = (choices: readonly ScoredCandidate[], size: number) => spreadOut(withinFirst(choices, plan), size);
  if (library === undefined) return { choices: estimated(ordered, limit), lookedAt: [] };
  const work = AbortSignal.any([...(signal === undefined ? [] : [signal]), AbortSignal.timeout(WORKED_MS)]);
  const soon = AbortSignal.timeout(waitMs / 2);
  // Each map adds a listener to the signals; Node would report that many as a leak.
  setMaxListeners(0, work, soon);
  const calibrate = createPpCalibration(library, work, soon);
  const learnt = createLearnt();
  const asked = new Set<number>();
  const computed = new Map<number, Computed>();
  const until = performance.now() + (lookedAt === undefined ? waitMs : Math.min(REPEAT_MS, waitMs));
  const hits = () => [...computed.values()].filter(choice => isHit(choice, plan, filters));

  const compute = async (choice: ScoredCandidate, beatmap: Beatmap): Promise<void> => {
    const { candidate, figures, mods, profile } = choice;
    const { accuracy, misses } = profile;
    try {
      const [found, usual] = await Promise.all([
        library.of({ beatmap, mods, accuracies: [accuracy * 100], misses, isScan: true }, work),
        calibrate(profile, candidate.ruleset),
      ]);
      const [played] = found.pp;
      const pp = played === undefined ? choice.pp : played.pp * usual.ratio;
      // Without mods the map has osu!'s own stars already.
      const stars = profile.modClass.key === '' ? figures.stars : found.stars;
      learnt.note(choice, pp);
      const distance = patternDistance(found.patterns ?? {}, usual.patterns);
      const { algorithm } = found;
      computed.set(candidate.id, { ...choice, figures: { ...figures, stars }, pp, algorithm, distance });
    } catch {
      // The error was logged where it happened, so it is not logged again.
    }
  };

  const computeAll = async (choices: readonly ScoredCandidate[], ms: number): Promise<void> => {
    for (const { candidate } of choices) asked.add(candidate.id);
    const sets = await readSets(choices);
    const all = choices.flatMap(choice => {
      const beatmap = sets.get(choice.candidate.setId)?.beatmaps.find(({ id }) => id === choice.candidate.id);
      return beatmap === undefined ? [] : [compute(choice, beatmap)];
    });
    await abortable(Promise.all(all), AbortSignal.timeout(Math.ceil(Math.max(0, ms)))).catch(() => undefined);
    if (signal?.aborted === true) throw new AppError('timeout', 'the caller left', { cause: signal.reason });
  };

  const next = (size: number) => {
    const sets = new Set(hits().map(({ candidate }) => candidate.setId));
    const rest = ordered.filter(({ candidate }) => !asked.has(candidate.id) && !sets.has(candidate.setId));
    const within = rest.filter(choice => isWithin(learnt.correct(choice), plan));
    return spreadOut(within.length > 0 || computed.size > 0 ? within : rest, size);
  };

  const known = new Set(lookedAt?.map(({ id }) => id));
  const remembered = ordered.filter(({ candidate }) => known.has(candidate.id)).slice(0, limit * MOST_ASKED);
  await computeAll(remembered, until - performance.now());
  for (let wave = next(Math.ceil(limit * WAVE)); wave.length > 0; wave = next(limit)) {
    const isDone = hits().length >= limit || performance.now() >= until;
    if (isDone || asked.size - remembered.length >= limit * MOST_ASKED) break;
    await computeAll(wave, Math.min(WAVE_MS, until - performance.now()));
  }
  const rest = ordered.filter(({ candidate }) => !computed.has(candidate.id)).map(learnt.correct);
  const drawn = ordered.flatMap(({ candidate }) => computed.get(candidate.id) ?? []);
  return {
    /**
     * Maps that may be shown: first suitable ones with patterns near the player's usual ones, then other maps with
     * calculated pp, then maps with estimated pp.
     */
    choices: [...nearestFirst(drawn, hits(), limit), ...estimated(rest, limit * 2)],
    /** Maps whose pp were requested; some pp may come only after the answer. */
    lookedAt: ordered.flatMap(({ candidate }) => (asked.has(candidate.id) ? [candidate] : [])),
  };
}

interface Computed extends ScoredCandidate {
  /** How much the map's patterns differ from the patterns of the player's plays. */
  readonly distance: number;
}

/** Puts first the `limit` hits whose patterns are nearest to the player's usual ones; keeps the order otherwise. */
function nearestFirst(drawn: readonly Computed[], hits: readonly Computed[], limit: number): readonly Computed[] {
  const nearest = new Set(hits.toSorted((a, b) => a.distance - b.distance).slice(0, limit));
  return [...drawn.filter(each => nearest.has(each)), ...drawn.filter(each => !nearest.has(each))];
}

/** Learns the error of the estimates for each class of mods. */
function createLearnt() {
  const errors = new Map<ClassProfile, number[]>();
  return {
    note({ profile, pp }: ScoredCandidate, real: number): void {
      if (pp > 0) errors.set(profile, [...(errors.get(profile) ?? []), real / pp]);
    },
    correct(choice: ScoredCandidate): ScoredCandidate {
      const known = errors.get(choice.profile) ?? [];
      const factor = known.length < ENOUGH_TO_LEARN ? 1 : (medianOf(known) ?? 1);
      return { ...choice, pp: choice.pp * factor };
    },
  };
}

/** How many of a player's plays are calculated: few, since each needs a map's file, and so do recommended maps. */
const PLAYS = 3;
/**
 * osu!'s pp for a play divided by the calculated pp must be between these bounds. Changes of osu!'s rules are smaller,
 * so a ratio beyond the bounds means that the file is of another map, or that the play is of another client.
 */
const BOUNDS = { low: 0.7, high: 1.4 };
/** The bounds in mania are wider: perfect hits give more pp, and accuracy does not tell how many there are. */
const MANIA_BOUNDS = { low: 0.5, high: 2.2 };

/** Plays from all parts of the list, because the best plays are on maps that give more pp than usual. */
function spread(plays: readonly Play[]): readonly Play[] {
  const ordered = [...plays].sort((a, b) => b.pp - a.pp);
  const places = Array.from({ length: PLAYS }, (_, index) => Math.floor(((index + 1) * ordered.length) / (PLAYS + 1)));
  return ordered.filter((_, place) => places.includes(place));
}

/**
 * Learns two things from a player's plays with certain mods: `patterns`, which patterns the played maps usually have,
 * and `ratio`, osu!'s pp divided by the calculated pp, because the library calculates by older rules. The ratio is 1 if
 * no pp could be calculated in time.
 * @param work ends the calculation itself
 * @param soon ends only the waiting for the calculation, which goes on
 */
function createPpCalibration(difficulty: Pick<Difficulty, 'of'>, work: AbortSignal, soon: AbortSignal) {
  const known = new Map<ClassProfile, ReturnType<typeof calibrate>>();

  async function readPlay(play: Play, ruleset: Ruleset) {
    const { mapId: id, settings: mods, accuracy, misses } = play;
    const beatmap = { id, checksum: null, mode: ruleset };
    const asked = { beatmap, mods, accuracies: [accuracy * 100], misses, isScan: true };
    // A failure was logged where it happened, so it is not logged again.
    const rated = await abortable(difficulty.of(asked, work), soon).catch(() => undefined);
    return rated === undefined ? [] : [{ ratio: play.pp / (rated.pp[0]?.pp ?? 0), patterns: rated.patterns ?? {} }];
  }

  async function calibrate({ plays }: ClassProfile, ruleset: Ruleset) {
    const { low, high } = ruleset === 'mania' ? MANIA_BOUNDS : BOUNDS;
    const read = (await Promise.all(spread(plays).map(play => readPlay(play, ruleset)))).flat();
    const ratios = read.map(({ ratio }) => ratio).filter(ratio => ratio >= low && ratio <= high);
    return { ratio: medianOf(ratios) ?? 1, patterns: usualPatterns(read.map(({ patterns }) => patterns)) };
  }

  return (profile: ClassProfile, ruleset: Ruleset) => {
    const own = known.get(profile) ?? calibrate(profile, ruleset);
    known.set(profile, own);
    return own;
  };
}

type Patterns = NonNullable<MapDifficulty['patterns']>;

/** If the shares of one pattern differ by this much, players say that two maps are of different kinds. */
const FAR = 0.12;
/** The most that the difference in one pattern counts, because the two maps may be alike in all other patterns. */
const MAX_DISTANCE = 3;

/** The medians of several maps' shares of patterns. */
function usualPatterns(maps: readonly Patterns[]): Patterns {
  const names = new Set(maps.flatMap(map => Object.keys(map)));
  return Object.fromEntries([...names].map(name => [name, medianOf(maps.flatMap(map => map[name] ?? [])) ?? 0]));
}

/** The difference of patterns: 0 for none, 1 if one differs much. A pattern that only one map has does not count. */
function patternDistance(map: Patterns, usual: Patterns): number {
  const shared = Object.keys(map).filter(name => Object.hasOwn(usual, name));
  return Math.hypot(
    ...shared.map(name => Math.min(MAX_DISTANCE, Math.abs((map[name] ?? 0) - (usual[name] ?? 0)) / FAR)),
  );
}
