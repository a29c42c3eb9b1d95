/** Players of the library's world, with skills of their own, which decide how accurately they play. */
import type { Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';
import type { Score } from '../../../src/beatmaps/model/score.ts';
import { createRandom } from '../generated-sets.ts';
import { bell, clamp } from './chance.ts';
import { attributesOf, type LibraryMap, type LibraryWorld, type Played, worth } from './library-world.ts';

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

type Skills = Pick<LibraryPlayer, 'skills' | 'accuracy' | 'perfect'>;

const TRIES = 3;

/** The best of a few tries; undefined for what is far too hard. */
function playOf(
  world: LibraryWorld,
  one: LibraryMap,
  mods: readonly string[],
  player: Skills,
  random: () => number,
): Played | undefined {
  const { ruleset } = world;
  const attributes = attributesOf(world, one, mods);
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
  const { ruleset, byStars } = world;
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
    const played = playOf(world, one, mods, player, random);
    if (played !== undefined) bestOf.set(one.map.id, scoreOf(id * 1e5 + turn, id, one, mods, played));
  }
  const best = [...bestOf.values()].sort((a, b) => (b.pp ?? 0) - (a.pp ?? 0)).slice(0, plays);
  const sum = best.reduce((total, { pp }, index) => total + (pp ?? 0) * 0.95 ** index, 0);
  return { id, ...player, best, totalPp: sum + 416.6667 * (1 - 0.995 ** bestOf.size) };
}
