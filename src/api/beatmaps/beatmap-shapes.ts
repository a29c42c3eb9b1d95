/** Turns values of src/beatmaps into answers with the osu! API's field names. */
import { type Beatmap, type Beatmapset, rulesetNumber, statusNumber } from '../../beatmaps/model/beatmapset.ts';
import { setPage } from '../../beatmaps/model/link.ts';
import type { Player } from '../../beatmaps/model/player.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import type { SearchResult } from '../../beatmaps/set-search.ts';
import type { UserBeatmapset } from '../../beatmaps/upstreams/osu-players-api.ts';

export function toBeatmap({ od, hp, ...beatmap }: Beatmap) {
  const { id, beatmapset_id, mode, status } = beatmap;
  return {
    ...beatmap,
    mode_int: rulesetNumber(mode),
    ranked: statusNumber(status),
    accuracy: od,
    drain: hp,
    url: setPage(beatmapset_id, { id, mode }),
  };
}

export function toCoreSet(set: Beatmapset) {
  const { beatmaps: _, spotlight: __, download_disabled, download_disabled_reason, ...rest } = set;
  const { cover_url, card_url, list_url, ...fields } = rest;
  return {
    ...fields,
    ranked: statusNumber(set.status),
    availability: { download_disabled, more_information: download_disabled_reason },
    covers: { cover: cover_url, card: card_url, list: list_url },
    url: setPage(set.id),
  };
}

function toSet(set: Beatmapset) {
  return { ...toCoreSet(set), beatmaps: set.beatmaps.map(toBeatmap) };
}

export function toSearchAnswer({ sets, total, atLeast, cursor }: SearchResult) {
  return { beatmapsets: sets.map(toSet), total, ...(atLeast !== undefined && { total_at_least: atLeast }), cursor };
}

export function toUserBeatmap({ set, count, beatmap_id }: UserBeatmapset) {
  return count === null ? toSet(set) : { ...toSet(set), count, beatmap_id };
}

export function toScore({ username, lazer: _, rank_global: __, ...score }: Score) {
  const { beatmap } = score;
  return {
    ...score,
    user: username === null ? null : { id: score.user_id, username },
    ruleset_id: rulesetNumber(score.mode),
    mods: score.mods.map(({ acronym, settings }) => (settings === undefined ? { acronym } : { acronym, settings })),
    beatmap: beatmap === null ? null : { ...toBeatmap(beatmap), convert: beatmap.convert ?? false },
    beatmapset: score.beatmapset === null ? null : toCoreSet(score.beatmapset),
  };
}

export function toUserAnswer({ daily_challenge_user_stats: _, ...player }: Player) {
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
