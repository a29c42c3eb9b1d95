import * as z from 'zod';
import { RULESETS, type Ruleset } from './beatmapset.ts';
import { date, flag, id, list, number, part, ruleset, text } from './osu-fields.ts';

/** A player's profile; names follow the osu! API's. What it did not say is null. */

export interface PlayerStatistics {
  readonly global_rank: number | null;
  readonly country_rank: number | null;
  readonly pp: number | null;
  /** 0 to 100. */
  readonly hit_accuracy: number | null;
  readonly play_count: number | null;
  /** Seconds. */
  readonly play_time: number | null;
  readonly ranked_score: number | null;
  readonly total_score: number | null;
  readonly total_hits: number | null;
  readonly maximum_combo: number | null;
  readonly replays_watched_by_others: number | null;
  /** `progress`: percent of the way to the next. */
  readonly level: { readonly current: number; readonly progress: number } | null;
  readonly grade_counts: Readonly<Record<'ss' | 'ssh' | 's' | 'sh' | 'a', number>> | null;
  /** Ranks by number of keys, mania alone. */
  readonly variants: readonly {
    readonly variant: string;
    readonly pp: number | null;
    readonly global_rank: number | null;
    readonly country_rank: number | null;
  }[];
}

export interface Player {
  readonly id: number;
  readonly username: string;
  /** The profile's page. */
  readonly url: string;
  readonly avatar_url: string;
  readonly cover_url: string | null;
  readonly country: { readonly code: string; readonly name: string } | null;
  /** The ruleset played most. */
  readonly playmode: Ruleset;
  /** What `statistics` and `rank_history` speak of. */
  readonly mode: Ruleset;
  readonly is_supporter: boolean;
  readonly is_online: boolean;
  readonly is_bot: boolean;
  /** ISO 8601, UTC. */
  readonly join_date: string | null;
  readonly last_visit: string | null;
  readonly title: string | null;
  readonly previous_usernames: readonly string[];
  readonly playstyle: readonly string[];
  readonly team: { readonly id: number | null; readonly name: string; readonly short_name: string | null } | null;
  readonly groups: readonly { readonly name: string; readonly short_name: string | null }[];
  readonly follower_count: number | null;
  readonly mapping_follower_count: number | null;
  readonly scores_first_count: number | null;
  readonly beatmap_playcounts_count: number | null;
  readonly favourite_beatmapset_count: number | null;
  readonly graveyard_beatmapset_count: number | null;
  readonly guest_beatmapset_count: number | null;
  readonly loved_beatmapset_count: number | null;
  readonly nominated_beatmapset_count: number | null;
  readonly pending_beatmapset_count: number | null;
  readonly ranked_beatmapset_count: number | null;
  readonly achievement_count: number | null;
  readonly rank_highest: { readonly rank: number; readonly updated_at: string | null } | null;
  /** Global rank of the last days, oldest first, at most 90. */
  readonly rank_history: readonly number[];
  readonly monthly_playcounts: readonly { readonly start_date: string; readonly count: number }[];
  readonly statistics: PlayerStatistics | null;
}

const whole = z.number();
const statistics = z.looseObject({
  global_rank: number,
  country_rank: number,
  rank: part(z.looseObject({ country: number })),
  pp: number,
  hit_accuracy: number,
  accuracy: number,
  play_count: number,
  play_time: number,
  ranked_score: number,
  total_score: number,
  total_hits: number,
  maximum_combo: number,
  replays_watched_by_others: number,
  level: part(z.object({ current: whole, progress: whole })),
  grade_counts: part(z.object({ ss: whole, ssh: whole, s: whole, sh: whole, a: whole })),
  variants: list(z.object({ variant: z.string(), pp: number, global_rank: number, country_rank: number })),
});

const count = { count: number };
const history = part(z.looseObject({ mode: ruleset, data: list(whole) }));
const shape = z.looseObject({
  id,
  username: text,
  avatar_url: text,
  cover_url: text,
  cover: part(z.looseObject({ url: text })),
  country: part(z.object({ code: z.string(), name: z.string() })),
  country_code: text,
  playmode: ruleset,
  is_supporter: flag,
  is_online: flag,
  is_bot: flag,
  join_date: date,
  last_visit: date,
  title: text,
  previous_usernames: list(z.string()),
  playstyle: list(z.string()),
  team: part(z.looseObject({ id, name: z.string(), short_name: text })),
  groups: list(z.looseObject({ name: z.string(), short_name: text })),
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
  user_achievements: part(z.array(z.unknown())),
  rank_highest: part(z.looseObject({ rank: whole, updated_at: date })),
  rank_history: history,
  rankHistory: history,
  monthly_playcounts: list(z.looseObject({ start_date: z.string(), ...count })),
  statistics: part(statistics),
});

type Raw = z.output<typeof shape>;

function httpsUrl(address: string | null | undefined): string | null {
  return address?.startsWith('https://') === true ? address : null;
}

function toStatistics(raw: z.output<typeof statistics>): PlayerStatistics {
  const { rank, accuracy, hit_accuracy, country_rank } = raw;
  return {
    global_rank: raw.global_rank,
    country_rank: country_rank ?? rank?.country ?? null,
    pp: raw.pp,
    hit_accuracy: hit_accuracy ?? (accuracy === null ? null : accuracy * 100),
    play_count: raw.play_count,
    play_time: raw.play_time,
    ranked_score: raw.ranked_score,
    total_score: raw.total_score,
    total_hits: raw.total_hits,
    maximum_combo: raw.maximum_combo,
    replays_watched_by_others: raw.replays_watched_by_others,
    level: raw.level,
    grade_counts: raw.grade_counts,
    variants: raw.variants,
  };
}

