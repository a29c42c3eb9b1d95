/** The answers of the beatmap endpoints. Field names are the osu! API's; a value that no upstream stated is null. */
import * as z from 'zod';
import { beatmapSchema, beatmapsetFields, rulesetSchema } from '../../beatmaps/model/beatmapset.ts';
import { MIRROR_IDS } from '../../beatmaps/upstreams/mirror-sites.ts';

const text = z.string().nullable();
const number = z.number().nullable();
const moment = z.string().nullable().meta({ description: 'ISO 8601, UTC.' });
const mode = rulesetSchema;
const ranked = z
  .number()
  .int()
  .meta({ description: 'The status as the osu! API’s number, -2 (graveyard) to 4 (loved).' });
const seconds = (description: string) => number.meta({ description: `${description} In seconds.` });
const cursor = text.meta({ description: 'For the next page, with the same other parameters. Null on the last.' });

export const beatmap = beatmapSchema
  .omit({ od: true, hp: true })
  .extend({
    mode_int: z.number().int(),
    ranked,
    accuracy: beatmapSchema.shape.od,
    drain: beatmapSchema.shape.hp,
    url: z.string(),
  })
  .strict()
  .meta({ id: 'Beatmap', description: 'One difficulty.' });

export const coreSet = beatmapsetFields
  .extend({
    ranked,
    availability: z.strictObject({ download_disabled: z.boolean().nullable(), more_information: text }),
    covers: z.strictObject({ cover: z.string(), card: z.string(), list: z.string() }),
    url: z.string(),
  })
  .strict()
  .meta({ id: 'BeatmapsetSummary', description: 'A set, without its difficulties.' });

const beatmapset = coreSet
  .extend({ beatmaps: z.array(beatmap).meta({ description: 'Difficulties, easiest first within a mode.' }) })
  .meta({ id: 'Beatmapset', description: 'A set with its difficulties.' });

export const searchAnswer = z
  .strictObject({
    beatmapsets: z.array(beatmapset),
    total: number.meta({ description: 'Of all pages. Null when unknown.' }),
    total_at_least: z.number().optional().meta({
      description: 'So many there are at least. Only where the local catalogue was not looked through to its end.',
    }),
    cursor,
  })
  .meta({ description: 'One page of sets.' });

const playedSet = beatmapset
  .extend({
    count: z.number().optional().meta({ description: 'How often the player played it. Only in most_played.' }),
    beatmap_id: number.optional().meta({ description: 'The difficulty that was played. Only in most_played.' }),
  })
  .meta({ id: 'PlayerBeatmapset', description: 'A set of the list.' });

export const userBeatmapsAnswer = z
  .strictObject({ beatmapsets: z.array(playedSet), cursor })
  .meta({ description: 'One page of a player’s sets.' });

const counts = z.record(z.string(), z.number());

const score = z
  .strictObject({
    id: z.number(),
    user_id: number,
    user: z.strictObject({ id: number, username: z.string() }).nullable(),
    mode,
    ruleset_id: z.number().int(),
    beatmap_id: number,
    accuracy: z.number().meta({ description: '0 to 1.' }),
    max_combo: z.number(),
    total_score: number,
    classic_total_score: number,
    legacy_total_score: number.meta({ description: 'What the stable client showed.' }),
    legacy_score_id: number,
    best_id: number,
    pp: number,
    rank: z.string().meta({ description: 'XH X SH S A B C D F.' }),
    mods: z.array(z.strictObject({ acronym: z.string(), settings: z.record(z.string(), z.unknown()).optional() })),
    statistics: counts.meta({ description: 'Counts by hit result; zeros may be left out.' }),
    maximum_statistics: counts,
    passed: z.boolean(),
    is_perfect_combo: z.boolean(),
    ended_at: moment,
    weight: z
      .strictObject({ percentage: z.number(), pp: z.number() })
      .nullable()
      .meta({ description: 'Share that counts for the player. Only in best.' }),
    beatmap: beatmap
      .extend({ convert: z.boolean().meta({ description: 'A map of osu! as it is in `mode`, another ruleset.' }) })
      .meta({ id: 'PlayedBeatmap', description: 'The difficulty of a play.' })
      .nullable(),
    beatmapset: coreSet.nullable().meta({ description: 'The set, without its difficulties.' }),
  })
  .meta({ id: 'Score', description: 'One play.' });

