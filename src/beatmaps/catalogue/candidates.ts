import * as z from 'zod';
import type { Store } from '../../infra/store/store.ts';
import { type Beatmap, type Beatmapset, hasLeaderboard, RULESETS, type Ruleset } from '../model/beatmapset.ts';

const STEPS_PER_STAR = 20;

/**
 * The table of maps that may be recommended: those that give pp, and loved ones. Maps whose stars lie in the same step,
 * a twentieth of a star, are stored together, so that a range of stars is read in few pieces however large the
 * catalogue is. Fractions are stored as whole numbers of `UNITS`, which take few bytes. Within a step, rows are ordered
 * by set id: sets that are written in the order of their ids are added at the step's end, which is fast, and `drawStep`
 * can begin to read at any id.
 */
export const CANDIDATES_TABLE = `
CREATE TABLE catalogue_candidates (
  mode INTEGER NOT NULL, loved INTEGER NOT NULL, step INTEGER NOT NULL, set_id INTEGER NOT NULL, id INTEGER NOT NULL,
  stars INTEGER NOT NULL, ar INTEGER, od INTEGER, cs INTEGER, bpm REAL, length REAL NOT NULL, objects INTEGER,
  mapper INTEGER, plays INTEGER, favourites INTEGER, rating INTEGER,
  PRIMARY KEY (mode, loved, step, set_id, id)
) STRICT, WITHOUT ROWID;
`;

/** Values are stored as whole numbers of these parts, to save space: 1 star as 100,000. */
const UNITS = { stars: 100_000, ar: 100, od: 100, cs: 100, rating: 10_000 };
type Fraction = keyof typeof UNITS;

const PLACE = 'mode = ? AND loved = ? AND step = ?';
const LAST = `SELECT set_id AS id FROM catalogue_candidates WHERE ${PLACE} ORDER BY set_id DESC LIMIT 1`;

function stepOf(stars: number): number {
  return Math.floor(stars * STEPS_PER_STAR);
}

/** A set that can no longer be downloaded is not a candidate for recommendations. */
function isCandidate(set: Beatmapset): boolean {
  return hasLeaderboard(set) && !set.download_disabled;
}

/** Updates the rows of a set that is being written; to be called in the transaction that writes the set. */
export function writeCandidates(store: Store, known: Beatmapset | undefined, set: Beatmapset): void {
  if (known !== undefined && isCandidate(known)) {
    for (const { mode, difficulty_rating } of known.beatmaps) {
      const place = placeOf(mode, known.status === 'loved', stepOf(difficulty_rating));
      store.run(`DELETE FROM catalogue_candidates WHERE ${PLACE} AND set_id = ?`, [...place, set.id]);
    }
  }
  if (!isCandidate(set)) return;
  for (const beatmap of set.beatmaps) {
    const one = candidateOf(set, beatmap);
    const values = FIGURES.map(key => {
      const value = one[key];
      return isFraction(key) && value !== null ? Math.round(value * UNITS[key]) : value;
    });
    store.run(INSERT, [...placeOf(one.ruleset, set.status === 'loved', stepOf(one.stars)), ...values]);
  }
}

/**
 * The ranges of stars, length and the like from which maps are drawn. They are compared with a map's values without
 * mods, and both ends are included.
 */
export interface CandidateWindow {
  readonly ruleset: Ruleset;
  readonly stars: Bounds;
  readonly bpm?: Bounds | undefined;
  /** The length in seconds. */
  readonly length?: Bounds | undefined;
  readonly cs?: Bounds | undefined;
  readonly loved: boolean;
}

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

const figure = z.number().nullable();
const Line = z.object({
  setId: z.number(),
  id: z.number(),
  stars: z.number(),
  ar: figure,
  od: figure,
  cs: figure,
  bpm: figure,
  /** The length in seconds. */
  length: z.number(),
  /** The number of circles, sliders and spinners. */
  objects: figure,
  /** The id of the difficulty's mapper if it is known, else of the set's mapper. */
  mapper: figure,
  /** How often the difficulty was played. */
  plays: figure,
  /** The number of favourites of the whole set. */
  favourites: figure,
  /** The rating of the whole set, 0 to 10. */
  rating: figure,
});
type Line = z.output<typeof Line>;

const FIGURES = Line.keyof().options;
const isFraction = (key: keyof Line): key is Fraction => key in UNITS;
const columnOf = (key: keyof Line) => (key === 'setId' ? 'set_id' : key);
const COLUMNS = FIGURES.map(columnOf).join(', ');
const INSERT = `INSERT OR REPLACE INTO catalogue_candidates (mode, loved, step, ${COLUMNS})
  VALUES (?, ?, ?, ${FIGURES.map(() => '?').join(', ')})`;
