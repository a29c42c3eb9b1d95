/**
 * A world of osu! players with known skills, by rules of its own: maps ask for aim and speed, which no catalogue knows, stars mix the two with
 * an error, every map pays a little more or less than it should, and mods change each map by another factor. Nothing of it is shared with the
 * recommender, which sees catalogue and plays alone.
 */
import type { Beatmap, Beatmapset } from '../../../src/beatmaps/model/beatmapset.ts';
import type { Score } from '../../../src/beatmaps/model/score.ts';
import { madeUpBeatmap, madeUpSet } from '../../beatmaps/made-up-sets.ts';
import { createRandom } from '../generated-sets.ts';
import { bell, clamp } from './chance.ts';

export interface WorldMap {
  readonly map: Beatmap;
  readonly set: Beatmapset;
  readonly aim: number;
  readonly speed: number;
  /** What it pays, as a multiple. */
  readonly pay: number;
  readonly doubled: { readonly aim: number; readonly speed: number };
  readonly hard: { readonly aim: number; readonly speed: number };
}

export interface WorldPlayer {
  readonly id: number;
  readonly aim: number;
  readonly speed: number;
  /** On a map that is easy for this player. */
  readonly accuracy: number;
  /** How often they play with DT, HR and neither, never both; and how well, as a multiple of their skill. */
  readonly habits: readonly { readonly mods: readonly string[]; readonly share: number; readonly skill: number }[];
  readonly approach: number;
  readonly best: readonly Score[];
  readonly recent: readonly Score[];
  readonly totalPp: number;
}

interface WorldSize {
  readonly maps: number;
  readonly players: number;
  readonly seed: number;
}

export interface World {
  readonly sets: readonly Beatmapset[];
  readonly maps: ReadonlyMap<number, WorldMap>;
  readonly players: readonly WorldPlayer[];
}

const MODS: readonly (readonly string[])[] = [[], ['DT'], ['HR']];

function makeSet(id: number, random: () => number): { set: Beatmapset; maps: readonly Omit<WorldMap, 'set'>[] } {
  const top = clamp(5.3 + 1.3 * bell(random), 2, 9.5);
  const bpm = Math.round(clamp(175 + 25 * bell(random), 90, 280));
  const length = Math.round(clamp(Math.exp(4.8 + 0.4 * bell(random)), 45, 420));
  const style = 0.13 * bell(random);
  const plays = Math.round(Math.exp(9 + 2 * bell(random)));
  const mapper = 1 + Math.floor(900 ** random());
  const maps = Array.from({ length: 4 }, (_, index) => {
    const level = Math.max(0.8, top - index * (0.9 + 0.4 * random()));
    const aim = level * Math.exp(style + 0.05 * bell(random));
    const speed = level * Math.exp(-style + (bpm - 175) / 900 + 0.05 * bell(random));
    const stars = Math.cbrt((aim ** 3 + speed ** 3) / 2) * Math.exp(0.02 * bell(random));
    const objects = Math.round(length * (1 + 0.45 * stars) * Math.exp(0.1 * bell(random)));
    const map = madeUpBeatmap({
      id: id * 10 + index,
      beatmapset_id: id,
      difficulty_rating: Math.round(stars * 100) / 100,
      total_length: length,
      bpm,
      ar: Math.round(10 * clamp(4.2 + 0.95 * stars + 0.4 * bell(random), 2, 10)) / 10,
      od: Math.round(10 * clamp(3 + 1.05 * stars + 0.6 * bell(random), 2, 10)) / 10,
      cs: Math.round(10 * clamp(4 + 0.3 * bell(random), 2.5, 6)) / 10,
      max_combo: Math.round(objects * 1.4),
      count_circles: Math.round(objects * 0.6),
      count_sliders: Math.round(objects * 0.4),
      playcount: Math.round((plays / 4) * Math.exp(0.3 * bell(random))),
      user_id: mapper,
    });
    return {
      map,
      aim,
      speed,
      pay: Math.exp(0.035 * bell(random)),
      doubled: { aim: 1.34 + 0.04 * bell(random), speed: 1.47 + 0.04 * bell(random) },
      hard: { aim: 1.07 + 0.02 * bell(random), speed: 1.01 },
    };
  });
  const set = madeUpSet({
    id,
    creator: `mapper ${mapper}`,
    user_id: mapper,
    status: random() < 0.9 ? 'ranked' : 'loved',
    bpm,
    play_count: plays,
    favourite_count: Math.round((plays / 80) * Math.exp(0.6 * bell(random))),
    rating: Math.round(100 * clamp(9 + 0.5 * bell(random), 6, 10)) / 100,
    beatmaps: maps.map(({ map }) => map).toReversed(),
  });
  return { set, maps };
}

