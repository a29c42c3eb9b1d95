/** Packs numbers such as a difficulty's stars into few bytes, so that filtering thousands of sets is fast. */
import { type Beatmapset, RULESETS } from '../model/beatmapset.ts';
import type { Query, RangeKey } from '../query/query.ts';
import type { Range } from '../query/query-values.ts';

interface Field {
  readonly key: RangeKey;
  /** The field's offset in a difficulty's packed bytes; byte 0 is the ruleset. */
  readonly at: number;
  readonly bytes: number;
  /** The field stores the value as a whole number of this unit. */
  readonly unit: number;
  read(map: Beatmapset['beatmaps'][number], set: Beatmapset): number | null;
}

const LENGTH: Field = { key: 'length', at: 15, bytes: 3, unit: 0.01, read: map => map.total_length };
const FIELDS: readonly Field[] = [
  { key: 'stars', at: 1, bytes: 3, unit: 1e-5, read: map => map.difficulty_rating },
  { key: 'ar', at: 4, bytes: 2, unit: 0.01, read: map => map.ar },
  { key: 'od', at: 6, bytes: 2, unit: 0.01, read: map => map.od },
  { key: 'cs', at: 8, bytes: 2, unit: 0.01, read: map => map.cs },
  { key: 'hp', at: 10, bytes: 2, unit: 0.01, read: map => map.hp },
  { key: 'bpm', at: 12, bytes: 3, unit: 0.001, read: (map, set) => map.bpm ?? set.bpm },
  LENGTH,
  { key: 'circles', at: 18, bytes: 2, unit: 1, read: map => map.count_circles },
  { key: 'sliders', at: 20, bytes: 2, unit: 1, read: map => map.count_sliders },
];
const MAP_BYTES = 22;
const MANIA = RULESETS.indexOf('mania');

export function packFigures(set: Beatmapset): Uint8Array {
  const packed = Buffer.alloc(set.beatmaps.length * MAP_BYTES);
  for (const [index, map] of set.beatmaps.entries()) {
    const start = index * MAP_BYTES;
    packed[start] = RULESETS.indexOf(map.mode);
    for (const { at, bytes, unit, read } of FIELDS) {
      const value = read(map, set);
      // The largest number that the bytes can hold means that the value is unknown.
      const most = 2 ** (8 * bytes) - 1;
      const whole = value === null ? most : Math.max(0, Math.min(most - 1, Math.round(value / unit)));
      packed.writeUIntLE(whole, start + at, bytes);
    }
  }
  return packed;
}

/** Makes a test whether one difficulty of a set is in all ranges of a query; undefined if every set would pass. */
export function figuresTest({ ranges, ruleset }: Query): ((packed: Uint8Array) => boolean) | undefined {
  const wanted = FIELDS.flatMap(({ key, at, bytes, unit }) => {
    const asked = [ranges[key], key === 'cs' ? ranges.keys : undefined].filter(range => range !== undefined);
    return asked.map(range => ({ at, bytes, ...wholeRange(range, unit, 2 ** (8 * bytes) - 1) }));
  });
  const modes = [
    ...(ruleset === undefined ? [] : [RULESETS.indexOf(ruleset)]),
    ...(ranges.keys === undefined ? [] : [MANIA]),
  ];
  if (wanted.length === 0 && modes.length === 0) return undefined;
  return packed => {
    for (let start = 0; start < packed.length; start += MAP_BYTES) {
      const mode = packed[start];
      if (modes.every(one => one === mode) && wanted.every(each => isWithin(packed, start, each))) return true;
    }
    return false;
  };
}

/** The length of the longest difficulty, in seconds; null when unknown. */
export function longestOf(packed: Uint8Array): number | null {
  const { at, bytes, unit } = LENGTH;
  const bytesOf = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  let longest: number | null = null;
  for (let start = 0; start < packed.length; start += MAP_BYTES) {
    const whole = bytesOf.readUIntLE(start + at, bytes);
    if (whole < 2 ** (8 * bytes) - 1) longest = Math.max(longest ?? 0, Math.round(whole * unit));
  }
  return longest;
}

interface WholeRange {
  readonly at: number;
  readonly bytes: number;
  readonly least: number;
  /** The first whole number above the range. */
  readonly end: number;
}

/** The range as whole numbers of units. A value that differs from an end only by rounding equals that end. */
function wholeRange({ gte, lt }: Range, unit: number, unknown: number) {
  const border = (value: number) => Math.ceil(Number((value / unit).toFixed(3)));
  return {
    least: gte === undefined ? 0 : border(gte),
    end: lt === undefined ? unknown : Math.min(unknown, border(lt)),
  };
}

function isWithin(packed: Uint8Array, start: number, { at, bytes, least, end }: WholeRange): boolean {
  let value = (packed[start + at] ?? 0) + (packed[start + at + 1] ?? 0) * 0x100;
  if (bytes === 3) value += (packed[start + at + 2] ?? 0) * 0x10000;
  return value >= least && value < end;
}
