import { type Beatmap, type Beatmapset, hasLeaderboard, statusNumber } from '../model/beatmapset.ts';
import { foldPlayerName } from '../model/player.ts';
import type { Query, RangeKey, TextFilter, TextKey } from './query.ts';
import { foldText, hasNeedle, haystackOf, type Needle, needlesOf, wordDistance } from './query-text.ts';
import type { Range } from './query-values.ts';

/**
 * True when a set matches a query. All conditions on a difficulty must hold for one and the same difficulty, in one of
 * the set's own rulesets. A value that a set does not state is in no range.
 * @param words how many words of the free text a set must have: `any`, as osu! finds sets, or `all`, as the catalogue
 * does. A set has a word if a word of its names, mappers, source, tags or difficulties begins with it, or if the word
 * is the set's id.
 */
export function matches(query: Query, set: Beatmapset, words: 'all' | 'any' = 'all'): boolean {
  const isFound = matchesSet(query, set) && matchesBeatmap(query, set) && matchesText(query.text, set, words);
  return isFound && !isExcluded(query, set);
}

/** True when a query excludes the set or each of its difficulties. */
function isExcluded({ excluded = [] }: Query, set: Beatmapset): boolean {
  return excluded.some(({ key, filter }) => {
    if (key === 'difficulty') return set.beatmaps.every(({ version }) => hasText(filter, [version]));
    return key === 'creator' ? isMadeBy(filter, set) : hasText(filter, SET_TEXTS[key](set));
  });
}

/** A number of a set or a difficulty, and the function that reads it, which returns null for an unknown number. */
type Figure<Read> = readonly [RangeKey, Read];

/** The numbers of a set by which people can search. The catalogue has a column of each name. */
export const SET_FIGURES: readonly Figure<(set: Beatmapset) => number | null>[] = [
  ['favourites', set => set.favourite_count],
  ['status', set => statusNumber(set.status)],
  ['created', set => dateMs(set.submitted_date)],
  ['updated', set => dateMs(set.last_updated)],
  ['ranked', set => (hasLeaderboard(set) ? dateMs(set.ranked_date) : null)],
  ['year', yearOf],
];

export const BEATMAP_FIGURES: readonly Figure<(beatmap: Beatmap, set: Beatmapset) => number | null>[] = [
  ['stars', beatmap => beatmap.difficulty_rating],
  ['ar', beatmap => beatmap.ar],
  ['od', beatmap => beatmap.od],
  ['cs', beatmap => beatmap.cs],
  ['hp', beatmap => beatmap.hp],
  ['bpm', (beatmap, set) => beatmap.bpm ?? set.bpm],
  ['length', beatmap => beatmap.total_length],
  ['circles', beatmap => beatmap.count_circles],
  ['sliders', beatmap => beatmap.count_sliders],
  ['keys', beatmap => (beatmap.mode === 'mania' ? beatmap.cs : null)],
];

function matchesSet(query: Query, set: Beatmapset): boolean {
  const { texts, featuredArtist, genre, language, video, nsfw, spotlight } = query;
  return (
    // No field of a set tells its featured artist, so no set matches a condition on it.
    featuredArtist === undefined &&
    (genre === undefined || set.genre_id === genre) &&
    (language === undefined || set.language_id === language) &&
    (video === undefined || set.video === video) &&
    (nsfw === undefined || set.nsfw === nsfw) &&
    (spotlight === undefined || (set.spotlight ?? false) === spotlight) &&
    SET_FIGURES.every(([key, read]) => isWithin(query.ranges[key], () => read(set))) &&
    SET_TEXT_KEYS.every(key => hasText(texts[key], SET_TEXTS[key](set))) &&
    (texts.creator === undefined || isMadeBy(texts.creator, set)) &&
    query.tags.every(tag => hasText(tag, SET_TEXTS.tag(set)))
  );
}

const SET_TEXT_KEYS = ['artist', 'title', 'source'] as const satisfies readonly TextKey[];

const SET_TEXTS = {
  artist: set => [set.artist, set.artist_unicode],
  title: set => [set.title, set.title_unicode],
  source: set => [set.source],
  // Searches' answers do not contain the tags that players gave, so the mapper's own tags are used.
  tag: set => [set.tags],
} satisfies Readonly<Record<string, (set: Beatmapset) => readonly (string | null)[]>>;

/** True when the fields have all words of the filter, or its phrase. A text without letters is compared as it is. */
function hasText(filter: TextFilter | undefined, fields: readonly (string | null)[]): boolean {
  if (filter === undefined) return true;
  const needles = filterNeedles(filter);
  if (needles.length === 0) return fields.some(field => field?.includes(filter.text) === true);
  const haystack = haystackOf(fields);
  return needles.every(needle => hasNeedle(haystack, needle));
}

