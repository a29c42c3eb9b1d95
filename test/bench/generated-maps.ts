/**
 * Difficulties drawn the way people map: sections of jumps, streams, bursts and sliders on a beat grid, settings that rise with the difficulty, for
 * every ruleset. The same ones for the same seed.
 */
import { RULESETS, type Ruleset } from '../../src/beatmaps/model/beatmapset.ts';
import { createRandom } from './generated-sets.ts';

export interface GeneratedMap {
  readonly ruleset: Ruleset;
  readonly file: Uint8Array;
  readonly ar: number;
  readonly od: number;
  readonly cs: number;
  readonly bpm: number;
  /** Seconds. */
  readonly length: number;
  readonly objects: number;
}

interface Section {
  /** Beats between objects. */
  readonly step: number;
  /** Pixels between objects. */
  readonly distance: number;
  /** Radians between directions. */
  readonly turn: number;
  /** Share of sliders, or of holds. */
  readonly sliders: number;
  readonly beats: number;
}

const WIDTH = 512;
const HEIGHT = 384;

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** @param level from 0, the easiest, to 1 */
function sectionOf(level: number, random: () => number): Section {
  const style = random();
  const sliders = clamp(0.55 - 0.3 * level + 0.3 * (random() - 0.5), 0.05, 0.8);
  const beats = 8 * (1 + Math.floor(random() * 3));
  const spread = 0.75 + 0.5 * random();
  if (level > 0.45 && style < 0.3) {
    return { step: 0.25, distance: (20 + 90 * level ** 2) * spread, turn: 0.4, sliders: 0.03, beats: beats / 2 };
  }
  if (style < 0.75) {
    return { step: level < 0.2 ? 1 : 0.5, distance: (60 + 240 * level) * spread, turn: 2.3, sliders, beats };
  }
  return { step: level < 0.35 ? 1 : 0.5, distance: (50 + 120 * level) * spread, turn: 1.1, sliders: 0.6, beats };
}

interface Drawn {
  readonly lines: readonly string[];
  readonly endMs: number;
}

function drawStandard(level: number, lengthMs: number, beatMs: number, random: () => number): Drawn {
  const lines: string[] = [];
  let [x, y, direction, time] = [256, 192, 0, 1_000];
  while (time < lengthMs) {
    const section = sectionOf(level, random);
    const end = time + section.beats * beatMs;
    while (time < end && time < lengthMs) {
      direction += section.turn * (0.8 + 0.4 * random());
      const [dx, dy] = [Math.cos(direction) * section.distance, Math.sin(direction) * section.distance];
      x = x + dx < 20 || x + dx > WIDTH - 20 ? clamp(x - dx, 20, WIDTH - 20) : x + dx;
      y = y + dy < 20 || y + dy > HEIGHT - 20 ? clamp(y - dy, 20, HEIGHT - 20) : y + dy;
      const place = `${Math.round(x)},${Math.round(y)},${Math.round(time)}`;
      const isSlider = section.step >= 0.5 && random() < section.sliders;
      const span = 70;
      lines.push(
        isSlider
          ? `${place},2,0,L|${Math.round(clamp(x + span, 0, WIDTH))}:${Math.round(y)},1,${span}`
          : `${place},1,0,0:0:0:0:`,
      );
      time += section.step * beatMs * (isSlider ? 2 : 1);
    }
    time += beatMs;
  }
  return { lines, endMs: time };
}

interface Rhythm {
  readonly count: number;
  /** In beats. */
  readonly step: number;
  /** In beats, until the next one. */
  readonly rest: number;
}

function rhythmOf(level: number, random: () => number): Rhythm {
  const isSlow = level < 0.3;
  if (random() < 0.15 + 0.7 * level) {
    const count = 3 + 2 * Math.floor(random() * (1 + 6 * level));
    return { count, step: isSlow ? 0.5 : 0.25, rest: 0.5 + 0.5 * (1 - level) };
  }
  return { count: 2 + Math.floor(random() * 4), step: isSlow ? 1 : 0.5, rest: 1 };
}

