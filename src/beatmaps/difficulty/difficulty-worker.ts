/** The worker thread that calculates difficulty, one map at a time. It is built into one file for the thread. */
import type * as Rosu from 'rosu-pp-js';
import type {
  DifficultyAnswer,
  DifficultyFigures,
  DifficultyJob,
  HitCounts,
  Refusal,
  StrainSeries,
} from './difficulty-job.ts';
import { objectsOf, readSpan, type Span } from './hit-objects.ts';
import { maniaHits } from './mania-hits.ts';

declare const WebAssembly: { Module: new (code: Uint8Array) => object };

/** The bound of the library's memory in pages of 64 KB. The longest real maps take 32 MB. */
const MAX_PAGES = 1_536;
const MEMORY_SECTION = 5;

function readNumber(code: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at += 1, shift += 7) {
    const byte = code[at] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

function writeNumber(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(value >>> 7)];
}

/**
 * Adds a bound to the memory of the library's WebAssembly, which has none. A thread's limits bound only the memory of
 * JavaScript, while a malicious map makes the library take 200 MB a second.
 */
function withMemoryBound(code: Uint8Array): Uint8Array {
  for (let at = 8; at < code.length; ) {
    const { value: size, end: body } = readNumber(code, at + 1);
    if (code[at] === MEMORY_SECTION) {
      // The section holds the number of memories, a flag that says if the memory has a bound, the number of pages at
      // the start, and the bound.
      const { value: pages } = readNumber(code, body + 2);
      const section = [1, 1, ...writeNumber(pages), ...writeNumber(MAX_PAGES)];
      const head = [MEMORY_SECTION, ...writeNumber(section.length)];
      return Buffer.concat([code.subarray(0, at), Buffer.from([...head, ...section]), code.subarray(body + size)]);
    }
    at = body + size;
  }
  throw new Error('the library brings no memory of its own');
}

async function loadLibrary(): Promise<typeof Rosu> {
  const { Module } = WebAssembly;
  WebAssembly.Module = class extends Module {
    constructor(code: Uint8Array) {
      super(withMemoryBound(code));
    }
  };
  try {
    return await import('rosu-pp-js');
  } finally {
    WebAssembly.Module = Module;
  }
}

const rosu = await loadLibrary();

/** The most strain sections, enough for an hour; for longer maps neighbouring sections are merged. */
const MAX_SECTIONS = 8_192;

const STRAINS = [
  'aim',
  'aimNoSliders',
  'speed',
  'flashlight',
  'color',
  'reading',
  'rhythm',
  'stamina',
  'singleColorStamina',
  'movement',
  'strains',
] as const satisfies readonly (keyof Rosu.Strains)[];

/** The hit results of each ruleset that are not misses, best first. */
const HITS: Readonly<Record<Rosu.GameMode, readonly (keyof HitCounts)[]>> = {
  [rosu.GameMode.Osu]: ['n300', 'n100', 'n50'],
  [rosu.GameMode.Taiko]: ['n300', 'n100'],
  [rosu.GameMode.Catch]: ['n50', 'nKatu'],
  [rosu.GameMode.Mania]: ['nGeki', 'n300', 'nKatu', 'n100', 'n50'],
};

type Settings = Pick<DifficultyJob, 'mods' | 'lazer'>;

class Refused extends Error {
  readonly why: Refusal;
  constructor(why: Refusal, cause?: unknown) {
    super(why, { cause });
    this.why = why;
  }
}

/** Frees an object of the library after use, because the garbage collector does not. */
function using<T extends { free(): void }, R>(resource: T, work: (resource: T) => R): R {
  try {
    return work(resource);
  } finally {
    resource.free();
  }
}

/** Runs work of the library, which throws a plain `Error` when it refuses the map. Any other error is a fault. */
function orRefuse<T>(why: Refusal, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Error && error.name !== 'Error' ? error : new Refused(why, error);
  }
}

/** The part of the map's time until the play ended; undefined in catch and mania, where objects have many results. */
function readEnd(file: Uint8Array, { first, lengthMs }: Span, { mode, play }: DifficultyJob): number | undefined {
  const passed = play?.passedObjects;
  if (passed === undefined || lengthMs === 0) return undefined;
  if (mode === rosu.GameMode.Catch || mode === rosu.GameMode.Mania) return undefined;
  const judged = [...objectsOf(file)].filter(({ isCircle }) => isCircle || mode !== rosu.GameMode.Taiko);
  const end = judged[Math.max(0, passed - 1)];
  return end === undefined ? undefined : Math.min(1, (end.begins - first) / lengthMs);
}

