/** Players, with the osu! API's names. A field that the API does not state is null. */
import * as z from 'zod';
import { RULESETS, type Ruleset } from './beatmapset.ts';
import { userPage } from './link.ts';
import { date, field, httpsUrl, id, isSet, list, number, numberOrZero, part, ruleset, text } from './osu-fields.ts';

const whole = z.number();

/** Reads a count, which answers from 2019 state as a list with one number. */
const count = field(value => number.parse(Array.isArray(value) ? value[0] : value));

/** The accuracy from 0 to 100, with four decimals. Some answers state it as a share of 1 under another name. */
function percentOf(hit_accuracy: number | null, accuracy: number | null): number | null {
  return hit_accuracy ?? (accuracy === null ? null : Math.round(accuracy * 1e6) / 1e4);
}

/** A player's record in the daily challenge of osu!lazer; streaks are counted in days and in weeks. */
const dailyChallenge = z.object({
  daily_streak_current: numberOrZero,
  daily_streak_best: numberOrZero,
  weekly_streak_current: numberOrZero,
  weekly_streak_best: numberOrZero,
  playcount: numberOrZero,
  top_10p_placements: numberOrZero,
  top_50p_placements: numberOrZero,
  last_update: date,
});

const statistics = z
  .object({
    global_rank: number,
    country_rank: number,
    /** The two ranks as older answers state them. */
    rank: part(z.object({ global: number, country: number })),
    pp: number,
    hit_accuracy: number,
    accuracy: number,
    play_count: number,
    /** The play time in seconds. */
    play_time: number,
    ranked_score: number,
    total_score: number,
    total_hits: number,
    maximum_combo: number,
    replays_watched_by_others: number,
    /** The level. `progress` is how many percent of the way to the next level are done. */
    level: part(z.object({ current: whole, progress: whole })),
    grade_counts: part(z.object({ ss: whole, ssh: whole, s: whole, sh: whole, a: whole })),
    /** In mania, the ranks for each number of keys. */
    variants: list(z.object({ variant: z.string(), pp: number, global_rank: number, country_rank: number })),
  })
  .transform(({ rank, accuracy, global_rank, country_rank, hit_accuracy, ...fields }) => ({
    ...fields,
    global_rank: global_rank ?? rank?.global ?? null,
    country_rank: country_rank ?? rank?.country ?? null,
    hit_accuracy: percentOf(hit_accuracy, accuracy),
  }));

/** A player's statistics in one ruleset. */
export type PlayerStatistics = Readonly<z.output<typeof statistics>>;

const history = part(z.object({ mode: ruleset, data: list(whole) }));

const playerShape = z.object({
  id,
  username: text,
  avatar_url: text,
  cover_url: text,
  cover: part(z.object({ url: text })),
  country: part(z.object({ code: z.string(), name: z.string() })),
  country_code: text,
  playmode: ruleset,
  user_achievements: part(z.array(z.unknown())),
  rank_history: history,
  rankHistory: history,
  is_supporter: isSet,
  is_online: isSet,
  is_bot: isSet,
  join_date: date,
  last_visit: date,
  title: text,
  previous_usernames: list(z.string()),
  playstyle: list(z.string()),
  team: part(z.object({ id, name: z.string(), short_name: text })),
  groups: list(z.object({ name: z.string(), short_name: text })),
  follower_count: count,
  mapping_follower_count: count,
  scores_first_count: count,
  beatmap_playcounts_count: count,
  favourite_beatmapset_count: count,
  graveyard_beatmapset_count: count,
  guest_beatmapset_count: count,
  loved_beatmapset_count: count,
  nominated_beatmapset_count: count,
  pending_beatmapset_count: count,
  ranked_beatmapset_count: count,
  /** The names that older answers use for `pending_beatmapset_count` and `ranked_beatmapset_count`. */
  unranked_beatmapset_count: count,
  ranked_and_approved_beatmapset_count: count,
  rank_highest: part(z.object({ rank: whole, updated_at: date })),
  monthly_playcounts: list(z.object({ start_date: z.string(), count: numberOrZero })),
  statistics: part(statistics),
  daily_challenge_user_stats: part(dailyChallenge),
});