const PAIRS = FIGURES.map(key => `'${key}', ${isFraction(key) ? `${key} / ${UNITS[key]}.0` : columnOf(key)}`);
const LINE = `json_object(${PAIRS.join(', ')})`;
/** All rows come as one JSON text, because reading them that way is ten times as fast as row by row. */
const LinesRow = z.object({ lines: z.string() });
const IdRow = z.object({ id: z.number() });
const MAX_STARS = 25;

function readLines(store: Store, place: readonly number[], { sql, params }: Filter, size: number): readonly Line[] {
  const select = `SELECT json_group_array(${LINE}) AS lines FROM (
    SELECT ${COLUMNS} FROM catalogue_candidates WHERE ${PLACE} AND ${sql} ORDER BY set_id, id LIMIT ?)`;
  return z.array(Line).parse(JSON.parse(store.get(select, [...place, ...params, size], LinesRow)?.lines ?? '[]'));
}

/**
 * Reads maps whose stars lie in one step (a twentieth of a star). Reading begins at a random set id and goes on at the
 * first id after the last one, so that each draw finds other maps.
 */
function drawStep(store: Store, place: readonly number[], { sql, params }: Filter, size: number, random: () => number) {
  const last = store.get(LAST, place, IdRow)?.id;
  if (last === undefined) return [];
  const start = Math.floor(random() * (last + 1));
  const from = (sign: '>=' | '<', count: number) =>
    readLines(store, place, { sql: `set_id ${sign} ? ${sql}`, params: [start, ...params] }, count);
  const after = from('>=', size);
  return after.length >= size ? after : [...after, ...from('<', size - after.length)];
}

/**
 * Draws about `size` maps from all parts of the range; `seed` decides which, if there are more.
 * @param store a store that has the catalogue's tables
 */
export function drawCandidates(
  store: Store,
  window: CandidateWindow,
  size: number,
  seed: number,
): readonly Candidate[] {
  const random = createRandom(seed);
  const { ruleset, stars } = window;
  const filter = filterOf(window);
  const first = stepOf(Math.max(0, stars.low));
  const count = Math.max(0, stepOf(Math.min(MAX_STARS, stars.high)) - first + 1);
  const share = Math.ceil(size / Math.max(1, count));
  const steps = Array.from({ length: count }, (_, index) => first + index);
  const kinds = window.loved ? [false, true] : [false];
  return steps
    .flatMap(step => kinds.flatMap(loved => drawStep(store, placeOf(ruleset, loved, step), filter, share, random)))
    .map(line => ({ ...line, ruleset }));
}

interface Filter {
  readonly sql: string;
  readonly params: readonly number[];
}

function filterOf({ stars, bpm, length, cs }: CandidateWindow): Filter {
  const asked = [
    ['stars', stars, UNITS.stars],
    ['bpm', bpm, 1],
    ['length', length, 1],
    ['cs', cs, UNITS.cs],
  ] as const;
  const bounds = asked.flatMap(([column, range, units]) => (range === undefined ? [] : [{ column, range, units }]));
  return {
    sql: bounds.map(({ column }) => `AND ${column} BETWEEN ? AND ?`).join(' '),
    params: bounds.flatMap(({ range, units }) => [range.low * units, range.high * units]),
  };
}

function placeOf(ruleset: Ruleset, isLoved: boolean, step: number): readonly number[] {
  return [RULESETS.indexOf(ruleset), Number(isLoved), step];
}

/**
 * A difficulty that may be recommended, with the values by which maps are chosen, such as stars and length. All of them
 * are the values without mods.
 */
export type Candidate = Readonly<Line> & { readonly ruleset: Ruleset };

export function candidateOf(set: Beatmapset, map: Beatmap): Candidate {
  return {
    setId: set.id,
    id: map.id,
    ruleset: map.mode,
    stars: map.difficulty_rating,
    ar: map.ar,
    od: map.od,
    cs: map.cs,
    bpm: map.bpm ?? set.bpm,
    length: map.total_length,
    objects: objectsOf(map),
    mapper: map.owners[0]?.id ?? map.user_id ?? set.user_id,
    plays:
      map.playcount ?? (set.play_count === null ? null : Math.round(set.play_count / Math.max(1, set.beatmaps.length))),
    favourites: set.favourite_count,
    rating: set.rating,
  };
}

function objectsOf({ count_circles, count_sliders, count_spinners }: Beatmap): number | null {
  if (count_circles === null || count_sliders === null) return null;
  return count_circles + count_sliders + (count_spinners ?? 0);
}

/** A generator of random numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
