/** Small `.osu` files by hand, one for each ruleset. */
import { RULESETS, type Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';

export interface MapParts {
  readonly ruleset?: Ruleset;
  /** Of [Difficulty]. */
  readonly difficulty?: Readonly<Record<string, number>>;
  readonly timing?: readonly string[];
  readonly objects: readonly string[];
}

const DIFFICULTY = {
  HPDrainRate: 5,
  CircleSize: 4,
  OverallDifficulty: 8,
  ApproachRate: 9,
  SliderMultiplier: 1.4,
  SliderTickRate: 1,
};
/** 180 beats a minute. */
const BEAT_MS = 333.333333333333;

export function writeMap({ ruleset = 'osu', difficulty = {}, timing, objects }: MapParts): string {
  const settings = Object.entries({ ...DIFFICULTY, ...difficulty }).map(([name, value]) => `${name}:${value}`);
  return [
    'osu file format v14',
    '',
    '[General]',
    'AudioFilename: comet.mp3',
    `Mode: ${RULESETS.indexOf(ruleset)}`,
    '',
    '[Metadata]',
    'Title:Paper Comet',
    'Artist:Marble Lanterns',
    'Creator:quietmallet',
    'Version:Drawn by hand',
    '',
    '[Difficulty]',
    ...settings,
    '',
    '[TimingPoints]',
    ...(timing ?? [`0,${BEAT_MS},4,2,0,50,1,0`]),
    '',
    '[HitObjects]',
    ...objects,
    '',
  ].join('\r\n');
}

/** Ten thousand sliders of a hundred turns each, with eight ticks a beat: computed for longer than any deadline. */
export const SLOW_MAP = writeMap({
  difficulty: { SliderMultiplier: 3.6, SliderTickRate: 8 },
  objects: Array.from(
    { length: 10_000 },
    (_, index) =>
      `${(index * 137) % 512},${(index * 71) % 384},${1_000 + index * 300},2,0,B|100:100|300:20|10:300|200:200,100,2000`,
  ),
});

/** The like for catch, whose droplets take 200 MB a second. */
export const LARGE_MAP = writeMap({
  ruleset: 'fruits',
  difficulty: { SliderMultiplier: 3.6, SliderTickRate: 8 },
  objects: Array.from(
    { length: 20_000 },
    (_, index) => `${(index * 137) % 512},192,${1_000 + index * 300},2,0,L|500:100,100,2000`,
  ),
});

/** A thousand circles in one second. */
export const SUSPICIOUS_MAP = writeMap({
  objects: Array.from({ length: 20_000 }, (_, index) => `${index % 512},192,${1_000 + Math.floor(index / 20)},1,0`),
});

const at = (index: number) => Math.round(1_000 + (index * BEAT_MS) / 2);

/** Two hundred half-beats: circles that jump, a slider at each eighth, a spinner at the end. */
export const OSU_MAP = writeMap({
  objects: [
    ...Array.from({ length: 200 }, (_, index) => {
      const place = `${40 + ((index * 137) % 430)},${40 + ((index * 71) % 300)},${at(index)}`;
      return index % 8 === 7 ? `${place},2,0,L|${60 + ((index * 53) % 400)}:200,1,70` : `${place},1,0,0:0:0:0:`;
    }),
    `256,192,${at(204)},12,0,${at(212)},0:0:0:0:`,
  ],
});

/** Drums and rims in quarters, a roll and a swell. */
const TAIKO_MAP = writeMap({
  ruleset: 'taiko',
  objects: [
    ...Array.from({ length: 300 }, (_, index) => {
      const sound = (index * index) % 5 < 2 ? 8 : 0;
      return `256,192,${Math.round(1_000 + (index * BEAT_MS) / 4)},1,${index % 40 === 0 ? sound + 4 : sound},0:0:0:0:`;
    }),
    `256,192,${at(160)},2,0,L|396:192,1,140`,
    `256,192,${at(166)},12,0,${at(172)},0:0:0:0:`,
  ],
});

const CATCH_MAP = writeMap({
  ruleset: 'fruits',
  objects: Array.from({ length: 160 }, (_, index) => {
    const place = `${(index * 197) % 512},192,${at(index)}`;
    return index % 5 === 4 ? `${place},2,0,L|${(index * 91) % 512}:192,1,140` : `${place},1,0,0:0:0:0:`;
  }),
});

/** Four keys, every fifth a long note. */
const MANIA_MAP = writeMap({
  ruleset: 'mania',
  objects: Array.from({ length: 320 }, (_, index) => {
    const time = Math.round(1_000 + (index * BEAT_MS) / 4);
    const place = `${64 + 128 * ((index * 3 + Math.floor(index / 7)) % 4)},192,${time}`;
    return index % 5 === 0 ? `${place},128,0,${time + 200}:0:0:0:0:` : `${place},1,0,0:0:0:0:`;
  }),
});

export const MAPS: Readonly<Record<Ruleset, string>> = {
  osu: OSU_MAP,
  taiko: TAIKO_MAP,
  fruits: CATCH_MAP,
  mania: MANIA_MAP,
};
