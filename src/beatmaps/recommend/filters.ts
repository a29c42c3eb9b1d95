import { invalidRequest } from '../../errors.ts';
import type { Bounds } from '../catalogue/candidates.ts';
import { areMods, foldMod, MODS_LIKE, parseModWishes } from '../model/mods.ts';
import { DURATION, decimal, parseRange, type RangeKind } from '../query/query-values.ts';
import type { Figures, ModClass } from '../rating/mod-class.ts';

/** The maps that a person wants to be recommended. All values are with the mods; ranges include both ends. */
export interface RecommendFilters extends Readonly<Partial<Record<FilterRange, Bounds | undefined>>> {
  readonly mods?: ModFilter | undefined;
  /**
   * How many steps harder than usual the maps should be; negative for easier maps. A step is 12 % more pp, or 6 % more
   * stars where the search goes by stars.
   */
  readonly bias?: number | undefined;
  /** True for maps known to give much pp, false for other maps, undefined for both. */
  readonly farm?: boolean | undefined;
  /** True to recommend loved maps as well, which give no pp. */
  readonly loved?: boolean | undefined;
}

/** True when a map with mods matches all filters. */
export function passesFilters(figures: Figures, pp: number, filters: RecommendFilters): boolean {
  return FILTER_RANGES.every(key => isWithinBounds(key === 'pp' ? pp : figures[key], filters[key]));
}

export function isWithinBounds(value: number | null, bounds: Bounds | null | undefined): boolean {
  return bounds == null || (value !== null && value >= bounds.low && value <= bounds.high);
}

/** The values by which recommendations can be filtered; the length is in seconds. */
export const FILTER_RANGES = ['pp', 'stars', 'ar', 'bpm', 'length'] as const;
export type FilterRange = (typeof FILTER_RANGES)[number];

/** How a value is written, and by how much a map's value may differ from a number that is given instead of a range. */
const KINDS: Readonly<Record<FilterRange, readonly [kind: RangeKind, about: (value: number) => number]>> = {
  pp: [decimal(0.5), value => value * 0.06],
  stars: [decimal(0.005), () => 0.25],
  ar: [decimal(0.05), () => 0.2],
  bpm: [decimal(0.5), () => 6],
  length: [DURATION, () => 15],
};

/**
 * Reads `5-6`, `5..6`, `5-` and `-6`, both ends included, or one number for values near it; `length` in seconds or as
 * `1:30`. Undefined for other text.
 */
export function parseFilterRange(range: FilterRange, text: string): Bounds | undefined {
  const plain = text.trim().replace('..', '-');
  if (!/^[\d.,:ceihmns-]{1,40}$/i.test(plain)) return undefined;
  const [kind, aboutOf] = KINDS[range];
  const read = parseRange(kind, '=', plain);
  if (read === undefined) return undefined;
  const { gte = 0, lt = Number.POSITIVE_INFINITY } = read;
  if (gte >= lt) return undefined;
  if (plain.includes('-')) return { low: gte, high: lt };
  const middle = (gte + lt) / 2;
  const about = aboutOf(middle);
  return { low: Math.max(0, middle - about), high: middle + about };
}

/** The mods that recommendations must have and must not have. */
export interface ModFilter {
  /** Mods that a recommendation must have; `NC` is written `DT`. */
  readonly must: readonly string[];
  /** Mods that a recommendation must not have. */
  readonly never: readonly string[];
  /** True when no mods but those in `must` are allowed. */
  readonly exact: boolean;
}

export const ANY_MODS: ModFilter = { must: [], never: [], exact: false };

/** The mods that can be recommended. */
const KNOWN: readonly string[] = ['EZ', 'HT', 'DT', 'HD', 'HR', 'FL'];
const MAX_LENGTH = 64;

/**
 * Reads conditions on mods (see `ModWish`), separated by spaces or commas; all must hold. In a URL a leading plus may
 * have become a space.
 * @throws AppError `invalid_request` with params `what: 'mods'`, `reason` (`unknown` or `clash`) and `mods`
 */
export function parseModFilter(text: string): ModFilter {
  const wishes = parseModWishes(text.length > MAX_LENGTH ? '?' : text).map(wish => ({
    ...wish,
    mods: wish.mods.map(foldMod),
  }));
  const stranger = wishes.flatMap(({ mods }) => mods).find(mod => !KNOWN.includes(mod));
  if (stranger !== undefined) throw invalidRequest('mods', MODS_LIKE, { reason: 'unknown', mods: stranger });
  const must = [...new Set(wishes.flatMap(({ mods, isWithout }) => (isWithout ? [] : mods)))];
  const never = [...new Set(wishes.flatMap(({ mods, isWithout }) => (isWithout ? mods : [])))];
  const isTorn =
    must.some(mod => never.includes(mod)) ||
    !areMods(must) ||
    (wishes.some(({ isAlone, mods }) => isAlone && mods.length === 0) && must.length > 0);
  if (isTorn) throw invalidRequest('mods', MODS_LIKE, { reason: 'clash', mods: text.trim().slice(0, 16) });
  return { must, never, exact: wishes.some(({ isAlone }) => isAlone) };
}

/**
 * True when a class of mods has all that are requested and none that are excluded. HD is ignored, as it can be added to
 * any class.
 */
export function allowsClass({ must, never, exact }: ModFilter, { mods }: ModClass): boolean {
  const wanted = must.filter(mod => mod !== 'HD');
  if (!wanted.every(mod => mods.includes(mod)) || mods.some(mod => never.includes(mod))) return false;
  return !exact || mods.length === wanted.length;
}

/** The mods to recommend for this combination of mods, with HD if it is requested or the player usually adds it. */
export function modsToPlay(
  { must, never, exact }: ModFilter,
  { mods }: ModClass,
  isHidden: boolean,
): readonly string[] {
  const withHidden = must.includes('HD') || (isHidden && !never.includes('HD') && !exact);
  return withHidden ? ['HD', ...mods] : mods;
}
