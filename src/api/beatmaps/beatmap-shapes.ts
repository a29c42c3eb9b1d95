/** The domain's values in the osu! API's words. */
import type { DownloadAnswer as Download } from '../../beatmaps/beatmaps.ts';
import { type Beatmap, type Beatmapset, statusNumber } from '../../beatmaps/model/beatmapset.ts';
import { setPage } from '../../beatmaps/model/link.ts';
import type { Player } from '../../beatmaps/model/player.ts';
import { rulesetNumber } from '../../beatmaps/model/ruleset.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import type { SearchResult } from '../../beatmaps/set-search.ts';
import type { UserBeatmapset } from '../../beatmaps/upstreams/osu-api.ts';
import type {
  BeatmapAnswer,
  CoreSetAnswer,
  DownloadAnswer,
  ScoreAnswer,
  SearchAnswer,
  UserAnswer,
  UserBeatmapsAnswer,
} from './beatmap-schema.ts';

export function toBeatmap({ od, hp, owners, ...beatmap }: Beatmap): BeatmapAnswer {
  const { id, beatmapset_id, mode, status } = beatmap;
  return {
    ...beatmap,
    mode_int: rulesetNumber(mode),
    ranked: statusNumber(status),
    accuracy: od,
    drain: hp,
    owners: owners.map(owner => ({ id: owner.id, username: owner.username })),
    url: setPage(beatmapset_id, { id, mode }),
  };
}

export function toCoreSet(set: Beatmapset): CoreSetAnswer {
  return {
    id: set.id,
    title: set.title,
    title_unicode: set.title_unicode,
    artist: set.artist,
    artist_unicode: set.artist_unicode,
    creator: set.creator,
    user_id: set.user_id,
    source: set.source,
    tags: set.tags,
    status: set.status,
    ranked: statusNumber(set.status),
    bpm: set.bpm,
    play_count: set.play_count,
    favourite_count: set.favourite_count,
    rating: set.rating,
    nsfw: set.nsfw,
    video: set.video,
    storyboard: set.storyboard,
    genre_id: set.genre_id,
    language_id: set.language_id,
    submitted_date: set.submitted_date,
    last_updated: set.last_updated,
    ranked_date: set.ranked_date,
    availability: { download_disabled: set.download_disabled, more_information: set.download_disabled_reason },
    covers: { cover: set.cover_url, card: set.card_url, list: set.list_url },
    preview_url: set.preview_url,
    url: setPage(set.id),
  };
}

function toSet(set: Beatmapset): SearchAnswer['beatmapsets'][number] {
  return { ...toCoreSet(set), beatmaps: set.beatmaps.map(toBeatmap) };
}

export function toSearchAnswer({ sets, total, cursor }: SearchResult): SearchAnswer {
  return { beatmapsets: sets.map(toSet), total, cursor };
}

export function toUserBeatmap({ set, count, beatmap_id }: UserBeatmapset): UserBeatmapsAnswer['beatmapsets'][number] {
  return count === null ? toSet(set) : { ...toSet(set), count, beatmap_id };
}

export function toScore({ username, lazer: _, ...score }: Score): ScoreAnswer {
  return {
    ...score,
    user: username === null ? null : { id: score.user_id, username },
    ruleset_id: rulesetNumber(score.mode),
    mods: score.mods.map(({ acronym, settings }) => (settings === undefined ? { acronym } : { acronym, settings })),
    beatmap: score.beatmap === null ? null : toBeatmap(score.beatmap),
    beatmapset: score.beatmapset === null ? null : toCoreSet(score.beatmapset),
  };
}

export function toUserAnswer(player: Player): UserAnswer {
  const { statistics, mode, rank_history } = player;
  return {
    user: {
      ...player,
      country_code: player.country?.code ?? null,
      previous_usernames: [...player.previous_usernames],
      playstyle: [...player.playstyle],
      groups: [...player.groups],
      monthly_playcounts: [...player.monthly_playcounts],
      rank_history: rank_history.length === 0 ? null : { mode, data: [...rank_history] },
      statistics: statistics === null ? null : { ...statistics, variants: [...statistics.variants] },
    },
  };
}

export function toDownloadAnswer({ id, available, reason, addresses }: Download): DownloadAnswer {
  return { id, available, reason, addresses: addresses.map(({ source, video, url }) => ({ source, video, url })) };
}
