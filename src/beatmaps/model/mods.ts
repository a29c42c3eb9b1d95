/** Mods as players write them: `+HDDT`, `hd dt`, `HD,DT`. */
import { AppError, invalidRequest } from '../../errors.ts';
import type { Beatmap, Ruleset } from './beatmapset.ts';
import type { ScoreMod } from './score.ts';

/** All mods in the order in which players write them, as in HDDT. `CL` gives osu!lazer the scoring of osu!stable. */
const ACRONYMS = [
  ...['EZ', 'HD', 'FI', 'HT', 'DC', 'DT', 'NC', 'HR', 'FL', 'BL', 'NF', 'SD', 'PF', 'SO', 'TC', 'TD', 'RX', 'AP', 'MR'],
  ...['1K', '2K', '3K', '4K', '5K', '6K', '7K', '8K', '9K', 'CL'],
] as const;

/** Mods of osu!lazer that a play may have, but with which Medley does not calculate. */
const OF_PLAYS: ReadonlySet<string> = new Set([
  ...['ST', 'AC', 'TP', 'DA', 'RD', 'AL', 'SG', 'TR', 'WG', 'SI', 'GR', 'DF', 'WU', 'WD', 'BR', 'AD', 'MU', 'NS', 'MG'],
  ...['RP', 'AS', 'FR', 'BU', 'SY', 'DP', 'BM', 'SW', 'CS', 'SR', 'FF', 'MF', 'CO', 'DS', 'IN', 'HO', 'NR'],
]);

const NO_MODS: ReadonlySet<string> = new Set(['', 'NM', 'NOMOD', 'NONE']);

/** Groups of mods that exclude each other. */
const GROUPS: readonly (readonly string[])[] = [
  ['EZ', 'HR'],
  ['DT', 'NC', 'HT', 'DC'],
  ['NF', 'SD', 'PF'],
  ['HD', 'FI'],
  ['SO', 'AP'],
  ['RX', 'AP'],
  ['1K', '2K', '3K', '4K', '5K', '6K', '7K', '8K', '9K'],
];

/** Mods that not all rulesets have, each with its rulesets. */
const HOMES: Readonly<Record<string, readonly Ruleset[]>> = {
  ...Object.fromEntries(['SO', 'TD', 'AP', 'BL', 'TC'].map(mod => [mod, ['osu']])),
  RX: ['osu', 'taiko', 'fruits'],
  MR: ['osu', 'fruits', 'mania'],
  ...Object.fromEntries(['FI', ...ACRONYMS.filter(mod => mod.endsWith('K'))].map(mod => [mod, ['mania']])),
};

/** Mods that include another mod and replace it; osu!stable stores both. */
const IMPLIES: ReadonlyMap<string, string> = new Map(Object.entries({ NC: 'DT', PF: 'SD' }));

const MAX_LENGTH = 64;
const RATES: ReadonlyMap<string, number> = new Map(Object.entries({ DT: 1.5, NC: 1.5, HT: 0.75, DC: 0.75 }));

function splitMods(text: string): readonly string[] {
  const whole = text.trim().replace(/^\+/, '').trim().toUpperCase();
  if (NO_MODS.has(whole)) return [];
  return whole.split(/[\s,+]+/).flatMap(word => (NO_MODS.has(word) ? [] : (word.match(/.{1,2}/gu) ?? [])));
}

/**
 * Reads acronyms and returns them in a fixed order, each once; `NC` includes `DT`. Empty without mods.
 * @throws AppError `invalid_request` with params `what: 'mods'`, `reason` (`unknown`, `clash` or `ruleset`) and `mods`
 */
export function parseMods(text: string, ruleset?: Ruleset): readonly string[] {
  if (text.length > MAX_LENGTH)
    throw invalidRequest('mods', 'too many mods', { reason: 'unknown', mods: text.trim().slice(0, 8) });
  return checkMods(splitMods(text), ruleset);
}