/** Merges every `share` neighbouring values into the largest of them. */
function thin(values: Float64Array, share: number): readonly number[] {
  if (share === 1) return Array.from(values);
  return Array.from({ length: Math.ceil(values.length / share) }, (_, index) =>
    values.subarray(index * share, (index + 1) * share).reduce((a, b) => Math.max(a, b)),
  );
}

function readStrains(strains: Rosu.Strains): DifficultyFigures['strains'] {
  const found = STRAINS.flatMap(name => {
    const values = strains[name];
    return values === undefined ? [] : [{ name, values }];
  });
  const longest = Math.max(0, ...found.map(({ values }) => values.length));
  const share = Math.max(1, Math.ceil(longest / MAX_SECTIONS));
  const series: readonly StrainSeries[] = found.map(({ name, values }) => ({ name, values: thin(values, share) }));
  return { sectionMs: strains.sectionLength * share, series };
}

/**
 * The shares of a map's kinds of patterns: in osu! aim against speed, streams, sliders and hard parts; in taiko its
 * three skills.
 */
function readPatterns(attributes: Rosu.DifficultyAttributes, settings: Settings): Readonly<Record<string, number>> {
  const share = (part = 0, whole = 0) => Math.min(1, part / Math.max(1e-6, whole));
  switch (attributes.mode) {
    case rosu.GameMode.Osu: {
      const objects = countResults(attributes, settings);
      const { aim = 0, speed = 0, speedNoteCount, nSliders, aimDifficultStrainCount } = attributes;
      return {
        ...(aim + speed > 0 && { aim: share(aim, aim + speed) }),
        streams: share(speedNoteCount, objects),
        sliders: share(nSliders, objects),
        hard: share(aimDifficultStrainCount, objects),
      };
    }
    case rosu.GameMode.Taiko: {
      const { stamina = 0, rhythm = 0, color = 0 } = attributes;
      const whole = stamina + rhythm + color;
      return { stamina: share(stamina, whole), rhythm: share(rhythm, whole), colour: share(color, whole) };
    }
    case rosu.GameMode.Catch:
      return { droplets: share(attributes.nDroplets, (attributes.nFruits ?? 0) + (attributes.nDroplets ?? 0)) };
    case rosu.GameMode.Mania:
      return { holds: share(attributes.nHoldNotes, attributes.nObjects) };
  }
}

/**
 * How many hit results of the kinds in {@link HITS} the map has. In mania, osu!lazer rates the end of a hold note apart;
 * osu!stable does not, nor does the mod `CL`.
 */
function countResults(attributes: Rosu.DifficultyAttributes, { mods, lazer }: Settings): number {
  const hasEnds = lazer && !mods.some(({ acronym }) => acronym === 'CL');
  switch (attributes.mode) {
    case rosu.GameMode.Osu:
      return (attributes.nCircles ?? 0) + (attributes.nSliders ?? 0) + (attributes.nSpinners ?? 0);
    case rosu.GameMode.Taiko:
      return attributes.maxCombo;
    case rosu.GameMode.Catch:
      return attributes.nTinyDroplets ?? 0;
    case rosu.GameMode.Mania:
      return (attributes.nObjects ?? 0) + (hasEnds ? (attributes.nHoldNotes ?? 0) : 0);
  }
}

/** The given play as it would have been without a miss and up to the map's end, at the accuracy that it had. */
function withoutMisses(
  play: HitCounts,
  attributes: Rosu.DifficultyAttributes,
  settings: Settings,
): Rosu.PerformanceArgs {
  const { mode } = attributes;
  const { combo: _, misses = 0, largeTickHits: __, passedObjects: ___, ...kept } = play;
  const names = HITS[mode];
  const hits = names.reduce((sum, name) => sum + (play[name] ?? 0), 0);
  const isCatch = mode === rosu.GameMode.Catch;
  // In catch, objects that break the combo are counted apart from small droplets, which only cost accuracy.
  const whole = isCatch ? { n300: attributes.nFruits ?? 0, n100: attributes.nDroplets ?? 0 } : {};
  const missing = Math.max(isCatch ? 0 : misses, countResults(attributes, settings) - hits);
  const added = names.map(name => (hits === 0 ? 0 : Math.floor((missing * (play[name] ?? 0)) / hits)));
  const rest = missing - added.reduce((sum, count) => sum + count, 0);
  const filled = names.map((name, index) => [name, (play[name] ?? 0) + (added[index] ?? 0) + (index === 0 ? rest : 0)]);
  return { ...kept, ...Object.fromEntries(filled), ...whole, misses: 0 };
}

