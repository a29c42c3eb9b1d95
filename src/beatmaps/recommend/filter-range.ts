import { DURATION, decimal, parseRange, type RangeKind } from '../query/query-values.ts';
import type { Bounds } from './catalogue-candidates.ts';

/** Figures that recommendations can be asked for by. */
export const FILTER_RANGES = ['pp', 'stars', 'ar', 'bpm', 'length'] as const;
export type FilterRange = (typeof FILTER_RANGES)[number];

const KINDS: Readonly<Record<FilterRange, RangeKind>> = {
  pp: decimal(0.5),
  stars: decimal(0.005),
  ar: decimal(0.05),
  bpm: decimal(0.5),
  length: DURATION,
};

/** What counts as about so much, on either side. */
const ABOUT: Readonly<Record<FilterRange, (value: number) => number>> = {
  pp: value => value * 0.06,
  stars: () => 0.25,
  ar: () => 0.2,
  bpm: () => 6,
  length: () => 15,
};

/** `5-6`, `5-` and `-6`, ends included, or one number for about so much; `length` in seconds or like `1:30`. Undefined for anything else. */
export function parseFilterRange(range: FilterRange, text: string): Bounds | undefined {
  const plain = text.trim();
  if (!/^[\d.,:hms-]{1,40}$/i.test(plain)) return undefined;
  const read = parseRange(KINDS[range], '=', plain);
  if (read === undefined) return undefined;
  const { gte = 0, lt = Number.POSITIVE_INFINITY } = read;
  if (gte >= lt) return undefined;
  if (plain.includes('-')) return { low: gte, high: lt };
  const middle = (gte + lt) / 2;
  const about = ABOUT[range](middle);
  return { low: Math.max(0, middle - about), high: middle + about };
}