/** Short patterns of a rhythm, repeated with changes. */
function drawTaiko(level: number, lengthMs: number, beatMs: number, random: () => number): Drawn {
  const lines: string[] = [];
  let time = 1_000;
  let isRim = false;
  while (time < lengthMs) {
    const { count, step, rest } = rhythmOf(level, random);
    const changes = 0.25 + 0.45 * random();
    for (let index = 0; index < count && time < lengthMs; index += 1) {
      if (random() < changes) isRim = !isRim;
      lines.push(`256,192,${Math.round(time)},1,${isRim ? 8 : 0},0:0:0:0:`);
      time += step * beatMs;
    }
    time += beatMs * rest;
  }
  return { lines, endMs: time };
}

/** Columns pressed together, the last one rarely again. */
function chordOf(size: number, keys: number, last: number, random: () => number): ReadonlySet<number> {
  const columns = new Set<number>();
  while (columns.size < size) {
    const column = Math.floor(random() * keys);
    if (column !== last || random() < 0.3) columns.add(column);
  }
  return columns;
}

function drawMania(level: number, keys: number, lengthMs: number, beatMs: number, random: () => number): Drawn {
  const lines: string[] = [];
  let time = 1_000;
  let last = -1;
  while (time < lengthMs) {
    const isDense = random() < 0.2 + 0.7 * level;
    const step = isDense ? (level < 0.25 ? 0.5 : 0.25) : level < 0.25 ? 1 : 0.5;
    const chord = 1 + Math.floor(random() * (1 + level * (keys / 2.2)));
    for (let row = 0; row < 8 && time < lengthMs; row += 1) {
      for (const column of chordOf(Math.min(keys - 1, 1 + Math.floor(random() * chord)), keys, last, random)) {
        const place = `${Math.floor((512 * (column + 0.5)) / keys)},192,${Math.round(time)}`;
        const isHold = random() < 0.12;
        lines.push(
          isHold ? `${place},128,0,${Math.round(time + step * beatMs * 0.8)}:0:0:0:0:` : `${place},1,0,0:0:0:0:`,
        );
        last = column;
      }
      time += step * beatMs;
    }
  }
  return { lines, endMs: time };
}

export function generateMap(ruleset: Ruleset, seed: number): GeneratedMap {
  const random = createRandom(seed * 4 + RULESETS.indexOf(ruleset));
  const level = random();
  const bpm = Math.round(clamp(150 + 70 * (random() - 0.5) + 50 * level * random(), 100, 260));
  const length = Math.round(45 + 200 * random() ** 1.5);
  const keys = random() < 0.6 ? 4 : 7;
  const near = (value: number, spread: number) => Math.round(10 * clamp(value + spread * (random() - 0.5), 1, 10)) / 10;
  const ar = near(3.5 + 6.2 * level ** 0.7, 1);
  const od = near(2.5 + 6.7 * level ** 0.8, 1.5);
  const cs = ruleset === 'mania' ? keys : near(3 + 1.3 * level, 0.8);
  const beatMs = 60_000 / bpm;
  const draw = { osu: drawStandard, fruits: drawStandard, taiko: drawTaiko };
  const { lines, endMs } =
    ruleset === 'mania'
      ? drawMania(level, keys, length * 1_000, beatMs, random)
      : draw[ruleset](level, length * 1_000, beatMs, random);
  const text = [
    'osu file format v14',
    '',
    '[General]',
    `Mode: ${RULESETS.indexOf(ruleset)}`,
    '',
    '[Difficulty]',
    'HPDrainRate:5',
    `CircleSize:${cs}`,
    `OverallDifficulty:${od}`,
    `ApproachRate:${ar}`,
    'SliderMultiplier:1.4',
    'SliderTickRate:1',
    '',
    '[TimingPoints]',
    `0,${beatMs},4,2,0,50,1,0`,
    '',
    '[HitObjects]',
    ...lines,
    '',
  ].join('\r\n');
  return { ruleset, file: Buffer.from(text), ar, od, cs, bpm, length: endMs / 1_000, objects: lines.length };
}
