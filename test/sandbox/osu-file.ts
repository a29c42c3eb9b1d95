/** The `.osu` files of made-up difficulties, about as hard as is said of them. */
import { createHash } from 'node:crypto';
import type { SandboxMap, SandboxSet } from './beatmap-world.ts';

/** Jumps as far as the field allows keep the ratio of objects and stars that the difficulties are made up with. */
const JUMP = 320;
const TURN = 2.4;
/** In rulesets without jumps hardness comes from bursts of sixteen, this much denser than the whole. */
const BURST = 16;
const DENSITY: Readonly<Record<SandboxMap['mode'], number>> = { 0: 1, 1: 0.4, 2: 1, 3: 0.2 };
/** A page of search results names the checksums of 150 files: those of sets without a story end early. */
const FIRST_STORY = 900_000;
const FEW_OBJECTS = 60;
const checksums = new WeakMap<SandboxMap, string>();

function objectLine({ mode, cs, circles, sliders }: SandboxMap, index: number, time: number): string {
  if (mode === 1) return `256,192,${time},1,${(index * index * 7 + Math.floor(index / 3)) % 5 < 2 ? 8 : 0},0:0:0:0:`;
  if (mode === 3) {
    const column = (index * 7 + Math.floor(index / 5)) % cs;
    return `${Math.floor((512 * (column + 0.5)) / cs)},192,${time},1,0,0:0:0:0:`;
  }
  const x = Math.round(256 + (Math.cos(index * TURN) * JUMP) / 2);
  const y = Math.round(192 + (Math.sin(index * TURN) * JUMP * 0.9) / 2);
  const slidersBefore = (count: number) => Math.floor((count * sliders) / (circles + sliders));
  const isSlider = slidersBefore(index + 1) > slidersBefore(index);
  return isSlider ? `${x},${y},${time},2,0,L|${x + 30}:${y},1,30` : `${x},${y},${time},1,0,0:0:0:0:`;
}

function objectLines(set: SandboxSet, map: SandboxMap): readonly string[] {
  const count = map.circles + map.sliders;
  const stepMs = (map.length * 1000 - 4_000) / count;
  const length = set.id < FIRST_STORY ? Math.min(count, FEW_OBJECTS) : count;
  return Array.from({ length }, (_, index) => {
    const inBurst = index % BURST;
    const time = 1_000 + (index - inBurst) * stepMs + inBurst * stepMs * DENSITY[map.mode];
    return objectLine(map, index, Math.round(time));
  });
}

export function osuFile(set: SandboxSet, map: SandboxMap): Buffer {
  const lines = [
    'osu file format v14',
    '',
    '[General]',
    'AudioFilename: audio.mp3',
    `Mode: ${map.mode}`,
    '',
    '[Metadata]',
    `Title:${set.title}`,
    `TitleUnicode:${set.titleUnicode}`,
    `Artist:${set.artist}`,
    `ArtistUnicode:${set.artistUnicode}`,
    `Creator:${set.creator}`,
    `Version:${map.version}`,
    `BeatmapID:${map.id}`,
    `BeatmapSetID:${set.id}`,
    '',
    '[Difficulty]',
    `HPDrainRate:${map.hp}`,
    `CircleSize:${map.cs}`,
    `OverallDifficulty:${map.od}`,
    `ApproachRate:${map.ar}`,
    'SliderMultiplier:1.4',
    'SliderTickRate:1',
    '',
    '[TimingPoints]',
    `0,${60_000 / set.bpm},4,2,0,50,1,0`,
    '',
    '[HitObjects]',
    ...objectLines(set, map),
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}

/** MD5 of {@link osuFile}, worked out once for each difficulty. */
export function osuChecksum(set: SandboxSet, map: SandboxMap): string {
  const known = checksums.get(map);
  if (known !== undefined) return known;
  const checksum = createHash('md5').update(osuFile(set, map)).digest('hex');
  checksums.set(map, checksum);
  return checksum;
}
