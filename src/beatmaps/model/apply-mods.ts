/** What mods make of a difficulty's settings. */
import type { Beatmap } from './beatmapset.ts';
import { clockRateOf } from './mods.ts';

/** The game's own numbers (osu! wiki, 2026-08): milliseconds of a setting at 0, 5 and 10. */
const APPROACH = { slow: 1_800, middle: 1_200, fast: 450 } as const;
const MAX_SETTING = 10;

/** What of a difficulty mods change. */
export type Moddable = Pick<Beatmap, 'mode' | 'ar' | 'od' | 'cs' | 'hp' | 'bpm' | 'total_length' | 'hit_length'>;

/**
 * The difficulty as it plays with these mods: settings, tempo and lengths. Stars and combo stay those without mods. In mania and in
 * catch the clock does not change how strict hits are judged.
 */
export function withMods<T extends Moddable>(beatmap: T, mods: readonly string[]): T {
  const rate = clockRateOf(mods);
  const { mode, ar, od, cs, hp, bpm, total_length, hit_length } = beatmap;
  const scaled = (value: number | null, hardRock: number) => scale(value, mods, hardRock);
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

function scale(value: number | null, mods: readonly string[], hardRock: number): number | null {
  if (value === null) return null;
  if (mods.includes('EZ')) return value / 2;
  return mods.includes('HR') ? Math.min(MAX_SETTING, value * hardRock) : value;
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

/** The setting that would feel the same without the change of tempo. */
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
