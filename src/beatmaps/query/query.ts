import { invalidRequest } from '../../errors.ts';
import { parseRuleset, type Ruleset } from '../model/beatmapset.ts';
import { type QueryToken, quoteValue, scanTokens } from './query-scan.ts';
import {
  DATE,
  DURATION,
  decimal,
  parseRange,
  type Range,
  type RangeKind,
  STATUS_ORDER,
  WHOLE,
} from './query-values.ts';
import { parseGenre, parseLanguage, parseYesNo } from './query-words.ts';

/**
 * The meaning of a text in osu!'s search language (osu-web's BeatmapsetQueryParser, 2026-08), with further keys that
 * other sites have: `mode`, `mapper`, `genre`, `language`, `year`, `video`, `nsfw`, `spotlight`, and ranges like
 * `stars=5-6`. An unknown key, or a value that cannot be read, stays in the free text.
 */
export interface Query {
  /** Free text with its quotes and with single spaces. */
  readonly text: string;
  /** Ranges in the model's units: `length` in seconds, `status` by number, dates in unix milliseconds. */
  readonly ranges: Readonly<Partial<Record<RangeKey, Range>>>;
  readonly texts: Readonly<Partial<Record<TextKey, TextFilter>>>;
  /** Tags; a set must have all of them. */
  readonly tags: readonly TextFilter[];
  /** The id of a featured artist. No field of a set contains it, so only the official API finds sets by it. */
  readonly featuredArtist?: number;
  readonly ruleset?: Ruleset;
  /** The osu! API's number of the genre. */
  readonly genre?: number;
  /** The osu! API's number of the language. */
  readonly language?: number;
  readonly video?: boolean;
  readonly nsfw?: boolean;
  readonly spotlight?: boolean;
  /** Conditions that must not hold for a set: `-artist=camellia`. */
  readonly excluded?: readonly Excluded[];
  /** Conditions that no source can check, as the person wrote them: `divisor=4`, `-stars>5`. */
  readonly refused?: readonly string[];
}

export interface Excluded {
  readonly key: TextKey | 'tag';
  readonly filter: TextFilter;
}

export interface TextFilter {
  readonly text: string;
  /** True for `""so""`: exactly these words, in this order and with nothing between them. */
  readonly isPhrase: boolean;
}

/** How many characters of a refused condition the error about it shows. */
const MAX_NAMED = 40;

const RANGES = [
  ['stars', decimal(0.005)],
  ['ar', decimal(0.05)],
  ['od', decimal(0.05)],
  ['cs', decimal(0.05)],
  ['hp', decimal(0.05)],
  ['bpm', decimal(0.005)],
  ['length', DURATION],
  ['circles', WHOLE],
  ['sliders', WHOLE],
  ['keys', WHOLE],
  ['favourites', WHOLE],
  ['status', STATUS_ORDER],
  ['created', DATE],
  ['updated', DATE],
  ['ranked', DATE],
  ['year', WHOLE],
] as const satisfies readonly (readonly [string, RangeKind])[];
export type RangeKey = (typeof RANGES)[number][0];

/**
 * The texts that have a key of their own in a query. The catalogue's text index has a column of the same name for each
 * of them, except that the column for `difficulty` is called `versions`.
 */
export const TEXT_KEYS = ['artist', 'title', 'creator', 'source', 'difficulty'] as const;
export type TextKey = (typeof TEXT_KEYS)[number];

const RANGE_ALIASES: ReadonlyMap<string, RangeKey> = new Map(
  Object.entries<RangeKey>({
    star: 'stars',
    sr: 'stars',
    dr: 'hp',
    key: 'keys',
    submitted: 'created',
    favorites: 'favourites',
  }),
);

const TEXT_NAMES: ReadonlyMap<string, TextKey> = new Map<string, TextKey>([
  ...TEXT_KEYS.map(key => [key, key] as const),
  ['mapper', 'creator'],
  ['diff', 'difficulty'],
]);

type Draft = {
  -readonly [K in keyof Omit<Query, 'ranges' | 'texts' | 'tags'>]: Query[K];
} & { ranges: Partial<Record<RangeKey, Range>>; texts: Partial<Record<TextKey, TextFilter>>; tags: TextFilter[] };

function emptyDraft(): Draft {
  return { text: '', ranges: {}, texts: {}, tags: [] };
}

/** Parses a query. Never throws, and takes linear time. */
export function parseQuery(text: string): Query {
  const draft = emptyDraft();
  const rest: string[] = [];
  let position = 0;
  for (const token of scanTokens(text)) {
    const isNegated = NEGATION.test(text.slice(Math.max(position, token.start - 2), token.start));
    const start = isNegated ? token.start - 1 : token.start;
    const said = isNegated ? readNegated(token) : readToken(draft, token);
    if (said === false) continue;
    if (said === 'refused') draft.refused = [...(draft.refused ?? []), text.slice(start, token.end)];
    else if (said !== true) draft.excluded = [...(draft.excluded ?? []), said];
    rest.push(text.slice(position, start));
    position = token.end;
  }
  rest.push(text.slice(position));
  const words = rest.join(' ').replace(/\s+/g, ' ').trim();
  draft.text = words.replace(DASH, ' ').replace(/\s+/g, ' ').trim() || words;
  return draft;
}

