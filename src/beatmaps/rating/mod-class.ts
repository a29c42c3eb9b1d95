import type { Candidate } from '../catalogue/candidates.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { clockRateOf, foldMod, withMods } from '../model/mods.ts';
import type { ScoreMod } from '../model/score.ts';

/**
 * Mods by how they change the difficulty of a map. Other mods are left out: HD is a matter of taste, NC plays like DT,
 * NF and SD change nothing. `key` is equal for equal mods, `''` for none.
 */
export interface ModClass {
  readonly key: string;
  /** The mods in the order in which players write them. */
  readonly mods: readonly string[];
  /** How much faster the map runs: 1.5 with DT, unless a play's settings state another speed. */
  readonly rate: number;
}

const ORDER: readonly string[] = ['EZ', 'HT', 'DT', 'HR', 'FL'];

/** @param given acronyms, or the mods of a play with their settings */
export function modClassOf(given: readonly (string | ScoreMod)[]): ModClass {
  const plain = given.map(mod => foldMod(typeof mod === 'string' ? mod : mod.acronym));
  const mods = ORDER.filter(each => plain.includes(each));
  return { key: mods.join(''), mods, rate: clockRateOf(given) };
}

/**
 * The stars, estimated, and the settings of a map with mods; in mania `cs` is the number of keys. Settings that have no
 * meaning in a ruleset are null.
 */
export type Figures = Pick<Candidate, 'stars' | 'ar' | 'od' | 'cs' | 'bpm' | 'length'>;

/**
 * Factors by which mods change the stars of a typical ranked map. Single maps differ from them by a few percent: a
 * player's own plays correct the error that all maps share, and calculating a map corrects the rest.
 */
const STAR_FACTORS: Readonly<Record<Ruleset, Readonly<Record<string, number>>>> = {
  osu: { DT: 1.4, HT: 0.79, HR: 1.05, EZ: 0.93, FL: 1.15 },
  taiko: { DT: 1.355, HT: 0.81, HR: 1.01, EZ: 1, FL: 1 },
  fruits: { DT: 1.4, HT: 0.79, HR: 1.2, EZ: 0.87, FL: 1 },
  mania: { DT: 1.31, HT: 0.82, HR: 1, EZ: 1, FL: 1 },
};

/** The factor for the stars. At an unusual speed it is a power of the factor at the mod's usual speed. */
export function starFactor(ruleset: Ruleset, { mods, rate }: ModClass): number {
  return mods.reduce((product, mod) => {
    const usual = clockRateOf([mod]);
    const share = usual === 1 ? 1 : Math.log(rate) / Math.log(usual);
    return product * (STAR_FACTORS[ruleset][mod] ?? 1) ** share;
  }, 1);
}

/** A map's stars and settings with mods: the stars are estimated, the settings follow osu!'s rules. */
export function figuresWith(map: Figures & { readonly ruleset: Ruleset }, modClass: ModClass): Figures {
  const { ruleset, ar, od, cs, bpm, length } = map;
  const settings = { mode: ruleset, ar, od, cs, bpm, hp: null, total_length: length, hit_length: null };
  const played = withMods(settings, modClass.mods, modClass.rate);
  const hasApproach = ruleset === 'osu' || ruleset === 'fruits';
  return {
    stars: map.stars * starFactor(ruleset, modClass),
    ar: hasApproach ? played.ar : null,
    od: played.od,
    cs: ruleset === 'taiko' ? null : played.cs,
    bpm: played.bpm,
    length: played.total_length,
  };
}
