import { AppError } from '../../errors.ts';
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
 * The meaning of a text in osu!'s search language (osu-web's BeatmapsetQueryParser, 2026-08), with the keys that players know from other
 * places: `mode`, `mapper`, `genre`, `language`, `year`, `video`, `nsfw`, `spotlight`, and spans like `stars=5-6`. An unknown key and a
 * value that says nothing stay in the free text.
 */
export interface Query {
  /** Free text, its quotes kept, single spaces. */
  readonly text: string;
  /** Numbers as the domain has them; `length` in seconds, `status` by the osu! API's number, dates in milliseconds of the epoch. */
  readonly ranges: Readonly<Partial<Record<RangeKey, Range>>>;
  readonly texts: Readonly<Partial<Record<TextKey, TextFilter>>>;
  /** All of them must hold. */
  readonly tags: readonly TextFilter[];
  /** Number of an artist; no field of a set holds it, so only the official API can check. */
  readonly featuredArtist?: number;
  readonly ruleset?: Ruleset;
  /** The osu! API's number. */
  readonly genre?: number;
  /** The osu! API's number. */
  readonly language?: number;
  readonly video?: boolean;
  readonly nsfw?: boolean;
  readonly spotlight?: boolean;
  /** None of them may hold: `-artist=camellia`. */
  readonly excluded?: readonly Excluded[];
  /** Conditions that no source can look for, as they were written: `divisor=4`, `-stars>5`. */
  readonly refused?: readonly string[];
}

export interface Excluded {
  readonly key: TextKey | 'tag';
  readonly filter: TextFilter;
}

export interface TextFilter {
  readonly text: string;
  /** `""so""`: the words in this order, nothing between them. */
  readonly isPhrase: boolean;
}

/** Letters of a refused word that the refusal names. */
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

const TEXT_KEYS = ['artist', 'title', 'creator', 'source', 'difficulty'] as const;
export type TextKey = (typeof TEXT_KEYS)[number];

const RANGE_ALIASES: ReadonlyMap<string, RangeKey> = new Map<string, RangeKey>([
  ['star', 'stars'],
  ['sr', 'stars'],
  ['dr', 'hp'],
  ['key', 'keys'],
  ['submitted', 'created'],
  ['favorites', 'favourites'],
]);

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

/** Never throws, and takes linear time. */
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
  draft.text = rest.join(' ').replace(/\s+/g, ' ').trim();
  return draft;
}

/** A minus right before the key, itself at the beginning of a word. */
const NEGATION = /^(?:-|\s-)$/;

/** Reads an exclusion; `refused` for one that no source knows, false when the token says nothing. */
function readNegated(token: QueryToken): Excluded | 'refused' | false {
  const draft = emptyDraft();
  if (readToken(draft, token) === false) return false;
  const [key] = TEXT_KEYS.filter(each => draft.texts[each] !== undefined);
  const filter = key === undefined ? draft.tags[0] : draft.texts[key];
  return filter === undefined ? 'refused' : { key: key ?? 'tag', filter };
}

/** @returns whether the token said something, or `refused` when no source knows it */
function readToken(draft: Draft, token: QueryToken): boolean | 'refused' {
  const name = RANGE_ALIASES.get(token.key) ?? token.key;
  const known = RANGES.find(([key]) => key === name);
  if (known !== undefined) return readRange(draft, known, token);
  // osu! takes it, and looks for nothing.
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
  // A bound that is written again replaces the one of its side.
  draft.ranges[key] = { ...draft.ranges[key], ...range };
  return true;
}

/** Reads one value into its field; false when it says nothing. */
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

export interface RenderQueryOptions {
  /** Leave out what osu!'s own search does not know; it has parameters for some of that. */
  readonly osuOnly?: boolean;
}

/** The query as text in one way of writing: `parseQuery(renderQuery(query))` equals the query. */
export function renderQuery(query: Query, { osuOnly = false }: RenderQueryOptions = {}): string {
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
  // Last, because a quote that it leaves open would swallow what follows.
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
 * For what is to be searched for: leaving out a part of the question would answer another one.
 *
 * @throws AppError `invalid_request` with params `what: 'q'` and `key`
 */
export function assertAnswerable({ refused: [first] = [] }: Query): void {
  if (first === undefined) return;
  const params = { what: 'q', key: first.slice(0, MAX_NAMED) };
  throw new AppError('invalid_request', `nothing can be searched by ${params.key}`, { params });
}

function yesNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? 'yes' : 'no';
}