function toCountry(raw: Raw): Player['country'] {
  if (raw.country !== null) return raw.country;
  return raw.country_code === null ? null : { code: raw.country_code, name: raw.country_code };
}

/** A profile, or undefined when the value is none. `mode` is what was asked for, when it was. */
export function parsePlayer(value: unknown, mode?: Ruleset): Player | undefined {
  const read = shape.safeParse(value);
  if (!read.success) return undefined;
  const raw = read.data;
  if (raw.id === null || raw.username === null) return undefined;
  const playmode = raw.playmode ?? 'osu';
  const ranks = raw.rank_history ?? raw.rankHistory;
  return {
    id: raw.id,
    username: raw.username,
    url: `https://osu.ppy.sh/users/${raw.id}`,
    avatar_url: httpsUrl(raw.avatar_url) ?? `https://a.ppy.sh/${raw.id}`,
    cover_url: httpsUrl(raw.cover?.url ?? raw.cover_url),
    country: toCountry(raw),
    playmode,
    mode: mode ?? ranks?.mode ?? playmode,
    is_supporter: raw.is_supporter ?? false,
    is_online: raw.is_online ?? false,
    is_bot: raw.is_bot ?? false,
    join_date: raw.join_date,
    last_visit: raw.last_visit,
    title: raw.title,
    previous_usernames: raw.previous_usernames,
    playstyle: raw.playstyle,
    team: raw.team === null ? null : { id: raw.team.id, name: raw.team.name, short_name: raw.team.short_name },
    groups: raw.groups.map(({ name, short_name }) => ({ name, short_name })),
    follower_count: raw.follower_count,
    mapping_follower_count: raw.mapping_follower_count,
    scores_first_count: raw.scores_first_count,
    beatmap_playcounts_count: raw.beatmap_playcounts_count,
    favourite_beatmapset_count: raw.favourite_beatmapset_count,
    graveyard_beatmapset_count: raw.graveyard_beatmapset_count,
    guest_beatmapset_count: raw.guest_beatmapset_count,
    loved_beatmapset_count: raw.loved_beatmapset_count,
    nominated_beatmapset_count: raw.nominated_beatmapset_count,
    pending_beatmapset_count: raw.pending_beatmapset_count,
    ranked_beatmapset_count: raw.ranked_beatmapset_count,
    achievement_count: raw.user_achievements?.length ?? null,
    rank_highest:
      raw.rank_highest === null ? null : { rank: raw.rank_highest.rank, updated_at: raw.rank_highest.updated_at },
    rank_history: ranks?.data ?? [],
    monthly_playcounts: raw.monthly_playcounts.map(({ start_date, count }) => ({ start_date, count: count ?? 0 })),
    statistics: raw.statistics === null ? null : toStatistics(raw.statistics),
  };
}

/** Players in brief, as lists of the osu! API give them. */

/** How a player stands in one ruleset. */
export interface Standing {
  readonly pp: number | null;
  readonly global_rank: number | null;
  /** 0 to 100. */
  readonly hit_accuracy: number | null;
}

export interface PlayerStandings {
  readonly id: number;
  readonly username: string;
  readonly country_code: string | null;
  /** Of rulesets that the player never played there is none. */
  readonly standings: Readonly<Partial<Record<Ruleset, Standing>>>;
}

/** A line of the world ranking. */
export interface RankedPlayer {
  readonly id: number;
  readonly username: string;
  readonly rank: number | null;
  readonly pp: number;
}

const standing = part(z.looseObject({ pp: number, global_rank: number, hit_accuracy: number, accuracy: number }));
const standings = part(z.looseObject({ osu: standing, taiko: standing, fruits: standing, mania: standing }));
const playerShape = z.looseObject({ id, username: text, country_code: text, statistics_rulesets: standings });
const rankedShape = z.looseObject({
  pp: number,
  global_rank: number,
  user: part(z.looseObject({ id, username: text })),
});

/** One of `GET /users?ids[]=`; undefined when the value is none. */
export function parsePlayerStandings(value: unknown): PlayerStandings | undefined {
  const raw = playerShape.safeParse(value).data;
  if (raw === undefined || raw.id === null || raw.username === null) return undefined;
  const known = RULESETS.flatMap(ruleset => {
    const given = raw.statistics_rulesets?.[ruleset] ?? null;
    if (given === null) return [];
    const { pp, global_rank, hit_accuracy, accuracy } = given;
    const shown = hit_accuracy ?? (accuracy === null ? null : accuracy * 100);
    return [[ruleset, { pp, global_rank, hit_accuracy: shown }] as const];
  });
  return { id: raw.id, username: raw.username, country_code: raw.country_code, standings: Object.fromEntries(known) };
}

/** One line of `GET /rankings/{ruleset}/performance`; undefined when the value is none. */
export function parseRankedPlayer(value: unknown): RankedPlayer | undefined {
  const raw = rankedShape.safeParse(value).data;
  const user = raw?.user ?? null;
  if (raw === undefined || user === null || user.id === null || user.username === null || raw.pp === null) {
    return undefined;
  }
  return { id: user.id, username: user.username, rank: raw.global_rank, pp: raw.pp };
}
