import type { Values } from '../contract/command.ts';
import type { PagesView } from '../views/osu/beatmap-list.ts';

/** Options that only the buttons to other pages set. */
export const PAGE_OPTIONS = {
  page: { type: 'integer', min: 1, max: 10_000, only: 'button' },
  cursors: { type: 'string', maxLength: 40_000, only: 'button' },
} as const;

/** How many cursors are kept; the way back through more pages jumps from the oldest of them to the first page. */
const MAX_TRAIL = 20;

/** A page of a list. Upstreams state only the next page's cursor, so the way back consists of earlier cursors. */
export interface ListPosition {
  readonly page: number;
  /** The cursors of this page and the previous ones; the first page has none. */
  readonly trail: readonly string[];
}

export function readPosition({ page = 1, cursors }: Values<typeof PAGE_OPTIONS>): ListPosition {
  return { page, trail: cursors === undefined ? [] : cursors.split(',') };
}

export function cursorOf({ trail }: ListPosition): string | undefined {
  return trail.at(-1);
}

/** @param token makes a button's token from values for {@link PAGE_OPTIONS} */
export function pageTokens(
  { page, trail }: ListPosition,
  next: string | null,
  token: (values: Readonly<Record<string, string | number>>) => string,
): PagesView {
  const at = (number: number, way: readonly string[]) =>
    token(way.length === 0 ? {} : { page: number, cursors: way.join(',') });
  const before = trail.slice(0, -1);
  return {
    back: trail.length === 0 ? undefined : at(page - 1, before),
    more: next === null ? undefined : at(page + 1, [...trail, next].slice(-MAX_TRAIL)),
  };
}