/** Like {@link parseMods}, for acronyms that are separate already. */
export function checkMods(acronyms: readonly string[], ruleset?: Ruleset): readonly string[] {
  const given = new Set(acronyms.map(mod => mod.toUpperCase()));
  for (const [mod, implied] of IMPLIES) if (given.has(mod)) given.delete(implied);
  const unknown = [...given].find(mod => !ACRONYMS.some(known => known === mod));
  if (unknown !== undefined)
    throw invalidRequest('mods', 'there is no such mod', { reason: 'unknown', mods: unknown.slice(0, 8) });
  for (const group of GROUPS) {
    const clashing = group.filter(mod => given.has(mod));
    if (clashing.length > 1)
      throw invalidRequest('mods', 'these mods exclude each other', { reason: 'clash', mods: clashing.join(' ') });
  }
  const stray = ruleset && [...given].find(mod => HOMES[mod]?.includes(ruleset) === false);
  if (stray) throw invalidRequest('mods', 'the ruleset does not have this mod', { reason: 'ruleset', mods: stray });
  return ACRONYMS.filter(mod => given.has(mod));
}

/** Like {@link checkMods}, for mods by which plays are chosen: all that a play may have. */
export function checkPlayMods(acronyms: readonly string[]): readonly string[] {
  const given = acronyms.map(mod => mod.toUpperCase());
  return [...checkMods(given.filter(mod => !OF_PLAYS.has(mod))), ...given.filter(mod => OF_PLAYS.has(mod))];
}

/** True when `checkMods` accepts these acronyms. */
export function areMods(acronyms: readonly string[], ruleset?: Ruleset): boolean {
  try {
    checkMods(acronyms, ruleset);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return false;
    throw error;
  }
}

const WORD = /^([+-]?)((?:[a-z\d]{2})+)(!?)$/i;
const NONE = /^\+?(?:nm|nomod|none)!?$/i;
export const MODS_LIKE = 'mods must be like +HDDT, -HR or NM';

/** A condition on mods: `+HDDT` or `HDDT`: with at least these; `HDDT!`: only these; `-HD`: without; `NM`: none. */
export interface ModWish {
  readonly mods: readonly string[];
  readonly isWithout: boolean;
  readonly isAlone: boolean;
}

/** @throws AppError `invalid_request` with params `what: 'mods'`, `reason: 'unknown'` and `mods` */
export function parseModWishes(text: string): readonly ModWish[] {
  const words = text.split(/[\s,]+/).filter(word => word !== '');
  return words.map(word => {
    if (NONE.test(word)) return { mods: [], isWithout: false, isAlone: true };
    const [, sign, letters = '', bang] = WORD.exec(word) ?? [];
    if (letters === '') throw invalidRequest('mods', MODS_LIKE, { reason: 'unknown', mods: word.slice(0, 16) });
    const mods = letters.toUpperCase().match(/../g) ?? [];
    return { mods, isWithout: sign === '-', isAlone: sign !== '-' && bang === '!' };
  });
}

/**
 * The mods of a play as if it had been played with other mods: requested mods replace those that they exclude, the
 * others keep their settings.
 * @throws AppError `invalid_request`
 */
export function changeMods(played: readonly ScoreMod[], wishes: readonly ModWish[]): readonly ScoreMod[] {
  const changed = wishes.reduce((mods, { mods: wished, isWithout, isAlone }) => {
    const named = checkMods(wished);
    if (isWithout) return mods.filter(({ acronym }) => !named.map(foldMod).includes(foldMod(acronym)));
    const excluded = GROUPS.filter(group => named.some(mod => group.includes(mod))).flat();
    const kept = mods.filter(({ acronym }) =>
      isAlone ? acronym === 'CL' : !excluded.includes(acronym) && !named.includes(acronym),
    );
    return [...kept, ...named.map(acronym => mods.find(mod => mod.acronym === acronym) ?? { acronym })];
  }, played);
  return orderMods(changed);
}

const PLACES: ReadonlyMap<string, number> = new Map(ACRONYMS.map((acronym, place) => [acronym, place]));

/** The mods in the order in which players write them. Mods that Medley does not know come last. */
export function orderMods(mods: readonly ScoreMod[]): readonly ScoreMod[] {
  const placeOf = ({ acronym }: ScoreMod) => PLACES.get(acronym) ?? ACRONYMS.length;
  return mods.toSorted((a, b) => placeOf(a) - placeOf(b));
}

const SAME_PLAY: ReadonlyMap<string, string> = new Map(Object.entries({ NC: 'DT', DC: 'HT' }));

/** The acronym of the mod that plays the same: `DT` for `NC`, which only has another sound. */
export function foldMod(acronym: string): string {
  return SAME_PLAY.get(acronym) ?? acronym;
}