export const userScoresAnswer = z
  .strictObject({ scores: z.array(score), cursor })
  .meta({ description: 'One page of a player’s plays.' });

const whole = z.number();

const statistics = z
  .strictObject({
    global_rank: number,
    country_rank: number,
    pp: number,
    hit_accuracy: number.meta({ description: '0 to 100.' }),
    play_count: number,
    play_time: seconds('Time played.'),
    ranked_score: number,
    total_score: number,
    total_hits: number,
    maximum_combo: number,
    replays_watched_by_others: number,
    level: z.strictObject({ current: whole, progress: whole }).nullable(),
    grade_counts: z.strictObject({ ss: whole, ssh: whole, s: whole, sh: whole, a: whole }).nullable(),
    variants: z
      .array(z.strictObject({ variant: z.string(), pp: number, global_rank: number, country_rank: number }))
      .meta({ description: 'Ranks by number of keys. Only in mania.' }),
  })
  .meta({ id: 'UserStatistics' });

const user = z
  .strictObject({
    id: z.number(),
    username: z.string(),
    url: z.string(),
    avatar_url: z.string(),
    cover_url: text,
    country_code: text,
    country: z.strictObject({ code: z.string(), name: z.string() }).nullable(),
    playmode: mode.meta({ description: 'What the player plays most.' }),
    mode: mode.meta({ description: 'What statistics and rank_history speak of.' }),
    is_supporter: z.boolean(),
    is_online: z.boolean(),
    is_bot: z.boolean(),
    join_date: moment,
    last_visit: moment,
    title: text,
    previous_usernames: z.array(z.string()),
    playstyle: z.array(z.string()),
    team: z.strictObject({ id: number, name: z.string(), short_name: text }).nullable(),
    groups: z.array(z.strictObject({ name: z.string(), short_name: text })),
    follower_count: number,
    mapping_follower_count: number,
    scores_first_count: number,
    beatmap_playcounts_count: number,
    favourite_beatmapset_count: number,
    graveyard_beatmapset_count: number,
    guest_beatmapset_count: number,
    loved_beatmapset_count: number,
    nominated_beatmapset_count: number,
    pending_beatmapset_count: number,
    ranked_beatmapset_count: number,
    achievement_count: number,
    rank_highest: z.strictObject({ rank: z.number(), updated_at: moment }).nullable(),
    rank_history: z
      .strictObject({ mode, data: z.array(z.number()) })
      .nullable()
      .meta({ description: 'Global rank of the last days, oldest first.' }),
    monthly_playcounts: z.array(z.strictObject({ start_date: z.string(), count: z.number() })),
    statistics: statistics.nullable(),
  })
  .meta({ id: 'User' });

export const userAnswer = z.strictObject({ user }).meta({ description: 'One player’s profile.' });

export const downloadAnswer = z
  .strictObject({
    id: z.number().meta({ description: 'Of the set.' }),
    available: z.boolean(),
    reason: text.meta({ description: 'Why it is not available, in the words of osu!.' }),
    addresses: z
      .array(
        z.strictObject({
          source: z.enum([...MIRROR_IDS, 'osu']).meta({ description: 'osu: the set’s page, where a login is needed.' }),
          state: z.enum(['answering', 'failing', 'unknown']).meta({
            description: 'How the mirror did when it was last asked; unknown: it was not asked yet, and of osu’s page.',
          }),
          video: z.boolean().meta({ description: 'Whether the file holds the set’s video.' }),
          url: z.string(),
        }),
      )
      .meta({ description: 'Best first.' }),
  })
  .meta({ description: 'Where the set’s .osz file can be had.' });
