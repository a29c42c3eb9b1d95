/** Sets, players and plays in the shapes of the official API v2. */
import type { SandboxMap, SandboxPlayer, SandboxSet } from './beatmap-world.ts';
import { osuChecksum } from './osu-file.ts';

export const MODE_NAMES = ['osu', 'taiko', 'fruits', 'mania'] as const;
const STATUS_NAMES = ['graveyard', 'wip', 'pending', 'ranked', 'approved', 'qualified', 'loved'] as const;
const DAY = 86_400;

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

function statusName(status: number): string {
  return STATUS_NAMES[status + 2] ?? 'pending';
}

function coversOf(id: number) {
  const address = (name: string) => `https://assets.ppy.sh/beatmaps/${id}/covers/${name}.jpg?1650692514`;
  const names = ['cover', 'cover@2x', 'card', 'card@2x', 'list', 'list@2x', 'slimcover', 'slimcover@2x'];
  return Object.fromEntries(names.map(name => [name, address(name)]));
}

export function mapShape(set: SandboxSet, map: SandboxMap) {
  return {
    beatmapset_id: set.id,
    difficulty_rating: map.stars,
    id: map.id,
    mode: MODE_NAMES[map.mode],
    status: statusName(set.status),
    total_length: map.length,
    user_id: set.creatorId,
    version: map.version,
    accuracy: map.od,
    ar: map.ar,
    bpm: set.bpm,
    convert: false,
    count_circles: map.circles,
    count_sliders: map.sliders,
    count_spinners: 1,
    cs: map.cs,
    deleted_at: null,
    drain: map.hp,
    hit_length: map.length - 4,
    is_scoreable: set.status > 0,
    last_updated: iso(set.submitted + DAY),
    mode_int: map.mode,
    passcount: Math.round(set.plays / 20),
    playcount: Math.round(set.plays / set.maps.length),
    ranked: set.status,
    url: `https://osu.ppy.sh/beatmaps/${map.id}`,
    checksum: osuChecksum(set, map),
    max_combo: map.circles + map.sliders * 2,
  };
}

/** Without difficulties, as plays carry it. */
export function compactSet(set: SandboxSet) {
  return {
    anime_cover: false,
    artist: set.artist,
    artist_unicode: set.artistUnicode,
    covers: coversOf(set.id),
    creator: set.creator,
    favourite_count: set.favourites,
    genre_id: set.genre,
    hype: null,
    id: set.id,
    language_id: set.language,
    nsfw: set.nsfw,
    offset: 0,
    play_count: set.plays,
    preview_url: `//b.ppy.sh/preview/${set.id}.mp3`,
    source: '',
    spotlight: set.spotlight,
    status: statusName(set.status),
    title: set.title,
    title_unicode: set.titleUnicode,
    track_id: null,
    user_id: set.creatorId,
    video: set.video,
  };
}

export function setShape(set: SandboxSet) {
  return {
    ...compactSet(set),
    bpm: set.bpm,
    can_be_hyped: false,
    deleted_at: null,
    discussion_locked: false,
    is_scoreable: set.status > 0,
    last_updated: iso(set.submitted + DAY),
    ranked: set.status,
    ranked_date: set.status > 0 ? iso(set.submitted + 30 * DAY) : null,
    rating: 8.9,
    storyboard: false,
    submitted_date: iso(set.submitted),
    tags: set.tags,
    availability: { download_disabled: set.disabledWhy !== null, more_information: set.disabledWhy },
    beatmaps: set.maps.map(map => mapShape(set, map)),
    pack_tags: [],
  };
}

/** As the page of one set has it: with what the other rulesets make of its osu! difficulties. */
export function wholeSet(set: SandboxSet) {
  const converts = set.maps
    .filter(map => map.mode === 0)
    .map(map => ({ ...mapShape(set, map), convert: true, mode: 'taiko' }));
  return {
    ...setShape(set),
    converts,
    genre: { id: set.genre, name: 'Electronic' },
    language: { id: set.language, name: 'Instrumental' },
    description: { description: '<p>Made up.</p>' },
    related_users: [],
    user: { id: set.creatorId, username: set.creator },
  };
}

/** A player who climbs, falls back a little every few weeks, and is at `rank` today. */
function rankBefore(rank: number, days: number): number {
  return rank + days * 10 + Math.round(160 * Math.sin(days / 6));
}

