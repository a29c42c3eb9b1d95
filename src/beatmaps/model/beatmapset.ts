/**
 * Beatmaps from any upstream. The names are the osu! API's, which Medley's HTTP API uses too; a field that an upstream
 * does not state is null. Types, stored copies and the API's schema are derived from the schemas below.
 */
import * as z from 'zod';

export const RULESETS = ['osu', 'taiko', 'fruits', 'mania'] as const;
export type Ruleset = (typeof RULESETS)[number];
export const rulesetSchema = z.enum(RULESETS).meta({ id: 'Ruleset' });

/** The statuses in the order of the osu! API's numbers, from -2 to 4. */
export const STATUSES = ['graveyard', 'wip', 'pending', 'ranked', 'approved', 'qualified', 'loved'] as const;
export type Status = (typeof STATUSES)[number];

const text = z.string().nullable();
const number = z.number().nullable();
const moment = z.string().nullable().meta({ description: 'ISO 8601, UTC.' });

/** One difficulty. Its fields are stored in this order: new ones are added at the end, and none is ever removed. */
export const beatmapSchema = z.object({
  id: z.number(),
  beatmapset_id: z.number(),
  mode: rulesetSchema,
  status: z.enum(STATUSES),
  version: z.string().meta({ description: 'Name of the difficulty.' }),
  difficulty_rating: z.number().meta({ description: "Stars without mods, by the upstream's own figures." }),
  total_length: z.number().meta({ description: 'In seconds.' }),
  hit_length: number.meta({ description: 'Without breaks. In seconds.' }),
  bpm: number,
  ar: number.meta({ description: 'Approach rate.' }),
  od: number.meta({ description: 'Overall difficulty (OD).' }),
  cs: number.meta({ description: 'Circle size; the number of keys in mania.' }),
  hp: number.meta({ description: 'HP drain.' }),
  max_combo: number,
  count_circles: number,
  count_sliders: number,
  count_spinners: number,
  playcount: number,
  passcount: number,
  checksum: text,
  owners: z
    .array(z.object({ id: z.number(), username: z.string() }).readonly())
    .readonly()
    .meta({ description: 'Mappers of this difficulty; several when it was made together.' }),
  user_id: number,
});

export type Beatmap = Readonly<z.infer<typeof beatmapSchema>>;

/** The fields of a set, without its difficulties, with their names in the osu! API. */
export const beatmapsetFields = z.object({
  id: z.number(),
  artist: z.string(),
  artist_unicode: text,
  title: z.string(),
  title_unicode: text,
  creator: z.string().meta({ description: "The mapper's name." }),
  user_id: number.meta({ description: "The mapper's number." }),
  source: z.string(),
  tags: z.string().meta({ description: "The mapper's tags, space separated." }),
  status: z.enum(STATUSES),
  bpm: number,
  favourite_count: number,
  play_count: number,
  rating: number.meta({ description: '0 to 10.' }),
  nsfw: z.boolean(),
  video: z.boolean(),
  storyboard: z.boolean().nullable(),
  genre_id: number,
  language_id: number,
  submitted_date: moment,
  last_updated: moment,
  ranked_date: moment,
  preview_url: z.string(),
});

/** Sets are stored by the order of these fields: a new field comes just before `beatmaps`, none is ever removed. */
export const beatmapsetSchema = beatmapsetFields.extend({
  /** Null when the upstream does not state it, as in lists of plays. */
  download_disabled: z.boolean().nullable(),
  download_disabled_reason: text,
  cover_url: z.string(),
  card_url: z.string(),
  list_url: z.string(),
  /**
   * True when osu! put the set in a spotlight; null when that is unknown, as in sets that an older version of Medley
   * stored.
   */
  spotlight: z.boolean().nullable().default(null),
  /** The difficulties without converts, by ruleset, then the easiest first; empty if the upstream states none. */
  beatmaps: z.array(beatmapSchema.readonly()).readonly(),
});

export type Beatmapset = Readonly<z.infer<typeof beatmapsetSchema>>;

/** The osu! API's number for a status: -2 (graveyard) to 4 (loved). */
export function statusNumber(status: Status): number {
  return STATUSES.indexOf(status) - 2;
}

/** The status of that number; `graveyard` for an unknown number. */
export function statusOf(number: number): Status {
  return STATUSES[number + 2] ?? 'graveyard';
}

/** The statuses of maps with a leaderboard: ranked and approved ones, which give pp, and loved ones, which do not. */
export const LEADERBOARD: readonly Status[] = ['ranked', 'approved', 'loved'];

export function hasLeaderboard({ status }: Pick<Beatmapset, 'status'>): boolean {
  return LEADERBOARD.includes(status);
}

/** The stars of the easiest and the hardest difficulty, of one ruleset or of all; null if there is no difficulty. */
export function starRange(set: Beatmapset, ruleset?: Ruleset): { readonly min: number; readonly max: number } | null {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const beatmap of set.beatmaps) {
    if (ruleset !== undefined && beatmap.mode !== ruleset) continue;
    min = Math.min(min, beatmap.difficulty_rating);
    max = Math.max(max, beatmap.difficulty_rating);
  }
  return min > max ? null : { min, max };
}

/** Sorts difficulties by ruleset, and the easiest first within each. */
export function orderBeatmaps(beatmaps: readonly Beatmap[]): readonly Beatmap[] {
  return [...beatmaps].sort(
    (a, b) =>
      RULESETS.indexOf(a.mode) - RULESETS.indexOf(b.mode) || a.difficulty_rating - b.difficulty_rating || a.id - b.id,
  );
}

/** Names that players use for the rulesets, in lower case. */
const ALIASES: ReadonlyMap<string, Ruleset> = new Map<string, Ruleset>([
  ...['osu', 'osu!', 'std', 'standard', 'osu!standard', 'o', 's', '0'].map(word => [word, 'osu'] as const),
  ...['taiko', 'osu!taiko', 't', 'tko', '1'].map(word => [word, 'taiko'] as const),
  ...['fruits', 'osu!catch', 'catch', 'ctb', 'c', 'fruit', 'f', '2'].map(word => [word, 'fruits'] as const),
  ...['mania', 'osu!mania', 'm', 'mna', 'keys', '4k', '7k', '3'].map(word => [word, 'mania'] as const),
]);

/** The ruleset for a word: a name, an alias or the osu! API's number; undefined for any other word. */
export function parseRuleset(text: string): Ruleset | undefined {
  return ALIASES.get(text.trim().toLowerCase());
}

/** The osu! API's number of a ruleset, 0 to 3. */
export function rulesetNumber(ruleset: Ruleset): number {
  return RULESETS.indexOf(ruleset);
}
