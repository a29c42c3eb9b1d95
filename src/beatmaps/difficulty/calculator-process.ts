/**
 * The process that runs osu!'s own calculator, one map at a time. It is a process of its own because a fault in native
 * code ends the process it runs in. It is built into one file; its argument is the path of the calculator's library,
 * and it sends `ready` when that is loaded.
 */
import { createRequire } from 'node:module';
import type { DifficultyFigures, DifficultyJob, HitCounts } from './difficulty-job.ts';

/** The calculator library's names for hit results and for other counts of a play. */
type ResultName =
  | 'perfects'
  | 'greats'
  | 'goods'
  | 'oks'
  | 'mehs'
  | 'misses'
  | 'largeTickHits'
  | 'largeTickMisses'
  | 'smallTickHits'
  | 'smallTickMisses'
  | 'sliderEndHits';

interface LibraryScore extends Readonly<Record<ResultName, number>> {
  readonly accuracy: number;
  readonly maxCombo: number;
}

interface LibraryAttributes {
  getData(): Readonly<Record<'stars' | 'maxCombo' | 'nCircles' | 'nSliders' | 'nSpinners', number>>;
}

interface LibraryMap {
  /** The ruleset's number, 0 to 3. */
  readonly mode: number;
  applyMods(mods: readonly { readonly acronym: string; readonly settings: ReadonlyMap<string, unknown> }[]): void;
  convert(mode: number): LibraryMap | undefined;
  createGradualDifficulty(): {
    skip(objects: number): void;
    skipToEnd(): void;
    createDifficultyAttrs(): LibraryAttributes;
  };
  /** Makes a play of this accuracy, 0 to 1, without a miss. Its combo is 0 until the caller sets it. */
  createScore(accuracy: number): LibraryScore;
  calculateAccuracy(score: LibraryScore): number;
  calculatePerformance(attributes: LibraryAttributes, score: LibraryScore): { readonly pp: number };
}

export interface CalculatorLibrary {
  readonly PlayBeatmap: { parse(text: string): LibraryMap };
}

/**
 * The values that are taken from osu!'s own calculator. All others, such as AR and length, are taken from rosu-pp-js,
 * because the two libraries agree about them.
 */
export type ExactFigures = Pick<DifficultyFigures, 'stars' | 'maxCombo' | 'pp' | 'play'>;

const CATCH = 2;

type Count = 'nGeki' | 'n300' | 'nKatu' | 'n100' | 'n50';
type Names = Readonly<Record<Count, ResultName>>;

/** The library's names of the hit results of a job. */
const NAMES: Names = { nGeki: 'perfects', n300: 'greats', nKatu: 'goods', n100: 'oks', n50: 'mehs' };
const NAMES_IN_CATCH: Names = { ...NAMES, n100: 'largeTickHits', n50: 'smallTickHits', nKatu: 'smallTickMisses' };
const COUNTS: readonly (readonly Count[])[] = [
  ['n300', 'n100', 'n50'],
  ['n300', 'n100'],
  ['n300', 'n100', 'n50', 'nKatu'],
  ['nGeki', 'n300', 'nKatu', 'n100', 'n50'],
];
/** The hit results of each ruleset, best first, each with the name that it has in a job. */
const RESULTS = COUNTS.map((counts, mode) =>
  counts.map(count => [(mode === CATCH ? NAMES_IN_CATCH : NAMES)[count], count] as const),
);

interface Rated {
  readonly map: LibraryMap;
  readonly attributes: LibraryAttributes;
}

function rate(map: LibraryMap, objects?: number): Rated {
  const steps = map.createGradualDifficulty();
  if (objects === undefined) steps.skipToEnd();
  else steps.skip(objects);
  return { map, attributes: steps.createDifficultyAttrs() };
}

function ppOf({ map, attributes }: Rated, score: LibraryScore): number {
  return map.calculatePerformance(attributes, { ...score, accuracy: map.calculateAccuracy(score) }).pp;
}

/** The pp of a play of this accuracy (0 to 100), in which `misses` replace some of the best results. */
function ppAt(rated: Rated, accuracy: number, { misses = 0, combo }: Pick<DifficultyJob, 'misses' | 'combo'>): number {
  const { map, attributes } = rated;
  const names = (RESULTS[map.mode] ?? []).map(([name]) => name);
  const perfect = map.createScore(1);
  const results = names.reduce((sum, name) => sum + perfect[name], 0);
  const score = map.createScore(Math.min(1, accuracy / 100 + misses / Math.max(1, results)));
  const [best = 'greats'] = names;
  const { maxCombo } = attributes.getData();
  const longest = Math.max(0, maxCombo - misses);
  const taken = { [best]: Math.max(0, score[best] - misses), misses, maxCombo: Math.min(combo ?? longest, longest) };
  return ppOf(rated, { ...score, ...taken });
}

