import { LEADERBOARD, STATUSES, type Status } from '../model/beatmapset.ts';

/** Genres; the index of each is its number in the osu! API. */
const GENRES: readonly string[] = [
  ...['', 'unspecified', 'video game', 'anime', 'rock', 'pop', 'other', 'novelty', '', 'hip hop', 'electronic'],
  ...['metal', 'classical', 'folk', 'jazz'],
];
/** Languages; the index of each is its number in the osu! API. */
const LANGUAGES: readonly string[] = [
  ...['', 'unspecified', 'english', 'japanese', 'chinese', 'instrumental', 'korean', 'french', 'german', 'swedish'],
  ...['spanish', 'italian', 'russian', 'polish', 'other'],
];

const LANGUAGE_CODES: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ en: 2, ja: 3, jp: 3, zh: 4, cn: 4, ko: 6, kr: 6 }),
  ...Object.entries({ fr: 7, de: 8, sv: 9, es: 10, it: 11, ru: 12, pl: 13 }),
]);

/** Reads a genre from its number, its name or the beginning of its name, with or without spaces. */
export function parseGenre(text: string): number | undefined {
  return parseName(GENRES, text);
}

/** Reads a language like {@link parseGenre}, also by its two-letter code. */
export function parseLanguage(text: string): number | undefined {
  return LANGUAGE_CODES.get(text.toLowerCase()) ?? parseName(LANGUAGES, text);
}

function parseName(names: readonly string[], text: string): number | undefined {
  if (/^\d{1,3}$/.test(text)) return names[Number(text)] ? Number(text) : undefined;
  const plain = text.toLowerCase().replace(/[\s_-]/g, '');
  const id = plain.length < 2 ? -1 : names.findIndex(name => name.replace(' ', '').startsWith(plain));
  return id < 0 ? undefined : id;
}

/** The osu! API's groups of statuses, without the groups that need a login. */
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

const STATUS_ALIASES: ReadonlyMap<string, StatusFilter> = new Map<string, StatusFilter>([
  ...(['default', 'has_leaderboard'] as const).map(word => [word, 'leaderboard'] as const),
  ...Object.entries({ all: 'any', approved: 'ranked', unranked: 'pending' } as const),
]);

export function parseStatusFilter(text: string): StatusFilter | undefined {
  const word = text.trim().toLowerCase();
  return STATUS_FILTERS.find(filter => filter === word) ?? STATUS_ALIASES.get(word);
}

/** Reads a filter's name, another name of it, or the beginning of a status, as osu!'s search takes it: `l`. */
export function parseStatusWord(text: string): StatusFilter | undefined {
  const word = text.trim().toLowerCase();
  const named = parseStatusFilter(word);
  if (named !== undefined || word === '') return named;
  const status = STATUSES.find(each => each.startsWith(word));
  return status === 'approved' ? 'ranked' : status;
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
