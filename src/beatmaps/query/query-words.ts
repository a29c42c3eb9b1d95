import { LEADERBOARD, STATUSES, type Status } from '../model/beatmapset.ts';

/** Genres by the osu! API's numbers. */
const GENRES: ReadonlyMap<number, string> = new Map([
  [1, 'unspecified'],
  [2, 'video game'],
  [3, 'anime'],
  [4, 'rock'],
  [5, 'pop'],
  [6, 'other'],
  [7, 'novelty'],
  [9, 'hip hop'],
  [10, 'electronic'],
  [11, 'metal'],
  [12, 'classical'],
  [13, 'folk'],
  [14, 'jazz'],
]);

/** Languages by the osu! API's numbers. */
const LANGUAGES: ReadonlyMap<number, string> = new Map([
  [1, 'unspecified'],
  [2, 'english'],
  [3, 'japanese'],
  [4, 'chinese'],
  [5, 'instrumental'],
  [6, 'korean'],
  [7, 'french'],
  [8, 'german'],
  [9, 'swedish'],
  [10, 'spanish'],
  [11, 'italian'],
  [12, 'russian'],
  [13, 'polish'],
  [14, 'other'],
]);

const LANGUAGE_CODES: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ en: 2, ja: 3, jp: 3, zh: 4, cn: 4, ko: 6, kr: 6 }),
  ...Object.entries({ fr: 7, de: 8, sv: 9, es: 10, it: 11, ru: 12, pl: 13 }),
]);

/** Reads a number, a name or the beginning of a name, with or without its spaces. */
export function parseGenre(text: string): number | undefined {
  return parseName(GENRES, text);
}

/** Reads a language like {@link parseGenre}, also by its two-letter code. */
export function parseLanguage(text: string): number | undefined {
  return LANGUAGE_CODES.get(text.toLowerCase()) ?? parseName(LANGUAGES, text);
}

function parseName(names: ReadonlyMap<number, string>, text: string): number | undefined {
  if (/^\d{1,3}$/.test(text)) return names.has(Number(text)) ? Number(text) : undefined;
  const plain = text.toLowerCase().replace(/[\s_-]/g, '');
  if (plain.length < 2) return undefined;
  for (const [id, name] of names) if (name.replace(' ', '').startsWith(plain)) return id;
  return undefined;
}

/** The osu! API's groups of statuses, except for those that need a login. */
export const STATUS_FILTERS = [
  'any',
  'leaderboard',
  'ranked',
  'qualified',
  'loved',
  'pending',
  'wip',
  'graveyard',
] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

export function statusesOf(filter: StatusFilter): readonly Status[] {
  switch (filter) {
    case 'any':
      return STATUSES;
    case 'leaderboard':
      return LEADERBOARD;
    case 'ranked':
      return ['ranked', 'approved'];
    default:
      return [filter];
  }
}

const STATUS_ALIASES: ReadonlyMap<string, StatusFilter> = new Map(
  Object.entries<StatusFilter>({
    all: 'any',
    default: 'leaderboard',
    has_leaderboard: 'leaderboard',
    approved: 'ranked',
    unranked: 'pending',
  }),
);

export function parseStatusFilter(text: string): StatusFilter | undefined {
  const word = text.trim().toLowerCase();
  return STATUS_FILTERS.find(filter => filter === word) ?? STATUS_ALIASES.get(word);
}

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

export interface Sort {
  readonly field: SortField;
  readonly order: 'asc' | 'desc';
}

/** Reads an order: `plays_desc`, `plays:desc`, or `plays`, which is descending as at osu!. */
export function parseSort(text: string): Sort | undefined {
  const [word = '', order = 'desc', ...rest] = text.trim().toLowerCase().split(/[_:]/);
  const field = SORT_FIELDS.find(one => one === (word === 'favorites' ? 'favourites' : word));
  return field === undefined || rest.length > 0 || (order !== 'asc' && order !== 'desc') ? undefined : { field, order };
}

export function renderSort({ field, order }: Sort): string {
  return `${field}_${order}`;
}

const YES: ReadonlySet<string> = new Set(['yes', 'y', 'true', '1', 'on', 'show', 'only']);
const NO: ReadonlySet<string> = new Set(['no', 'n', 'false', '0', 'off', 'hide', 'none']);

export function parseYesNo(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
}