/** How much faster a map runs with these mods: 1.5 with DT, unless the play's settings state another rate. */
export function clockRateOf(mods: readonly (string | ScoreMod)[]): number {
  for (const mod of mods) {
    const { acronym, settings } = typeof mod === 'string' ? { acronym: mod } : mod;
    const rate = RATES.get(acronym);
    if (rate === undefined) continue;
    const own = settings?.speed_change;
    return typeof own === 'number' && own > 0 ? own : rate;
  }
  return 1;
}

/** How many milliseconds before its time an object appears at approach rate 0, 5 and 10 (osu! wiki, 2026-08). */
const APPROACH = { slow: 1_800, middle: 1_200, fast: 450 } as const;
const MAX_SETTING = 10;

/** The fields of a difficulty that mods change. */
export type Moddable = Pick<Beatmap, 'mode' | 'ar' | 'od' | 'cs' | 'hp' | 'bpm' | 'total_length' | 'hit_length'>;

/**
 * The difficulty as these mods change it: its settings, tempo and lengths. Stars and combo stay those without mods. In
 * mania and catch a change of speed does not change the timing windows.
 * @param rate default: the usual speed with these mods
 */
export function withMods<T extends Moddable>(beatmap: T, mods: readonly string[], rate = clockRateOf(mods)): T {
  const { mode, ar, od, cs, hp, bpm, total_length, hit_length } = beatmap;
  const scaled = (value: number | null, hardRock: number) => {
    if (value === null) return null;
    if (mods.includes('EZ')) return value / 2;
    return mods.includes('HR') ? Math.min(MAX_SETTING, value * hardRock) : value;
  };
  const isMania = mode === 'mania';
  return {
    ...beatmap,
    ar: isMania ? ar : atRate(scaled(ar, 1.4), value => approachMs(value) / rate, approachSetting, rate),
    od: isMania ? od : overall(scaled(od, 1.4), mode, rate),
    cs: isMania ? cs : scaled(cs, 1.3),
    hp: scaled(hp, 1.4),
    bpm: bpm === null ? null : bpm * rate,
    total_length: total_length / rate,
    hit_length: hit_length === null ? null : hit_length / rate,
  };
}

/** The settings that osu!lazer's mod DA gives a map, with osu!'s names of them. */
export const ADJUSTED = { ar: 'approach_rate', od: 'overall_difficulty', cs: 'circle_size', hp: 'drain_rate' } as const;

/** The difficulty with the settings that the player chose by the mod DA. */
export function adjusted<T extends Moddable>(beatmap: T, mods: readonly ScoreMod[]): T {
  const { settings = {} } = mods.find(({ acronym }) => acronym === 'DA') ?? {};
  const chosen = Object.entries(ADJUSTED).map(([field, name]) => [field, settings[name]] as const);
  return { ...beatmap, ...Object.fromEntries(chosen.filter(([, value]) => typeof value === 'number')) };
}

/** The difficulty as played in another ruleset. In mania `cs` is null, since a converted map's keys are unknown. */
export function inRuleset<T extends Moddable>(beatmap: T, ruleset: Ruleset): T {
  if (ruleset === beatmap.mode) return beatmap;
  return { ...beatmap, mode: ruleset, cs: ruleset === 'mania' ? null : beatmap.cs };
}

function overall(od: number | null, mode: Beatmap['mode'], rate: number): number | null {
  if (mode === 'fruits') return od;
  const [slow, step] = mode === 'taiko' ? [50, 3] : [80, 6];
  return atRate(
    od,
    value => (slow - step * value) / rate,
    ms => (slow - ms) / step,
    rate,
  );
}

/** The AR or OD at normal speed that feels like this value does at the changed speed. */
function atRate(
  value: number | null,
  msAtRate: (value: number) => number,
  settingOf: (ms: number) => number,
  rate: number,
): number | null {
  return value === null || rate === 1 ? value : settingOf(msAtRate(value));
}

function approachMs(ar: number): number {
  const { slow, middle, fast } = APPROACH;
  return ar < 5 ? slow - ((slow - middle) / 5) * ar : middle - ((middle - fast) / 5) * (ar - 5);
}

function approachSetting(ms: number): number {
  const { slow, middle, fast } = APPROACH;
  return ms > middle ? ((slow - ms) / (slow - middle)) * 5 : 5 + ((middle - ms) / (middle - fast)) * 5;
}
