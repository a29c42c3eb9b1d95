import type { Ruleset } from '../model/beatmapset.ts';

/**
 * Mods that change what a map is to play, others left out: HD is a matter of taste, NC is DT, and NF or SD change nothing.
 * `key` is the same for the same mods, `''` for none.
 */
export interface ModClass {
  readonly key: string;
  /** In the order players write them. */
  readonly mods: readonly string[];
  /** 1.5 for DT. */
  readonly rate: number;
}

const FOLDED: ReadonlyMap<string, string> = new Map([
  ['NC', 'DT'],
  ['DC', 'HT'],
]);
const ORDER: readonly string[] = ['EZ', 'HT', 'DT', 'HR', 'FL'];
const RATES: Readonly<Record<string, number>> = { DT: 1.5, HT: 0.75 };

export function modClassOf(acronyms: readonly string[]): ModClass {
  const plain = acronyms.map(each => FOLDED.get(each) ?? each);
  const mods = ORDER.filter(each => plain.includes(each));
  const rate = mods.reduce((product, each) => product * (RATES[each] ?? 1), 1);
  return { key: mods.join(''), mods, rate };
}

/** What a map is like to play. Figures that mean nothing in a ruleset are null. */
export interface Figures {
  /** With the mods, by estimate. */
  readonly stars: number;
  readonly ar: number | null;
  readonly od: number | null;
  /** The number of keys in mania. */
  readonly cs: number | null;
  readonly bpm: number | null;
  /** Seconds. */
  readonly length: number;
}

/**
 * What mods make of the stars of a typical ranked map, rounded. Maps differ by a few percent; a player's own plays correct what they
 * have in common, and a real calculation the rest.
 */
const STAR_FACTORS: Readonly<Record<Ruleset, Readonly<Record<string, number>>>> = {
  osu: { DT: 1.4, HT: 0.79, HR: 1.05, EZ: 0.93, FL: 1.15 },
  taiko: { DT: 1.355, HT: 0.81, HR: 1.01, EZ: 1, FL: 1 },
  fruits: { DT: 1.4, HT: 0.79, HR: 1.2, EZ: 0.87, FL: 1 },
  mania: { DT: 1.31, HT: 0.82, HR: 1, EZ: 1, FL: 1 },
};

export function starFactor(ruleset: Ruleset, { mods }: ModClass): number {
  return mods.reduce((product, mod) => product * (STAR_FACTORS[ruleset][mod] ?? 1), 1);
}

/** A map's figures with mods, by osu!'s own rules (2026-08) but for the stars. */
export function figuresWith(map: Figures & { readonly ruleset: Ruleset }, modClass: ModClass): Figures {
  const { ruleset } = map;
  const { mods, rate } = modClass;
  const edge = (value: number, harder: number) =>
    mods.includes('HR') ? Math.min(10, value * harder) : mods.includes('EZ') ? value / 2 : value;
  const hasApproach = ruleset === 'osu' || ruleset === 'fruits';
  const isMania = ruleset === 'mania';
  return {
    stars: map.stars * starFactor(ruleset, modClass),
    ar: map.ar === null || !hasApproach ? null : approachAt(edge(map.ar, 1.4), rate),
    od: map.od === null || isMania ? map.od : overallAt(ruleset, edge(map.od, 1.4), rate),
    cs: map.cs === null || ruleset === 'taiko' ? null : isMania ? map.cs : edge(map.cs, 1.3),
    bpm: map.bpm === null ? null : map.bpm * rate,
    length: map.length / rate,
  };
}

/** Approach rates are times, 1800 ms at 0, 1200 at 5, 450 at 10; and time runs faster. */
function approachAt(ar: number, rate: number): number {
  const ms = (ar < 5 ? 1_800 - 120 * ar : 1_200 - 150 * (ar - 5)) / rate;
  return ms > 1_200 ? (1_800 - ms) / 120 : 5 + (1_200 - ms) / 150;
}

/** Width of a perfect hit in ms at difficulty 0, and what each point takes off it. */
const HIT_WINDOWS = { osu: [80, 6], taiko: [50, 3] } as const;

function overallAt(ruleset: Ruleset, od: number, rate: number): number {
  if (ruleset !== 'osu' && ruleset !== 'taiko') return od;
  const [widest, step] = HIT_WINDOWS[ruleset];
  return (widest - (widest - step * od) / rate) / step;
}
