/**
 * A catalogue and players of one ruleset whose truth is what the library works out from generated files: stars of the catalogue, pp of the
 * plays, and whether a recommended map is worth what was promised. Players have skills of their own, which decide how accurately they play.
 */
import { createHash } from 'node:crypto';
import * as rosu from 'rosu-pp-js';
import type { Beatmap, Beatmapset, Ruleset } from '../../src/beatmaps/model/beatmapset.ts';
import type { Score } from '../../src/beatmaps/model/score.ts';
import { madeUpBeatmap, madeUpSet } from '../beatmaps/made-up-sets.ts';
import { generateMap } from './generated-maps.ts';
import { createRandom } from './generated-sets.ts';

export interface LibraryMap {
  readonly seed: number;
  readonly map: Beatmap;
  readonly set: Beatmapset;
}

export interface LibraryPlayer {
  readonly id: number;
  /** What they aim and tap; the other rulesets have one skill, the first. Stars that are just right. */
  readonly skills: readonly [aim: number, speed: number];
  /** On a map that is easy for them, 0 to 1. */
  readonly accuracy: number;
  /** In mania: of the hits that count fully, the share that is perfect. */
  readonly perfect: number;
  readonly best: readonly Score[];
  readonly totalPp: number;
}

export interface LibraryWorld {
  readonly ruleset: Ruleset;
  readonly sets: readonly Beatmapset[];
  readonly maps: ReadonlyMap<number, LibraryMap>;
}

/** Far from those that the estimates were fitted to. */
const FIRST_SEED = 50_000;
const MAPS_A_SET = 4;

/** Bell-shaped around 0, width 1. */
function bell(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random() || 1e-12)) * Math.cos(2 * Math.PI * random());
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

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

function makeMap(ruleset: Ruleset, id: number, setId: number, mapper: number, random: () => number): Beatmap {
  const generated = generateMap(ruleset, FIRST_SEED + id);
  return using(new rosu.Beatmap(generated.file), parsed =>
    using(new rosu.Difficulty({}).calculate(parsed), ({ stars, maxCombo }) =>
      madeUpBeatmap({
        id,
        beatmapset_id: setId,
        mode: ruleset,
        difficulty_rating: Math.round(stars * 100) / 100,
        total_length: Math.round(generated.length),
        ...{ bpm: generated.bpm, ar: generated.ar, od: generated.od, cs: generated.cs },
        ...{ max_combo: maxCombo, count_circles: parsed.nCircles },
        ...{ count_sliders: parsed.nSliders + parsed.nHolds, count_spinners: parsed.nSpinners },
        playcount: Math.round(Math.exp(8 + 2 * bell(random))),
        checksum: createHash('md5').update(generated.file).digest('hex'),
        user_id: mapper,
      }),
    ),
  );
}