interface Asked {
  readonly aim: number;
  readonly speed: number;
}

/** What a map asks for with mods. */
function askedBy({ aim, speed, doubled, hard }: WorldMap, mods: readonly string[]): Asked {
  const by = mods.includes('DT') ? doubled : mods.includes('HR') ? hard : { aim: 1, speed: 1 };
  return { aim: aim * by.aim, speed: speed * by.speed };
}

function hitWindow({ map }: WorldMap, mods: readonly string[]): number {
  const od = mods.includes('HR') ? Math.min(10, (map.od ?? 5) * 1.4) : (map.od ?? 5);
  return (80 - 6 * od) / (mods.includes('DT') ? 1.5 : 1);
}

function approachOf({ map }: WorldMap, mods: readonly string[]): number {
  const ar = Math.min(10, (map.ar ?? 9) * (mods.includes('HR') ? 1.4 : 1));
  if (!mods.includes('DT')) return ar;
  const ms = (ar < 5 ? 1_800 - 120 * ar : 1_200 - 150 * (ar - 5)) / 1.5;
  return ms > 1_200 ? (1_800 - ms) / 120 : 5 + (1_200 - ms) / 150;
}

/** The world's own pp: of the shape that osu! has published, with other figures. */
export function truePp(one: WorldMap, mods: readonly string[], accuracy: number, misses: number): number {
  const { aim, speed } = askedBy(one, mods);
  const objects = (one.map.count_circles ?? 0) + (one.map.count_sliders ?? 0);
  const length = 0.95 + 0.4 * Math.min(1, objects / 2_000) + (objects > 2_000 ? 0.5 * Math.log10(objects / 2_000) : 0);
  const missed = misses === 0 ? 1 : 0.96 / (1 + misses / 17);
  const overall = (80 - hitWindow(one, mods)) / 6;
  const approach = approachOf(one, mods);
  const reading = 1 + length * (0.28 * Math.max(0, approach - 10.33) + 0.05 * Math.max(0, 8 - approach));
  const aimPp = 0.64 * aim ** 3 * length * missed * reading * accuracy ** 2 * (0.98 + overall ** 2 / 2_500);
  const speedPp =
    0.42 * speed ** 3 * length * missed * reading * accuracy ** ((15 - overall) / 2) * (0.95 + overall ** 2 / 750);
  const accuracyPp = 2.6 * 1.52 ** overall * accuracy ** 24 * Math.min(1.15, (objects / 1_000) ** 0.3);
  return one.pay * (aimPp ** 1.1 + speedPp ** 1.1 + accuracyPp ** 1.1) ** (1 / 1.1);
}

export interface Attempt {
  readonly pp: number;
  readonly accuracy: number;
  readonly misses: number;
}

/** One try; what is far too hard is not passed. */
export function attempt(
  player: Pick<WorldPlayer, 'aim' | 'speed' | 'accuracy' | 'habits' | 'approach'>,
  one: WorldMap,
  mods: readonly string[],
  random: () => number,
): Attempt | undefined {
  const habit = player.habits.find(each => each.mods[0] === mods[0]);
  const skill = habit === undefined || habit.share < 0.03 ? 0.9 : habit.skill;
  const asked = askedBy(one, mods);
  const load = Math.sqrt(Math.sqrt(((asked.aim / player.aim) ** 4 + (asked.speed / player.speed) ** 4) / 2)) / skill;
  const strange = 0.012 * Math.abs((one.map.ar ?? 9) - player.approach);
  const excess = Math.log(load) + strange + 0.04 * bell(random);
  if (excess > 0.25) return undefined;
  const objects = (one.map.count_circles ?? 0) + (one.map.count_sliders ?? 0);
  const expected = 0.8 * Math.exp(16 * excess) * (objects / 600);
  const misses = Math.max(0, Math.round(expected * (0.5 + random()) + 0.4 * bell(random)));
  const lost = (1 - player.accuracy) * (0.6 + 0.8 * random()) + 0.02 * Math.exp(9 * excess);
  const accuracy = clamp(1 - lost, 0.75, 1);
  return { pp: truePp(one, mods, accuracy, misses), accuracy, misses };
}

/** People try again what they like. */
export function bestAttempt(
  player: Parameters<typeof attempt>[0],
  one: WorldMap,
  mods: readonly string[],
  tries: number,
  random: () => number,
): Attempt | undefined {
  const done = Array.from({ length: tries }, () => attempt(player, one, mods, random)).flatMap(each => each ?? []);
  return done.toSorted((a, b) => b.pp - a.pp)[0];
}