/** Hits for a play in mania: given only its accuracy, the library searches long, and takes hits with the least pp. */
function hitsFor(
  attributes: Rosu.DifficultyAttributes,
  { accuracy, misses = 0, od }: { readonly accuracy: number; readonly misses: number | undefined; readonly od: number },
  settings: Settings,
): Rosu.PerformanceArgs {
  if (attributes.mode !== rosu.GameMode.Mania) return { accuracy };
  return maniaHits(countResults(attributes, settings), accuracy / 100, misses, od);
}

function readPlainStars(map: Rosu.Beatmap, lazer: boolean): number {
  return using(new rosu.Difficulty({ lazer }), plain => using(plain.calculate(map), ({ stars }) => stars));
}

function readPp(settings: Settings, attributes: Rosu.DifficultyAttributes, play: Rosu.PerformanceArgs): number {
  return using(new rosu.Performance({ ...settings, ...play }), calculator =>
    using(calculator.calculate(attributes), ({ pp }) => pp),
  );
}

/** The pp of a play. A play that ended early has the pp of the part that was played. */
function readPlay(settings: Settings, map: Rosu.Beatmap, attributes: Rosu.DifficultyAttributes, play: HitCounts) {
  const { passedObjects } = play;
  const ppIfFullCombo = readPp(settings, attributes, withoutMisses(play, attributes, settings));
  if (passedObjects === undefined) return { pp: readPp(settings, attributes, play), ppIfFullCombo };
  // The play has a number of results, while the library counts objects; in mania an object may have two results.
  const isMania = attributes.mode === rosu.GameMode.Mania;
  const share = isMania ? (attributes.nObjects ?? 0) / Math.max(1, countResults(attributes, settings)) : 1;
  const ended = { ...play, passedObjects: Math.round(passedObjects * share) };
  const pp = using(new rosu.Difficulty({ ...settings, passedObjects: ended.passedObjects }), part =>
    using(part.calculate(map), ofPart => readPp(settings, ofPart, ended)),
  );
  return { pp, ppIfFullCombo };
}

function compute(job: DifficultyJob): DifficultyFigures {
  const { mods, lazer, file } = job;
  return using(
    orRefuse('unreadable', () => new rosu.Beatmap(file)),
    map => {
      if (map.nObjects === 0) throw new Refused('unreadable');
      if (map.isSuspicious()) throw new Refused('suspicious');
      if (map.mode !== job.mode) {
        orRefuse('ruleset', () => map.convert(job.mode, mods));
        if (map.isSuspicious()) throw new Refused('suspicious');
      }
      return using(
        orRefuse('mods', () => new rosu.Difficulty({ mods, lazer })),
        difficulty => using(difficulty.calculate(map), attributes => readFigures(job, map, difficulty, attributes)),
      );
    },
  );
}

function readFigures(
  job: DifficultyJob,
  map: Rosu.Beatmap,
  difficulty: Rosu.Difficulty,
  attributes: Rosu.DifficultyAttributes,
): DifficultyFigures {
  const { mods, lazer, file } = job;
  const settings = { mods, lazer };
  const misses = job.misses === undefined ? {} : { misses: job.misses };
  const combo = job.combo === undefined ? {} : { combo: job.combo };
  const span = readSpan(file);
  const endsAt = readEnd(file, span, job);
  return using(new rosu.BeatmapAttributesBuilder({ map, mods }).build(), ({ ar, od, cs, hp, clockRate }) => ({
    stars: attributes.stars,
    plainStars: mods.length === 0 ? attributes.stars : readPlainStars(map, lazer),
    maxCombo: attributes.maxCombo,
    ...{ ar, od, cs, hp, clockRate },
    bpm: map.bpm * clockRate,
    lengthSeconds: span.lengthMs / 1000 / clockRate,
    ...(endsAt === undefined ? {} : { endsAt }),
    patterns: readPatterns(attributes, settings),
    pp: job.accuracies.map(accuracy => ({
      accuracy,
      pp: readPp(settings, attributes, {
        ...hitsFor(attributes, { accuracy, misses: job.misses, od }, settings),
        ...misses,
        ...combo,
      }),
    })),
    play: job.play === undefined ? null : readPlay(settings, map, attributes, job.play),
    strains: job.strains ? using(difficulty.strains(map), readStrains) : null,
  }));
}

/** Answers a job of the pool, in a thread. A fault of the library is thrown, to end the thread and free its memory. */
export function answer(job: DifficultyJob): DifficultyAnswer | Promise<DifficultyAnswer> {
  try {
    return compute(job);
  } catch (error) {
    if (error instanceof Refused) return error.why;
    return new Promise(() => {
      setImmediate(() => {
        throw error;
      });
    });
  }
}