/** The play in the calculator's terms. Results that the play does not state count as the best possible. */
function scoreOf({ map, attributes }: Rated, play: HitCounts): LibraryScore {
  const perfect = map.createScore(1);
  const { maxCombo, nCircles, nSliders, nSpinners } = attributes.getData();
  const counts = Object.fromEntries((RESULTS[map.mode] ?? []).map(([name, count]) => [name, play[count] ?? 0]));
  // The maximum combo counts circles, spinners, and sliders' heads, ends and ticks; so the ticks are what remains.
  const ticks = Math.max(0, maxCombo - nCircles - 2 * nSliders - nSpinners);
  const { misses = 0, combo = maxCombo, sliderEndHits = perfect.sliderEndHits, largeTickHits = ticks } = play;
  const ofSliders = map.mode === 0 ? { sliderEndHits, largeTickMisses: Math.max(0, ticks - largeTickHits) } : {};
  return { ...perfect, ...counts, misses, maxCombo: combo, ...ofSliders };
}

/** The given play as it would have been without a miss and up to the end of the map, at the accuracy that it had. */
function withoutMisses(rated: Rated, play: HitCounts): LibraryScore {
  const { map, attributes } = rated;
  const { maxCombo } = attributes.getData();
  const perfect = map.createScore(1);
  // The play's share of each hit result is applied to all objects of the map. In catch every fruit and drop counts as
  // caught, because missing one is a miss, so only the results of small droplets are shared out.
  const spread = (RESULTS[map.mode] ?? []).slice(map.mode === CATCH ? 2 : 0);
  const all = spread.reduce((sum, [name]) => sum + perfect[name], 0);
  const given = spread.reduce((sum, [, count]) => sum + (play[count] ?? 0), 0);
  const scaled = spread.map(([, count]) => (given === 0 ? 0 : Math.floor((all * (play[count] ?? 0)) / given)));
  const rest = all - scaled.reduce((sum, count) => sum + count, 0);
  const counts = spread.map(([name], index) => [name, (scaled[index] ?? 0) + (index === 0 ? rest : 0)]);
  const { sliderEndHits = perfect.sliderEndHits } = play;
  return { ...perfect, ...Object.fromEntries(counts), sliderEndHits, maxCombo };
}

/** Calculates stars and pp of a job. @throws Error for a map without that ruleset, and whatever the library throws */
export function calculate({ PlayBeatmap }: CalculatorLibrary, job: Omit<DifficultyJob, 'strains'>): ExactFigures {
  const { file, mode, lazer, accuracies, play } = job;
  const parsed = PlayBeatmap.parse(Buffer.from(file).toString());
  const map = parsed.mode === mode ? parsed : parsed.convert(mode);
  if (map === undefined) throw new Error('the map does not have this ruleset');
  const named = job.mods.map(({ acronym, settings = {} }) => ({
    acronym,
    settings: new Map(Object.entries(settings)),
  }));
  const isMarked = lazer || named.some(({ acronym }) => acronym === 'CL');
  map.applyMods(isMarked ? named : [...named, { acronym: 'CL', settings: new Map() }]);
  const whole = rate(map);
  const { stars, maxCombo } = whole.attributes.getData();
  const played = play?.passedObjects === undefined ? whole : rate(map, play.passedObjects);
  return {
    stars,
    maxCombo,
    pp: accuracies.map(accuracy => ({ accuracy, pp: ppAt(whole, accuracy, job) })),
    play:
      play === undefined
        ? null
        : { pp: ppOf(played, scoreOf(played, play)), ppIfFullCombo: ppOf(whole, withoutMisses(whole, play)) },
  };
}

/** Answers each job with stars and pp, or with the failure if the map could not be calculated. */
function serve(library: CalculatorLibrary): void {
  process.on('message', (job: DifficultyJob) => {
    try {
      process.send?.(calculate(library, job));
    } catch (error) {
      process.send?.({ failure: String(error) });
    }
  });
  process.send?.('ready');
}

const [, , library] = process.argv;
if (process.send !== undefined && library !== undefined) serve(createRequire(import.meta.url)(library));