function makeScore(id: number, player: number, one: WorldMap, mods: readonly string[], done: Attempt): Score {
  return {
    ...{ id, user_id: player, username: null, mode: 'osu', beatmap_id: one.map.id, max_combo: 500 },
    ...{ total_score: 900_000, classic_total_score: null, legacy_total_score: null, legacy_score_id: null },
    ...{
      best_id: null,
      rank: 'A',
      rank_global: null,
      maximum_statistics: {},
      passed: true,
      is_perfect_combo: done.misses === 0,
    },
    ...{ ended_at: null, lazer: true, weight: null, accuracy: done.accuracy, pp: done.pp },
    mods: mods.map(acronym => ({ acronym })),
    statistics: { miss: done.misses },
    beatmap: one.map,
    beatmapset: { ...one.set, beatmaps: [] },
  };
}

/** Somewhere around the first map that asks for so much. */
function nearest(maps: readonly WorldMap[], asked: number, random: () => number): number {
  let low = 0;
  let high = maps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Math.max(maps[middle]?.aim ?? 0, maps[middle]?.speed ?? 0) < asked) low = middle + 1;
    else high = middle;
  }
  return clamp(low + Math.floor((random() - 0.5) * 0.01 * maps.length), 0, maps.length - 1);
}

type Habit = WorldPlayer['habits'][number];

/** One of them, as often as the player has it. @param place from 0 up to 1 */
function habitOf(habits: readonly Habit[], place: number): Habit {
  let passed = 0;
  for (const habit of habits) {
    passed += habit.share;
    if (place < passed) return habit;
  }
  return habits[0] ?? { mods: [], share: 1, skill: 1 };
}

/** @param maps those that ask for least first */
function makePlayer(id: number, maps: readonly WorldMap[], random: () => number): WorldPlayer {
  const level = clamp(5 + 1.1 * bell(random), 2.4, 8);
  const [plain = 0, doubled = 0, hard = 0] = [random(), random() ** 2, random() ** 3];
  const shares = [plain, doubled, hard].map(each => each / (plain + doubled + hard));
  const skills = {
    aim: level * Math.exp(0.06 * bell(random)),
    speed: level * Math.exp(0.06 * bell(random)),
    accuracy: clamp(0.985 + 0.008 * bell(random), 0.95, 0.998),
    habits: MODS.map((mods, index) => ({ mods, share: shares[index] ?? 0, skill: Math.exp(0.04 * bell(random)) })),
    approach: clamp(8.8 + 0.7 * bell(random), 6, 10),
  };
  const bestOf = new Map<number, { readonly score: () => Score; readonly pp: number }>();
  const recent: Score[] = [];
  const tries = 500 + Math.floor(1_500 * random());
  for (let index = 0; index < tries; index += 1) {
    const habit = habitOf(skills.habits, random());
    const factor = habit.mods.includes('DT') ? 1.42 : 1;
    const one = maps[nearest(maps, (level * Math.exp(0.12 * bell(random) - 0.03)) / factor, random)];
    if (one?.set.status !== 'ranked') continue;
    const done = bestAttempt(skills, one, habit.mods, 1 + Math.floor(6 * random()), random);
    if (done === undefined) continue;
    // Most of them are forgotten again.
    const score = () => makeScore(id * 1e5 + index, id, one, habit.mods, done);
    if (recent.length < 20) recent.push(score());
    if ((bestOf.get(one.map.id)?.pp ?? 0) < done.pp) bestOf.set(one.map.id, { score, pp: done.pp });
  }
  const top = [...bestOf.values()].sort((a, b) => b.pp - a.pp).slice(0, 200);
  const best = top.map(({ score }) => score());
  const sum = best.reduce((total, { pp }, index) => total + (pp ?? 0) * 0.95 ** index, 0);
  const bonus = 416.6667 * (1 - 0.995 ** Math.min(1_000, bestOf.size));
  return { id, ...skills, best, recent, totalPp: sum + bonus };
}

/** The same world for the same numbers. */
export function createWorld(size: WorldSize): World {
  const random = createRandom(size.seed);
  const made = Array.from({ length: Math.ceil(size.maps / 4) }, (_, index) => makeSet(index + 1, random));
  const maps = made.flatMap(({ set, maps: own }) => own.map(one => ({ ...one, set })));
  const sorted = maps.toSorted((a, b) => Math.max(a.aim, a.speed) - Math.max(b.aim, b.speed));
  const players = Array.from({ length: size.players }, (_, index) => makePlayer(index + 1, sorted, random));
  return { sets: made.map(({ set }) => set), maps: new Map(maps.map(one => [one.map.id, one])), players };
}