export type Player = Readonly<NonNullable<ReturnType<typeof parsePlayer>>>;

/** Folds a name so that all spellings that osu! takes for the same name are equal: other case, `_` for a space. */
export function foldPlayerName(name: string): string {
  return name.toLowerCase().replaceAll('_', ' ');
}

/** Reads a profile; undefined when the value is no profile. `mode` is the ruleset that was asked for, if any. */
export function parsePlayer(value: unknown, mode?: Ruleset) {
  const raw = playerShape.safeParse(value).data;
  if (raw === undefined || raw.id === null || raw.username === null) return undefined;
  const { unranked_beatmapset_count: pending, ranked_and_approved_beatmapset_count: ranked, ...current } = raw;
  const { cover, country_code: code, user_achievements, rank_history, rankHistory, ...fields } = current;
  const playmode = raw.playmode ?? 'osu';
  const ranks = rank_history ?? rankHistory;
  return {
    ...fields,
    id: raw.id,
    username: raw.username,
    url: userPage(raw.id),
    avatar_url: httpsUrl(raw.avatar_url) ?? `https://a.ppy.sh/${raw.id}`,
    cover_url: httpsUrl(cover?.url ?? raw.cover_url),
    country: raw.country ?? (code === null ? null : { code, name: code }),
    /** The player's main ruleset, as their profile states it. */
    playmode,
    /** The ruleset of `statistics` and `rank_history`. */
    mode: mode ?? ranks?.mode ?? playmode,
    pending_beatmapset_count: raw.pending_beatmapset_count ?? pending,
    ranked_beatmapset_count: raw.ranked_beatmapset_count ?? ranked,
    achievement_count: user_achievements?.length ?? null,
    /** The player's global ranks on up to 90 past days, oldest first. */
    rank_history: ranks?.data ?? [],
  };
}

const standing = part(
  z
    .object({ pp: number, global_rank: number, hit_accuracy: number, accuracy: number })
    .transform(({ accuracy, hit_accuracy, ...fields }) => ({
      ...fields,
      hit_accuracy: percentOf(hit_accuracy, accuracy),
    })),
);
const standingsShape = z.object({
  id,
  username: text,
  country_code: text,
  statistics_rulesets: part(z.object({ osu: standing, taiko: standing, fruits: standing, mania: standing })),
});

/** A player's pp, rank and accuracy in one ruleset. */
export type Standing = Readonly<NonNullable<z.output<typeof standing>>>;

export type PlayerStandings = Readonly<NonNullable<ReturnType<typeof parsePlayerStandings>>>;

/** Reads one player of `GET /users?ids[]=`; undefined when the value is no player. */
export function parsePlayerStandings(value: unknown) {
  const raw = standingsShape.safeParse(value).data;
  if (raw === undefined || raw.id === null || raw.username === null) return undefined;
  const { id, username, country_code, statistics_rulesets: given } = raw;
  const known = RULESETS.flatMap(ruleset => (given?.[ruleset] ? [[ruleset, given[ruleset]] as const] : []));
  // Rulesets that the player has never played are missing.
  const standings: Readonly<Partial<Record<Ruleset, Standing>>> = Object.fromEntries(known);
  return { id, username, country_code, standings };
}

const rankedShape = z.object({
  pp: number,
  global_rank: number,
  hit_accuracy: number,
  accuracy: number,
  user: part(z.object({ id, username: text, country_code: text })),
});

/** One player in the ranking of the world or of a country. */
export type RankedPlayer = Readonly<NonNullable<ReturnType<typeof parseRankedPlayer>>>;

/** Reads one line of `GET /rankings/{ruleset}/performance`; undefined when the value is no such line. */
export function parseRankedPlayer(value: unknown) {
  const line = rankedShape.safeParse(value).data;
  const user = line?.user;
  if (line === undefined || line.pp === null || user?.id == null || user.username === null) return undefined;
  const { id, username, country_code } = user;
  const { pp, global_rank, hit_accuracy, accuracy } = line;
  return { id, username, country_code, global_rank, hit_accuracy: percentOf(hit_accuracy, accuracy), pp };
}