export function playerShape(player: SandboxPlayer, mode: string) {
  return {
    avatar_url: `https://a.ppy.sh/${player.id}?1.png`,
    country_code: player.country.code,
    default_group: 'default',
    id: player.id,
    is_active: true,
    is_bot: false,
    is_deleted: false,
    is_online: false,
    is_supporter: player.id % 2 === 1,
    last_visit: null,
    profile_colour: null,
    username: player.username,
    country: player.country,
    cover: { custom_url: null, url: 'https://assets.ppy.sh/user-profile-covers/default.jpeg', id: '1' },
    cover_url: 'https://assets.ppy.sh/user-profile-covers/default.jpeg',
    join_date: '2019-05-04T10:11:12+00:00',
    playmode: MODE_NAMES[player.playmode],
    playstyle: ['mouse', 'keyboard'],
    previous_usernames: ['lamp_pole'],
    title: null,
    team: { id: 71, name: 'Street Furniture', short_name: 'STRT', flag_url: null },
    groups: [],
    follower_count: 312,
    mapping_follower_count: 4,
    scores_first_count: 1,
    beatmap_playcounts_count: 1_204,
    favourite_beatmapset_count: 3,
    graveyard_beatmapset_count: 0,
    guest_beatmapset_count: 0,
    loved_beatmapset_count: 1,
    nominated_beatmapset_count: 0,
    pending_beatmapset_count: 0,
    ranked_beatmapset_count: 2,
    user_achievements: Array.from({ length: 25 }, (_, index) => ({
      achieved_at: '2020-01-01T00:00:00Z',
      achievement_id: index,
    })),
    monthly_playcounts: [
      { start_date: '2026-07-01', count: 210 },
      { start_date: '2026-08-01', count: 180 },
    ],
    daily_challenge_user_stats: {
      daily_streak_best: 12,
      daily_streak_current: player.id % 2 === 1 ? 4 : 0,
      last_update: '2026-08-30T00:00:00+00:00',
      last_weekly_streak: '2026-08-27T00:00:00+00:00',
      playcount: player.id % 2 === 1 ? 31 : 0,
      top_10p_placements: 3,
      top_50p_placements: 19,
      user_id: player.id,
      weekly_streak_best: 5,
      weekly_streak_current: 2,
    },
    rank_highest: { rank: Math.max(1, player.rank - 900), updated_at: '2026-02-02T00:00:00Z' },
    rank_history: { mode, data: Array.from({ length: 90 }, (_, day) => rankBefore(player.rank, 89 - day)) },
    statistics: {
      level: { current: 98, progress: 40 },
      global_rank: player.rank,
      country_rank: Math.round(player.rank / 40),
      pp: player.pp,
      hit_accuracy: 97.85,
      play_count: 18_204,
      play_time: 1_204_000,
      ranked_score: 9_120_000_000,
      total_score: 31_200_000_000,
      total_hits: 4_120_000,
      maximum_combo: 1_830,
      replays_watched_by_others: 12,
      is_ranked: true,
      grade_counts: { ss: 20, ssh: 3, s: 310, sh: 44, a: 700 },
      rank: { country: Math.round(player.rank / 40) },
    },
  };
}

/** About what the played maps give, in proportion to what the player can do. Every second play is with DT. */
function ppOf(player: SandboxPlayer, { stars }: SandboxMap, index: number): number {
  const whole = (player.pp / 20) * (stars / 8) ** 2.75 * (index % 2 === 0 ? 1 : 2.4);
  return Math.round(whole * 1_000) / 1_000;
}

/** The newer shape, or the one from before 2022 that a call without a version gets. */
export function scoreShape(player: SandboxPlayer, set: SandboxSet, map: SandboxMap, index: number, isNew: boolean) {
  // Plays come with the map, but without its full combo.
  const { max_combo: _, ...beatmap } = mapShape(set, map);
  const shared = {
    accuracy: 0.99 - (index % 20) * 0.003,
    best_id: null,
    id: 5_000_000_000 + index + (player.id > 4_400_003 ? (player.id % 1_000_000) * 1_000 : 0),
    max_combo: map.circles + map.sliders,
    passed: true,
    pp: ppOf(player, map, index),
    rank: index % 3 === 0 ? 'SH' : 'A',
    replay: true,
    user_id: player.id,
    beatmap,
    beatmapset: compactSet(set),
    user: { id: player.id, username: player.username },
  };
  if (!isNew) {
    return {
      ...shared,
      created_at: iso(set.submitted + 60 * DAY),
      mode: MODE_NAMES[map.mode],
      mode_int: map.mode,
      mods: ['HD'],
      perfect: false,
      score: 12_000_000 - index,
      statistics: { count_300: map.circles, count_100: 7, count_50: 0, count_geki: 40, count_katu: 3, count_miss: 1 },
      type: 'score_best_osu',
    };
  }
  return {
    ...shared,
    beatmap_id: map.id,
    ruleset_id: map.mode,
    classic_total_score: 11_000_000 - index,
    ended_at: iso(set.submitted + 60 * DAY),
    started_at: null,
    is_perfect_combo: false,
    legacy_perfect: false,
    legacy_score_id: index % 2 === 0 ? 4_000_000_000 + index : null,
    legacy_total_score: index % 2 === 0 ? 12_000_000 - index : 0,
    maximum_statistics: {
      great: map.circles + map.sliders,
      [index % 2 === 0 ? 'legacy_combo_increase' : 'slider_tail_hit']: map.sliders,
    },
    mods:
      index % 2 === 0 ? [{ acronym: 'HD' }, { acronym: 'CL' }] : [{ acronym: 'DT', settings: { speed_change: 1.3 } }],
    statistics: { great: map.circles + map.sliders - 8, ok: 7, miss: 1 },
    total_score: 950_000 - index,
    type: 'solo_score',
  };
}
