/** What can be asked of a search, in the words of osu!'s own. */
import { type Beatmapset, type Ruleset, starRange } from './beatmapset.ts';

/** `leaderboard`: ranked, approved and loved, the default. `ranked` includes approved. */
export const SEARCH_STATUSES = [
  'any',
  'leaderboard',
  'ranked',
  'qualified',
  'loved',
  'pending',
  'wip',
  'graveyard',
] as const;
export type SearchStatus = (typeof SEARCH_STATUSES)[number];

export const SORT_FIELDS = [
  'artist',
  'creator',
  'difficulty',
  'favourites',
  'nominations',
  'plays',
  'ranked',
  'rating',
  'relevance',
  'title',
  'updated',
] as const;
export type SortField = (typeof SORT_FIELDS)[number];
export type SearchSort = `${SortField}_${'asc' | 'desc'}`;

/** One search, pages apart. */
export interface Search {
  /** osu!'s search language; empty lists everything. */
  readonly q: string;
  readonly ruleset: Ruleset | undefined;
  readonly status: SearchStatus;
  readonly sort: SearchSort;
}

/** One page as an upstream gives it. */
export interface SearchPage {
  readonly sets: readonly Beatmapset[];
  /** Of all pages, when known. */
  readonly total: number | null;
  /** What the upstream gives the next page for; null after the last. */
  readonly next: string | null;
}

/** Sets of an upstream's page. */
export const PAGE_SIZE = 50;

/** `field_asc`, `field_desc`, or the field alone, which means its natural direction; undefined for anything else. */
export function parseSort(text: string): SearchSort | undefined {
  const [word = '', direction] = text.trim().toLowerCase().split('_');
  const field = SORT_FIELDS.find(known => known === word);
  if (field === undefined) return undefined;
  if (direction === 'asc' || direction === 'desc') return `${field}_${direction}`;
  if (direction !== undefined) return undefined;
  return field === 'artist' || field === 'title' || field === 'creator' ? `${field}_asc` : `${field}_desc`;
}

export function splitSort(sort: SearchSort): { readonly field: SortField; readonly descending: boolean } {
  const [word, direction] = sort.split('_');
  return { field: SORT_FIELDS.find(field => field === word) ?? 'relevance', descending: direction === 'desc' };
}

export function hasStatus(set: Beatmapset, status: SearchStatus): boolean {
  if (status === 'any') return true;
  if (status === 'ranked') return set.status === 'ranked' || set.status === 'approved';
  if (status === 'leaderboard') return ['ranked', 'approved', 'loved'].includes(set.status);
  return set.status === status;
}

type Key = string | number | null;

const KEYS: Readonly<Partial<Record<SortField, (set: Beatmapset, descending: boolean) => Key>>> = {
  artist: set => set.artist.toLowerCase(),
  creator: set => set.creator.toLowerCase(),
  title: set => set.title.toLowerCase(),
  difficulty: (set, descending) => starRange(set)?.[descending ? 'max' : 'min'] ?? null,
  favourites: set => set.favourite_count,
  plays: set => set.play_count,
  ranked: set => set.ranked_date,
  rating: set => set.rating,
  updated: set => set.last_updated,
};

/** In the order asked for; as they are when only the upstream knows it (relevance, nominations). Unknown values come last. */
export function sortSets(sets: readonly Beatmapset[], sort: SearchSort): readonly Beatmapset[] {
  const { field, descending } = splitSort(sort);
  const keyOf = KEYS[field];
  if (keyOf === undefined) return sets;
  const keyed = sets.map(set => ({ set, key: keyOf(set, descending) }));
  keyed.sort((a, b) => {
    if (a.key === b.key) return 0;
    if (a.key === null) return 1;
    if (b.key === null) return -1;
    return (a.key < b.key ? -1 : 1) * (descending ? -1 : 1);
  });
  return keyed.map(({ set }) => set);
}
