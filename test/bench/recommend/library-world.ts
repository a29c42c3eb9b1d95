/**
 * A catalogue of one ruleset whose truth is what the library works out from generated files: stars of the catalogue, pp of plays, and whether
 * a recommended map is worth what was promised.
 */
import { createHash } from 'node:crypto';
import * as rosu from 'rosu-pp-js';
import type { Beatmap, Beatmapset, Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';
import { madeUpBeatmap, madeUpSet } from '../../beatmaps/made-up-sets.ts';
import { generateMap } from '../generated-maps.ts';
import { createRandom } from '../generated-sets.ts';
import { bell, clamp } from './chance.ts';

export interface LibraryMap {
  readonly seed: number;
  readonly map: Beatmap;
  readonly set: Beatmapset;
}

export interface LibraryWorld {
  readonly ruleset: Ruleset;
  readonly sets: readonly Beatmapset[];
  readonly maps: ReadonlyMap<number, LibraryMap>;
  /** The easiest first. */
  readonly byStars: readonly LibraryMap[];
  /** What the library has worked out by now: players meet on the same maps. */
  readonly attributes: Attributes;
}

type Attributes = Map<string, rosu.DifficultyAttributes>;

/** Far from those that the estimates were fitted to. */
const FIRST_SEED = 50_000;
const MAPS_A_SET = 4;

function using<T extends { free(): void }, R>(resource: T, work: (resource: T) => R): R {
  try {
    return work(resource);
  } finally {
    resource.free();
  }
}

export function fileOf(ruleset: Ruleset, { seed }: Pick<LibraryMap, 'seed'>): Uint8Array {
  return generateMap(ruleset, seed).file;
}

function calculate(parsed: rosu.Beatmap, mods: readonly string[]): rosu.DifficultyAttributes {
  return using(new rosu.Difficulty({ mods: mods.join('') }), calculator => calculator.calculate(parsed));
}

function keyOf({ id }: Pick<Beatmap, 'id'>, mods: readonly string[]): string {
  return `${id} ${mods.join('')}`;
}

interface MadeBy {
  readonly id: number;
  readonly setId: number;
  readonly mapper: number;
}

function makeMap(
  ruleset: Ruleset,
  { id, setId, mapper }: MadeBy,
  attributes: Attributes,
  random: () => number,
): Beatmap {
  const generated = generateMap(ruleset, FIRST_SEED + id);
  return using(new rosu.Beatmap(generated.file), parsed => {
    const plain = calculate(parsed, []);
    attributes.set(keyOf({ id }, []), plain);
    return madeUpBeatmap({
      id,
      beatmapset_id: setId,
      mode: ruleset,
      difficulty_rating: Math.round(plain.stars * 100) / 100,
      total_length: Math.round(generated.length),
      ...{ bpm: generated.bpm, ar: generated.ar, od: generated.od, cs: generated.cs },
      ...{ max_combo: plain.maxCombo, count_circles: parsed.nCircles },
      ...{ count_sliders: parsed.nSliders + parsed.nHolds, count_spinners: parsed.nSpinners },
      playcount: Math.round(Math.exp(8 + 2 * bell(random))),
      checksum: createHash('md5').update(generated.file).digest('hex'),
      user_id: mapper,
    });
  });
}

/** The same world for the same numbers. */
export function createLibraryWorld(ruleset: Ruleset, sets: number): LibraryWorld {
  const random = createRandom(sets);
  const attributes: Attributes = new Map();
  const made = Array.from({ length: sets }, (_, index) => {
    const id = index + 1;
    const mapper = 1 + Math.floor(300 ** random());
    const beatmaps = Array.from({ length: MAPS_A_SET }, (_each, place) =>
      makeMap(ruleset, { id: id * 10 + place, setId: id, mapper }, attributes, random),
    );
    const plays = Math.round(Math.exp(9 + 2 * bell(random)));
    return madeUpSet({
      ...{ id, creator: `mapper ${mapper}`, user_id: mapper, status: 'ranked', bpm: beatmaps[0]?.bpm ?? null },
      play_count: plays,
      favourite_count: Math.round((plays / 80) * Math.exp(0.6 * bell(random))),
      rating: Math.round(100 * clamp(9 + 0.5 * bell(random), 6, 10)) / 100,
      beatmaps,
    });
  });
  return libraryWorldOf(ruleset, made, attributes);
}

/** The same world, of which the sets are known. */
export function libraryWorldOf(
  ruleset: Ruleset,
  sets: readonly Beatmapset[],
  attributes: Attributes = new Map(),
): LibraryWorld {
  const maps = sets.flatMap(set => set.beatmaps.map(map => [map.id, { seed: FIRST_SEED + map.id, map, set }] as const));
  const byStars = maps.map(([, one]) => one).sort((a, b) => a.map.difficulty_rating - b.map.difficulty_rating);
  return { ruleset, sets, maps: new Map(maps), byStars, attributes };
}

export interface Played {
  readonly accuracy: number;
  readonly misses: number;
  readonly pp: number;
}

/** In mania accuracy alone does not say what a play is worth: perfect hits count for more. */
function maniaHits(objects: number, { accuracy, misses }: Omit<Played, 'pp'>, perfect: number) {
  const hits = Math.max(0, objects - misses);
  const nKatu = Math.round(clamp(3 * ((1 - accuracy) * objects - misses), 0, hits));
  const nGeki = Math.round((hits - nKatu) * perfect);
  return { nGeki, n300: hits - nKatu - nGeki, nKatu, n100: 0, n50: 0, misses };
}

/** @param perfect of the hits that count fully, the share that is perfect: mania alone asks */
export function worth(
  ruleset: Ruleset,
  attributes: rosu.DifficultyAttributes,
  mods: readonly string[],
  play: Omit<Played, 'pp'>,
  perfect: number,
): number {
  const { accuracy, misses } = play;
  const hits =
    ruleset === 'mania'
      ? maniaHits(attributes.nObjects ?? attributes.maxCombo, play, perfect)
      : { accuracy: accuracy * 100, misses };
  return using(new rosu.Performance({ mods: mods.join(''), ...hits }), calculator =>
    using(calculator.calculate(attributes), ({ pp }) => pp),
  );
}

export function attributesOf(
  { ruleset, attributes }: LibraryWorld,
  one: LibraryMap,
  mods: readonly string[],
): rosu.DifficultyAttributes {
  const key = keyOf(one.map, mods);
  const known = attributes.get(key) ?? using(new rosu.Beatmap(fileOf(ruleset, one)), parsed => calculate(parsed, mods));
  attributes.set(key, known);
  return known;
}

/** What such a play of theirs is worth. */
export function realPp(
  world: LibraryWorld,
  { perfect }: { readonly perfect: number },
  one: LibraryMap,
  mods: readonly string[],
  play: Omit<Played, 'pp'>,
): number {
  return worth(world.ruleset, attributesOf(world, one, mods), mods, play, perfect);
}
