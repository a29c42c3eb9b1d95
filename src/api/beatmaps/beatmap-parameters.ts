/** The parameters of the beatmap endpoints. Many values have several spellings: `fruits` and `ctb` are one ruleset. */

import * as z from 'zod';
import { parseRuleset, RULESETS } from '../../beatmaps/model/beatmapset.ts';
import { SCORE_TYPES } from '../../beatmaps/model/score.ts';
import { parseQuery, type RangeKey } from '../../beatmaps/query/query.ts';
import { parseSort, parseStatusFilter, SORT_FIELDS, STATUS_FILTERS } from '../../beatmaps/query/query-words.ts';
import { USER_BEATMAP_TYPES } from '../../beatmaps/upstreams/osu-players-api.ts';

const MAX_LIMIT = 50;
const MODE_WORDS = 'osu (std, 0), taiko (1), fruits (catch, ctb, 2) or mania (3)';

/** The most characters of a parameter, except of `q`, which the search itself limits. */
const MAX_CHARS = 2_048;

type Meta = { readonly description: string; readonly example?: string; readonly enum?: readonly string[] };

/** A parameter with one value. A parameter that is sent twice arrives as a list and is refused. */
function plainText(missing: string) {
  return z.string({ error: ({ input }) => (input === undefined ? missing : 'must be sent once') });
}

/** An optional parameter. An empty value counts as absent. If `read` returns undefined, the error says `allowed`. */
export function word<T>(read: (text: string) => T | undefined, allowed: string, meta: Meta) {
  return plainText('')
    .meta(meta)
    .transform((text, context): T | undefined => {
      const plain = text.trim();
      if (plain === '') return undefined;
      const value = plain.length > MAX_CHARS ? undefined : read(plain);
      if (value === undefined) context.addIssue({ code: 'custom', message: `must be ${allowed}` });
      return value;
    })
    .optional();
}

/** Makes a reader of these words. It accepts any letter case, and spaces or dashes in place of underscores. */
function oneOf<const T extends string>(words: readonly T[]): (text: string) => T | undefined {
  return text => {
    const plain = text
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
      .replace('favorite', 'favourite');
    return words.find(each => each === plain);
  };
}

function list(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const text = (what: string, meta: Meta) =>
  plainText(`is missing: it must be ${what}`)
    .trim()
    .min(1, `must be ${what}`)
    .max(MAX_CHARS, `must be ${what}, at most ${MAX_CHARS} characters long`)
    .meta(meta);

export const mode = (description: string) =>
  word(parseRuleset, MODE_WORDS, { description: `${description} ${MODE_WORDS}.`, enum: RULESETS });

/** How many entries an answer has when the caller does not say. */
export const USUAL_LIMIT = 20;

export const limit = word(
  value => (/^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT ? Number(value) : undefined),
  `a whole number from 1 to ${MAX_LIMIT}`,
  { description: `How many, 1 to ${MAX_LIMIT}; ${USUAL_LIMIT} when left out.` },
);

const cursor = word(value => value, 'the cursor of an earlier answer', {
  description: 'Of the answer before, for the page after it. The other parameters stay as they were.',
});

/** A condition of the search language for a range such as `5-6`; undefined when the value is no range. */
function readRange(key: RangeKey, value: string): string | undefined {
  if (!/^[\d.:hms-]{1,40}$/i.test(value)) return undefined;
  const filter = `${key}=${value}`;
  const query = parseQuery(filter);
  const range = query.ranges[key];
  if (range === undefined || query.text !== '') return undefined;
  const { gte, lt } = range;
  return gte !== undefined && lt !== undefined && gte >= lt ? undefined : filter;
}

function range(key: RangeKey, what: string, example = '5-6') {
  return word(value => readRange(key, value), 'a number or a range like 5-6, 5- or -6, the lower end first', {
    description: `${what}: a number, or a range like ${example}, both ends included.`,
  });
}

const ranges = {
  stars: range('stars', 'Stars'),
  ar: range('ar', 'Approach rate'),
  od: range('od', 'Overall difficulty'),
  cs: range('cs', 'Circle size'),
  hp: range('hp', 'HP drain'),
  keys: range('keys', 'Number of keys in mania'),
  bpm: range('bpm', 'Beats a minute', '170-190'),
  length: range('length', 'Length in seconds, or like 1:30 and 2m', '90-180'),
  circles: range('circles', 'Number of circles', '100-400'),
  sliders: range('sliders', 'Number of sliders', '100-400'),
  favourites: range('favourites', 'Number of favourites', '100-'),
  year: range('year', 'Year of the ranking', '2015-2020'),
};

export const searchQuery = z.object({
  q: plainText('').optional().meta({
    description:
      'Words and filters of osu!’s search language, like stars>6 or artist="…". A plus is a space. Without it the most played sets are listed.',
    example: 'stars>5 length<120',
  }),
  mode: mode('Only sets with difficulties of this mode:'),
  status: word(parseStatusFilter, list(STATUS_FILTERS), {
    description: `${list(STATUS_FILTERS)}. When left out: leaderboard, or any where q speaks of a status.`,
    enum: STATUS_FILTERS,
  }),
  sort: word(parseSort, `${list(SORT_FIELDS)}, with _asc or _desc`, {
    description: `${list(SORT_FIELDS)}, with _asc or _desc (the default). When left out: relevance, or plays without words.`,
    enum: SORT_FIELDS.flatMap(field => [field, `${field}_asc`, `${field}_desc`]),
  }),
  ...ranges,
  limit,
  cursor,
  source: word(oneOf(['local']), 'local, or left out', {
    description: 'local: answer from this server’s own catalogue, without asking osu! or a mirror.',
    enum: ['local'],
  }),
});

export type SearchParameters = z.output<typeof searchQuery>;

/** Joins the conditions of all parameters. The free text is last: an unclosed quote in it would swallow the rest. */
export function wholeQuery(parameters: SearchParameters): string {
  const filters = Object.entries(parameters).flatMap(([name, value]) =>
    name in ranges && typeof value === 'string' ? [value] : [],
  );
  return [...filters, parameters.q ?? ''].join(' ').trim();
}

export const PLAYER_FORMS = 'a player’s name, @name, number or profile link';

const user = text(PLAYER_FORMS, { description: 'Name (Some_Name), @name, number or profile link.' });

export const userQuery = z.object({ user, mode: mode('Whose statistics; what the player plays most when left out:') });

export const userScoresQuery = z.object({
  user,
  type: word(oneOf(SCORE_TYPES), list(SCORE_TYPES), {
    description: `${list(SCORE_TYPES)}; best when left out.`,
    enum: SCORE_TYPES,
  }),
  mode: mode('What the player plays most when left out:'),
  limit,
  cursor,
});

export const userBeatmapsQuery = z.object({
  user,
  type: word(oneOf(USER_BEATMAP_TYPES), list(USER_BEATMAP_TYPES), {
    description: `${list(USER_BEATMAP_TYPES)}; ranked when left out.`,
    enum: USER_BEATMAP_TYPES,
  }),
  limit,
  cursor,
});

export const SET_FORMS = 'a set’s number, a difficulty’s number or any osu! link of them';

export const downloadQuery = z.object({
  id: text(SET_FORMS, { description: `${SET_FORMS.replace(/^a/, 'A')}, percent-encoded.` }),
});