/** Matches a dash that stands alone, as between artist and title. It means nothing beside words, and mirrors look for it. */
const DASH = /(?<!\S)[-\u2013\u2014]+(?!\S)/g;

/** Matches a minus directly before a key, at the beginning of a word. */
const NEGATION = /^(?:-|\s-)$/;

/** Reads a condition behind a minus; returns `refused` if no source can check it, false if it is unreadable. */
function readNegated(token: QueryToken): Excluded | 'refused' | false {
  const draft = emptyDraft();
  if (readToken(draft, token) === false) return false;
  const [key] = TEXT_KEYS.filter(each => draft.texts[each] !== undefined);
  const filter = key === undefined ? draft.tags[0] : draft.texts[key];
  return filter === undefined ? 'refused' : { key: key ?? 'tag', filter };
}

/** @returns true when the token was read, false when it is unreadable, `refused` when no source can check it */
function readToken(draft: Draft, token: QueryToken): boolean | 'refused' {
  const name = RANGE_ALIASES.get(token.key) ?? token.key;
  const known = RANGES.find(([key]) => key === name);
  if (known !== undefined) return readRange(draft, known, token);
  // osu! accepts `divisor` but ignores it, so the condition is refused.
  if (token.key === 'divisor' && isWhole(token.value)) return 'refused';
  if (token.operator !== '=') return false;
  const value = token.value.trim();
  if (value === '') return false;
  const filter = { text: value, isPhrase: token.isPhrase };
  const textKey = TEXT_NAMES.get(token.key);
  if (textKey !== undefined) draft.texts[textKey] = filter;
  else if (token.key === 'tag') draft.tags.push(filter);
  else return WORD_READERS.get(token.key)?.(draft, value) ?? false;
  return true;
}

function readRange(draft: Draft, [key, kind]: readonly [RangeKey, RangeKind], token: QueryToken): boolean {
  const range = parseRange(kind, token.operator, token.value);
  if (range === undefined) return false;
  // If a query bounds the same end of a range twice, as in `ar>8 ar>9`, the later bound counts.
  draft.ranges[key] = { ...draft.ranges[key], ...range };
  return true;
}

/** Reads one value into a field of the draft; returns false when it cannot be read. */
function reader<K extends keyof Draft>(key: K, parse: (value: string) => Draft[K] | undefined) {
  return (draft: Draft, value: string): boolean => {
    const read = parse(value);
    if (read !== undefined) draft[key] = read;
    return read !== undefined;
  };
}

const WORD_READERS: ReadonlyMap<string, (draft: Draft, value: string) => boolean> = new Map([
  ['featured_artist', reader('featuredArtist', value => (isWhole(value) ? Number(value) : undefined))],
  ['mode', reader('ruleset', parseRuleset)],
  ['genre', reader('genre', parseGenre)],
  ['language', reader('language', parseLanguage)],
  ['lang', reader('language', parseLanguage)],
  ['video', reader('video', parseYesNo)],
  ['nsfw', reader('nsfw', parseYesNo)],
  ['spotlight', reader('spotlight', parseYesNo)],
  ['spotlights', reader('spotlight', parseYesNo)],
]);

function isWhole(value: string): boolean {
  return /^\d{1,12}$/.test(value);
}

/**
 * Writes the query as text in one fixed way: `parseQuery(renderQuery(query))` equals the query.
 * @param options `osuOnly`: leaves out what osu!'s search language lacks; some of it can be sent as parameters
 */
export function renderQuery(query: Query, { osuOnly = false }: { readonly osuOnly?: boolean } = {}): string {
  const words: string[] = [];
  for (const [key, kind] of RANGES) {
    const range = query.ranges[key];
    if (range === undefined || (osuOnly && key === 'year')) continue;
    words.push(...kind.render(range).map(word => `${key}${word}`));
  }
  for (const key of TEXT_KEYS) {
    const filter = query.texts[key];
    if (filter !== undefined) words.push(renderFilter(key, filter));
  }
  for (const tag of query.tags) words.push(renderFilter('tag', tag));
  if (query.featuredArtist !== undefined) words.push(`featured_artist=${query.featuredArtist}`);
  if (!osuOnly) words.push(...renderExtras(query));
  // The free text comes last, because an open quote would swallow what follows.
  if (query.text !== '') words.push(query.text);
  return words.join(' ');
}

function renderFilter(key: TextKey | 'tag', { text, isPhrase }: TextFilter): string {
  return `${key}=${quoteValue(text, isPhrase)}`;
}

function renderExtras(query: Query): string[] {
  const { ruleset, genre, language, video, nsfw, spotlight, excluded = [], refused = [] } = query;
  const words = { video: yesNo(video), nsfw: yesNo(nsfw), spotlight: yesNo(spotlight) };
  const extras = { mode: ruleset, genre, language, ...words };
  return [
    ...Object.entries(extras).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])),
    ...excluded.map(({ key, filter }) => `-${renderFilter(key, filter)}`),
    ...refused,
  ];
}

/**
 * Refuses a query with conditions that no source can check, because a search without them would find other sets.
 * @throws AppError `invalid_request` with params `what: 'q'` and `key`
 */
export function assertAnswerable({ refused: [first] = [] }: Query): void {
  if (first === undefined) return;
  const key = first.slice(0, MAX_NAMED);
  throw invalidRequest('q', `nothing can be searched by ${key}`, { key });
}

function yesNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? 'yes' : 'no';
}
