/**
 * Lets the text index search by numbers such as stars or BPM: each is rounded down to one of 64 steps, and each step is
 * written as a private Unicode character. So the index finds sets that meet several rare conditions together, the most
 * popular first.
 */
import { type Beatmap, type Beatmapset, RULESETS, type Status, statusNumber } from '../model/beatmapset.ts';
import type { Query, RangeKey } from '../query/query.ts';
import { BEATMAP_FIGURES, SET_FIGURES } from '../query/query-match.ts';
import type { Range } from '../query/query-values.ts';

/** Unicode's first private character. It and the next ones stand for the steps. */
const FIRST_CHARACTER = 0xe000;
const STEPS = 64;

type Key = RangeKey | 'mode' | 'genre' | 'language' | 'video' | 'nsfw' | 'spotlight';

/**
 * Returns the number of the step in which a value lies. The part after the decimal point says how far inside the step
 * the value is: `anyStep` needs it, since a range that ends exactly where a step begins must not include that step. A
 * larger value never has a smaller number, so a range of values is a range of steps.
 */
type StepOf = (value: number) => number;

const linear =
  (width: number): StepOf =>
  value =>
    value / width;
const logarithmic =
  (unit: number, each: number): StepOf =>
  value =>
    each * Math.log2(1 + Math.max(0, value) / unit);
const byYear: StepOf = ms => {
  const year = new Date(ms).getUTCFullYear();
  const start = Date.UTC(year, 0);
  return year - 2000 + (ms - start) / (Date.UTC(year + 1, 0) - start);
};
const plain = linear(1);

/** The numbers that are indexed. Their positions are part of what is stored, so new ones must be added at the end. */
const FIGURES: readonly (readonly [Key, StepOf])[] = [
  ['mode', plain],
  ['stars', linear(0.5)],
  ['ar', linear(0.5)],
  ['od', linear(0.5)],
  ['cs', linear(0.5)],
  ['hp', linear(0.5)],
  ['bpm', linear(20)],
  ['length', logarithmic(15, 4)],
  ['circles', logarithmic(1, 2)],
  ['sliders', logarithmic(1, 2)],
  ['keys', plain],
  ['favourites', logarithmic(1, 2)],
  ['status', value => value + 2],
  ['created', byYear],
  ['updated', byYear],
  ['ranked', byYear],
  ['year', value => value - 2000],
  ['genre', plain],
  ['language', plain],
  ['video', plain],
  ['nsfw', plain],
  ['spotlight', plain],
];

interface Figure {
  readonly stepOf: StepOf;
  readonly first: number;
}

const BY_KEY: ReadonlyMap<Key, Figure> = new Map(
  FIGURES.map(([key, stepOf], index) => [key, { stepOf, first: FIRST_CHARACTER + index * STEPS }]),
);

function characterOf({ first }: Figure, step: number): number {
  return first + Math.max(0, Math.min(STEPS - 1, Math.floor(step)));
}

type Value = readonly [Key, number | null];

function mapValues(map: Beatmap, set: Beatmapset): readonly Value[] {
  return [['mode', RULESETS.indexOf(map.mode)], ...BEATMAP_FIGURES.map(([key, read]): Value => [key, read(map, set)])];
}

function setValues(set: Beatmapset): readonly Value[] {
  return [
    ...SET_FIGURES.map(([key, read]): Value => [key, read(set)]),
    ['genre', set.genre_id],
    ['language', set.language_id],
    ['video', Number(set.video)],
    ['nsfw', Number(set.nsfw)],
    // A set that is in no spotlight gets no word that says so, so that sets stored by an older version need no
    // rewriting.
    ['spotlight', set.spotlight === true ? 1 : null],
  ];
}

/** The words for all values of a set and its difficulties, each once; an unknown value has no word. */
export function figureWords(set: Beatmapset): string {
  const characters = new Set<number>();
  for (const values of [setValues(set), ...set.beatmaps.map(map => mapValues(map, set))]) {
    for (const [key, value] of values) {
      const figure = BY_KEY.get(key);
      if (figure !== undefined && value !== null) characters.add(characterOf(figure, figure.stepOf(value)));
    }
  }
  return [...characters].map(character => String.fromCharCode(character)).join(' ');
}

/**
 * The query for the index; empty when no condition narrows the search. It finds each matching set and some that do not
 * match: a step also holds values beside the searched range, and the values that meet the conditions may be those of
 * different difficulties.
 */
export function figureExpression(query: Query, statuses: readonly Status[]): string {
  const { ranges, ruleset, genre, language, video, nsfw, spotlight } = query;
  const exact = ([key, value]: readonly [Key, number | undefined]): readonly [Key, Range | undefined] => [
    key,
    value === undefined ? undefined : { gte: value, lt: value + 1 },
  ];
  const wanted: readonly (readonly [Key, Range | undefined])[] = [
    ...FIGURES.map(([key]) => [key, isRangeKey(key, ranges) ? ranges[key] : undefined] as const),
    exact(['mode', ruleset === undefined ? undefined : RULESETS.indexOf(ruleset)]),
    exact(['genre', genre]),
    exact(['language', language]),
    exact(['video', video === undefined ? undefined : Number(video)]),
    exact(['nsfw', nsfw === undefined ? undefined : Number(nsfw)]),
    exact(['spotlight', spotlight === true ? 1 : undefined]),
    // The index is asked for a status only if one alone is searched. Nearly all sets have one of the usual statuses, so
    // asking for several would exclude hardly any set.
    exact(['status', statuses.length === 1 && statuses[0] !== undefined ? statusNumber(statuses[0]) : undefined]),
  ];
  return wanted.flatMap(([key, range]) => (range === undefined ? [] : (anyStep(key, range) ?? []))).join(' AND ');
}

/** The expression that finds exactly the sets that osu! put in a spotlight. */
export const SPOTLIGHTS = anyStep('spotlight', { gte: 1, lt: 2 }) ?? '';

function isRangeKey(key: Key, ranges: Query['ranges']): key is RangeKey {
  return key in ranges;
}

function anyStep(key: Key, { gte, lt }: Range): string | undefined {
  const figure = BY_KEY.get(key);
  if (figure === undefined) return undefined;
  const first = gte === undefined ? figure.first : characterOf(figure, figure.stepOf(gte));
  // The value `lt` itself is not in the range, but its step may begin inside the range.
  const end = lt === undefined ? STEPS : Math.ceil(figure.stepOf(lt));
  const last = Math.max(first, characterOf(figure, end - 1));
  const words = Array.from({ length: last - first + 1 }, (_, index) => `"${String.fromCharCode(first + index)}"`);
  return words.length === STEPS ? undefined : `(${words.join(' OR ')})`;
}