/** The words or the phrase of a text filter, ready for searching; empty for a filter without letters and digits. */
export function filterNeedles({ text, isPhrase }: TextFilter): readonly Needle[] {
  if (!isPhrase) return needlesOf(text.replaceAll('"', ' '));
  const folded = foldText(text);
  return folded === '' ? [] : [{ text: folded, isWhole: true }];
}

/**
 * True when the filter is the name or id of a mapper of the set or a difficulty, or words of the set's mapper's name.
 */
function isMadeBy(filter: TextFilter, set: Beatmapset): boolean {
  const name = foldPlayerName(filter.text);
  const id = /^\d+$/.test(filter.text) ? Number(filter.text) : undefined;
  if (foldPlayerName(set.creator) === name || (id !== undefined && set.user_id === id)) return true;
  const isOwner = (owner: { readonly id: number; readonly username: string }) =>
    owner.id === id || foldPlayerName(owner.username) === name;
  return set.beatmaps.some(beatmap => beatmap.owners.some(isOwner)) || hasText(filter, [set.creator]);
}

function matchesBeatmap(query: Query, set: Beatmapset): boolean {
  const { ranges, texts, ruleset } = query;
  const asked = BEATMAP_FIGURES.filter(([key]) => ranges[key] !== undefined);
  if (ruleset === undefined && texts.difficulty === undefined && asked.length === 0) return true;
  return set.beatmaps.some(
    beatmap =>
      (ruleset === undefined || beatmap.mode === ruleset) &&
      asked.every(([key, read]) => isWithin(ranges[key], () => read(beatmap, set))) &&
      hasText(texts.difficulty, [beatmap.version]),
  );
}

export function isWithin(range: Range | undefined, read: () => number | null): boolean {
  if (range === undefined) return true;
  const value = read();
  if (value === null) return false;
  return (range.gte === undefined || value >= range.gte) && (range.lt === undefined || value < range.lt);
}

function matchesText(text: string, set: Beatmapset, words: 'all' | 'any'): boolean {
  const needles = needlesOf(text);
  if (needles.length === 0) return true;
  const haystack = haystackOf(searchedFields(set));
  const has = (needle: Needle) => hasNeedle(haystack, needle) || needle.text === String(set.id);
  return words === 'all' ? needles.every(has) : needles.some(has);
}

/** A word of at least 5 letters may have one mistake, a word of at least 9 letters two. */
const FORGIVEN = [5, 9] as const;
/** The most words that are compared for mistakes; a longer query is hardly a mistyped name. */
const MAX_MISTYPED = 16;
const MAX_COMPARED = 1_000;
const MAX_LETTERS = 24;

/**
 * True when a set fits a query's filters and has at least one of its words, which may be mistyped or a part of a longer
 * word. Sites that forgive typing mistakes answer with such sets.
 */
export function matchesNearly(query: Query, set: Beatmapset): boolean {
  if (!matches({ ...query, text: '' }, set)) return false;
  const haystack = haystackOf(searchedFields(set));
  const words = [...new Set(haystack.split(' '))].slice(0, MAX_COMPARED);
  return needlesOf(query.text)
    .slice(0, MAX_MISTYPED)
    .some(({ text }) => {
      if (haystack.includes(text)) return true;
      const most = FORGIVEN.filter(letters => text.length >= letters && text.length <= MAX_LETTERS).length;
      const isMeant = (word: string) => wordDistance(text, word, { most, isBeginningEnough: true }) !== undefined;
      return most > 0 && words.some(word => word !== '' && isMeant(word));
    });
}

function searchedFields(set: Beatmapset): readonly (string | null)[] {
  const { artist, artist_unicode, title, title_unicode, creator, source, tags, beatmaps } = set;
  return [
    ...[artist, artist_unicode, title, title_unicode, creator, source, tags],
    ...beatmaps.flatMap(({ version, owners }) => [version, ...owners.map(owner => owner.username)]),
  ];
}

/** The year in which a set was ranked, or submitted if it never was. */
export function yearOf(set: Beatmapset): number | null {
  const date = dateMs(set.ranked_date) ?? dateMs(set.submitted_date);
  return date === null ? null : new Date(date).getUTCFullYear();
}

/** A date as unix milliseconds; null when it cannot be read. */
export function dateMs(date: string | null): number | null {
  const ms = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(ms) ? null : ms;
}
