import type { Figures } from '../rating/mod-class.ts';
import type { Bounds } from './catalogue-candidates.ts';
import type { ModFilter } from './mod-filter.ts';

/** What a person asks of their recommendations. Figures are as played, with the mods; ends included. */
export interface RecommendFilters {
  readonly mods?: ModFilter | undefined;
  /** Steps harder, or easier below 0. */
  readonly bias?: number | undefined;
  readonly pp?: Bounds | undefined;
  readonly stars?: Bounds | undefined;
  readonly ar?: Bounds | undefined;
  readonly bpm?: Bounds | undefined;
  /** Seconds. */
  readonly length?: Bounds | undefined;
  /** Maps known for giving much pp, or not those; left out, they come as they come. */
  readonly farm?: boolean | undefined;
  /** Loved maps too, which give no pp. */
  readonly loved?: boolean | undefined;
}

/** Whether a map, as it would be played, is within everything that was asked for. */
export function passesFilters(figures: Figures, pp: number, filters: RecommendFilters): boolean {
  return (
    isWithinBounds(pp, filters.pp) &&
    isWithinBounds(figures.stars, filters.stars) &&
    isWithinBounds(figures.length, filters.length) &&
    isKnownWithin(figures, 'ar', filters) &&
    isKnownWithin(figures, 'bpm', filters)
  );
}

function isKnownWithin(figures: Figures, feature: 'ar' | 'bpm', filters: RecommendFilters): boolean {
  const value = figures[feature];
  return filters[feature] === undefined || (value !== null && isWithinBounds(value, filters[feature]));
}

export function isWithinBounds(value: number, bounds: Bounds | undefined): boolean {
  return bounds === undefined || (value >= bounds.low && value <= bounds.high);
}