/** The same world for the same numbers. */
export function createLibraryWorld(ruleset: Ruleset, sets: number): LibraryWorld {
  const random = createRandom(sets);
  const made = Array.from({ length: sets }, (_, index) => {
    const id = index + 1;
    const mapper = 1 + Math.floor(300 ** random());
    const beatmaps = Array.from({ length: MAPS_A_SET }, (_each, place) =>
      makeMap(ruleset, id * 10 + place, id, mapper, random),
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
  const maps = made.flatMap(set => set.beatmaps.map(map => [map.id, { seed: FIRST_SEED + map.id, map, set }] as const));
  return { ruleset, sets: made, maps: new Map(maps) };
}

interface Played {
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

function worth(
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

function withAttributes<T>(
  ruleset: Ruleset,
  one: LibraryMap,
  mods: readonly string[],
  work: (attributes: rosu.DifficultyAttributes) => T,
): T {
  return using(new rosu.Beatmap(fileOf(ruleset, one)), parsed =>
    using(new rosu.Difficulty({ mods: mods.join('') }).calculate(parsed), work),
  );
}

/** What such a play of theirs is worth. */
export function realPp(
  { ruleset }: LibraryWorld,
  { perfect }: Pick<LibraryPlayer, 'perfect'>,
  one: LibraryMap,
  mods: readonly string[],
  play: Omit<Played, 'pp'>,
): number {
  return withAttributes(ruleset, one, mods, attributes => worth(ruleset, attributes, mods, play, perfect));
}

/** With the mods. */
export function realStars({ ruleset }: LibraryWorld, one: LibraryMap, mods: readonly string[]): number {
  return withAttributes(ruleset, one, mods, ({ stars }) => stars);
}

type Skills = Pick<LibraryPlayer, 'skills' | 'accuracy' | 'perfect'>;

const TRIES = 3;

/** The best of a few tries; undefined for what is far too hard. */
function playOf(
  ruleset: Ruleset,
  one: LibraryMap,
  mods: readonly string[],
  player: Skills,
  random: () => number,
): Played | undefined {
  return withAttributes(ruleset, one, mods, attributes => {
    const { stars, aim = stars / 2, speed = stars / 2 } = attributes;
    const [first, second] = player.skills;
    const load =
      ruleset === 'osu' ? ((((2 * aim) / first) ** 4 + ((2 * speed) / second) ** 4) / 2) ** 0.25 : stars / first;
    const objects = (one.map.count_circles ?? 0) + (one.map.count_sliders ?? 0);
    const tries = Array.from({ length: TRIES }, (): Played | undefined => {
      const excess = Math.log(load) + 0.04 * bell(random);
      if (excess > 0.25) return undefined;
      const expected = 0.8 * Math.exp(16 * excess) * (objects / 600);
      const misses = Math.max(0, Math.round(expected * (0.5 + random()) + 0.4 * bell(random)));
      const lost = (1 - player.accuracy) * (0.6 + 0.8 * random()) + 0.02 * Math.exp(9 * excess);
      const accuracy = clamp(Math.min(1 - lost, 1 - misses / objects), 0.75, 1);
      return { accuracy, misses, pp: worth(ruleset, attributes, mods, { accuracy, misses }, player.perfect) };
    });
    return tries.flatMap(each => each ?? []).toSorted((a, b) => b.pp - a.pp)[0];
  });
}

/** How people play, and about what such mods do to stars. */
const HABITS: Readonly<Record<Ruleset, readonly (readonly [mods: readonly string[], factor: number])[]>> = {
  osu: [
    [[], 1],
    [['HD'], 1],
    [['DT'], 1.4],
    [['HR'], 1.05],
  ],
  taiko: [
    [[], 1],
    [['HD'], 1],
    [['DT'], 1.36],
    [['HR'], 1.01],
  ],
  fruits: [
    [[], 1],
    [['HD'], 1],
    [['HR'], 1.2],
    [['DT'], 1.4],
  ],
  mania: [
    [[], 1],
    [['DT'], 1.31],
    [['HT'], 0.82],
  ],
};
const RANGE: Readonly<Record<Ruleset, readonly [low: number, high: number]>> = {
  osu: [3.2, 7],
  taiko: [2.2, 5.2],
  fruits: [1.6, 5],
  mania: [2, 5],
};

function scoreOf(id: number, user: number, one: LibraryMap, mods: readonly string[], played: Played): Score {
  const { map, set } = one;
  const { accuracy, misses, pp } = played;
  return {
    ...{ id, user_id: user, username: null, mode: map.mode, beatmap_id: map.id, max_combo: map.max_combo ?? 1 },
    ...{ total_score: 900_000, classic_total_score: null, legacy_total_score: null, legacy_score_id: null },
    ...{ best_id: null, rank: 'A', rank_global: null, maximum_statistics: {}, passed: true },
    ...{ is_perfect_combo: misses === 0, ended_at: null, lazer: true, weight: null, accuracy, pp },
    mods: mods.map(acronym => ({ acronym })),
    statistics: { miss: misses },
    beatmap: map,
    beatmapset: { ...set, beatmaps: [] },
  };
}

export interface PlayerSize {
  /** How many best plays are known of them. */
  readonly plays: number;
  /** Where among players of the ruleset, 0 to 1. */
  readonly level: number;
}

/** Plays maps of about their skill with the mods they like, three times as many as are then known. */
export function createLibraryPlayer(world: LibraryWorld, id: number, { plays, level }: PlayerSize): LibraryPlayer {
  const { ruleset } = world;
  const random = createRandom(id * 7_919 + plays);
  const [low, high] = RANGE[ruleset];
  const skill = low + (high - low) * level;
  const player: Skills = {
    skills: [skill * Math.exp(0.06 * bell(random)), skill * Math.exp(0.06 * bell(random))],
    accuracy: clamp(0.985 + 0.008 * bell(random), 0.95, 0.998),
    perfect: clamp(0.7 + 0.12 * bell(random), 0.4, 0.95),
  };
  const habits = HABITS[ruleset].map(([mods, factor], index) => ({ mods, factor, share: random() ** (1 + index) }));
  const whole = habits.reduce((sum, { share }) => sum + share, 0);
  const byStars = [...world.maps.values()].toSorted((a, b) => a.map.difficulty_rating - b.map.difficulty_rating);
  const bestOf = new Map<number, Score>();
  for (let turn = 0; turn < plays * 9 && bestOf.size < plays * 3; turn += 1) {
    let place = random() * whole;
    const habit = habits.find(({ share }) => {
      place -= share;
      return place <= 0;
    });
    const wanted = (skill * Math.exp(0.12 * bell(random) - 0.05)) / (habit?.factor ?? 1);
    const from = byStars.findIndex(({ map }) => map.difficulty_rating >= wanted);
    const near = clamp(from + Math.round(bell(random) * 8), 0, byStars.length - 1);
    const one = byStars[near];
    if (one === undefined || bestOf.has(one.map.id)) continue;
    const mods = habit?.mods ?? [];
    const played = playOf(ruleset, one, mods, player, random);
    if (played !== undefined) bestOf.set(one.map.id, scoreOf(id * 1e5 + turn, id, one, mods, played));
  }
  const best = [...bestOf.values()].sort((a, b) => (b.pp ?? 0) - (a.pp ?? 0)).slice(0, plays);
  const sum = best.reduce((total, { pp }, index) => total + (pp ?? 0) * 0.95 ** index, 0);
  return { id, ...player, best, totalPp: sum + 416.6667 * (1 - 0.995 ** bestOf.size) };
}
