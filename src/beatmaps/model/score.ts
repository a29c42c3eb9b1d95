/** Plays, in one shape for both the API's answers since 2022 and older ones, which some endpoints still send. */
import * as z from 'zod';
import type { Ruleset } from './beatmapset.ts';
import { date, field, flag, id, list, number, numberOrZero, part, ruleset, text } from './osu-fields.ts';
import { type PlayedMap, parseBeatmapset, parsePlayedMap } from './osu-schemas.ts';

export const SCORE_TYPES = ['best', 'recent', 'firsts', 'pinned'] as const;
export type ScoreType = (typeof SCORE_TYPES)[number];

export interface ScoreMod {
  /** The mod's short name, such as `HD`. `CL` only marks a play in osu!stable; the player did not choose it. */
  readonly acronym: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const acronym = z.string().min(1).max(8);
const mod = z.union([
  acronym.transform((name): ScoreMod => ({ acronym: name })),
  z
    .object({ acronym, settings: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .transform(({ acronym, settings }): ScoreMod => (settings === undefined ? { acronym } : { acronym, settings })),
]);

const counts = field((value): Readonly<Record<string, number>> => {
  const read = z.record(z.string(), z.unknown()).safeParse(value).data ?? {};
  return Object.fromEntries(
    Object.entries(read).filter((pair): pair is [string, number] => typeof pair[1] === 'number'),
  );
});

const scoreShape = z.object({
  id,
  user_id: id,
  /** The score on osu!lazer's scale, which ends at about a million; null in answers of the older shape. */
  total_score: number,
  classic_total_score: number,
  /** The id at osu!stable, 0 for a failed or unranked play there; null for a play of osu!lazer. */
  legacy_score_id: number,
  best_id: id,
  pp: number,
  /** The position on the map's leaderboard; stated only when a single play is requested. */
  rank_global: number,
  mods: list(mod),
  maximum_statistics: counts,
  /** How much of the play's pp counts towards the player's total; stated only in lists of best plays. */
  weight: part(z.object({ percentage: z.number(), pp: z.number() })),
  user: part(z.object({ username: text })),
  ruleset_id: ruleset,
  mode: ruleset,
  mode_int: ruleset,
  beatmap_id: id,
  /** The accuracy from 0 to 1. */
  accuracy: numberOrZero,
  max_combo: numberOrZero,
  score: number,
  legacy_total_score: number,
  rank: text,
  statistics: counts,
  passed: flag,
  perfect: flag,
  is_perfect_combo: flag,
  legacy_perfect: flag,
  ended_at: date,
  created_at: date,
  beatmap: z.unknown().optional(),
  beatmapset: z.unknown().optional(),
});

/** A play, with the osu! API's names. */
export type Score = Readonly<NonNullable<ReturnType<typeof parseScore>>>;

/** The mods that the player chose; `CL`, which only marks a play in osu!stable, is left out. */
export function shownMods({ mods }: Pick<Score, 'mods'>): readonly string[] {
  return mods.map(({ acronym }) => acronym).filter(acronym => acronym !== 'CL');
}

const GRADES: Readonly<Record<string, string>> = { XH: 'SS', X: 'SS', SH: 'S' };

/** A grade as players write it: silver grades (XH, SH) look like ordinary ones (SS, S). */
export function shownGrade(rank: string): string {
  return GRADES[rank] ?? rank;
}

/** The names under which calculators count hit results. */
export type HitCounter = 'nGeki' | 'n300' | 'nKatu' | 'n100' | 'n50' | 'misses';

/** osu!'s names of each ruleset's hit results, best first. */
export const HIT_RESULTS: Readonly<Record<Ruleset, Readonly<Partial<Record<HitCounter, string>>>>> = {
  osu: { n300: 'great', n100: 'ok', n50: 'meh', misses: 'miss' },
  taiko: { n300: 'great', n100: 'ok', misses: 'miss' },
  fruits: {
    n300: 'great',
    n100: 'large_tick_hit',
    n50: 'small_tick_hit',
    nKatu: 'small_tick_miss',
    misses: 'miss',
  },
  mania: { nGeki: 'perfect', n300: 'great', nKatu: 'good', n100: 'ok', n50: 'meh', misses: 'miss' },
};

/**
 * The fields of a play of the older shape that hold the counts of each `HitCounter`. The hit result that a field counts
 * depends on the ruleset: `count_100` is `ok` in osu! and `large_tick_hit` in catch.
 */
const LEGACY_COUNTERS: Readonly<Record<string, string>> = {
  n300: 'count_300',
  n100: 'count_100',
  n50: 'count_50',
  misses: 'count_miss',
  nGeki: 'count_geki',
  nKatu: 'count_katu',
} satisfies Record<HitCounter, string>;

/**
 * How often a play has a hit result. A catch play of osu!lazer states missed drops (`large_tick_miss`) apart from
 * missed fruits (`miss`). Both are counted as misses here, as osu!stable counts them.
 */
export function countOf({ mode, statistics }: Pick<Score, 'mode' | 'statistics'>, result: string): number {
  const drops = mode === 'fruits' && result === 'miss' ? statistics.large_tick_miss : undefined;
  return (statistics[result] ?? 0) + (drops ?? 0);
}

/**
 * How often a play has each of its ruleset's hit results, best first; in catch without the small droplets that were
 * caught.
 */
export function resultsOf(play: Pick<Score, 'mode' | 'statistics'>) {
  const results = Object.values(HIT_RESULTS[play.mode]).filter(result => result !== 'small_tick_hit');
  return results.map(result => ({ result, count: countOf(play, result) }));
}

/** How many objects were played; in catch that is how many fruits and drops. */
export function playedObjects(play: Pick<Score, 'mode' | 'statistics'>): number {
  return resultsOf(play).reduce((sum, { result, count }) => (result === 'small_tick_miss' ? sum : sum + count), 0);
}

/** How far into the map a play got, 0 to 1; null if the number of the map's objects is unknown. */
export function completionOf(
  play: Pick<Score, 'mode' | 'statistics' | 'maximum_statistics' | 'beatmap'>,
): number | null {
  const { mode, maximum_statistics, beatmap } = play;
  const most = playedObjects({ mode, statistics: maximum_statistics });
  // For a convert, osu! states the number of objects of the original map, which differs from the convert's.
  if (most === 0 && beatmap?.convert === true) return null;
  const counts = [beatmap?.count_circles, beatmap?.count_sliders, beatmap?.count_spinners];
  const objects = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const whole = most > 0 ? most : mode === 'osu' || mode === 'mania' ? objects : (beatmap?.count_circles ?? 0);
  return whole > 0 ? Math.min(1, playedObjects(play) / whole) : null;
}

/** osu!'s names of the results that add to the combo of a play without a miss, in any ruleset. */
const COMBO_RESULTS = ['perfect', 'great', 'large_tick_hit', 'slider_tail_hit', 'legacy_combo_increase'];

/** The combo of a play with all of these results; null when there are none. */
function comboOf(results: Readonly<Record<string, number>>): number | null {
  return COMBO_RESULTS.reduce((sum, result) => sum + (results[result] ?? 0), 0) || null;
}

/**
 * The difficulty that was played. In lists of plays osu! does not state a difficulty's full combo, but it states the
 * best possible results of each play, from which the full combo is calculated here.
 */
function playedMap({ beatmap, maximum_statistics, max_combo }: z.output<typeof scoreShape>): PlayedMap | null {
  const map = parsePlayedMap(beatmap);
  const full = comboOf(maximum_statistics);
  if (map === undefined) return null;
  // Old plays may lack a part of their best possible results. These then add up to less than the play's own combo, or
  // to less than the objects of the map, of which each slider counts at its start and its end.
  const objects = (map.count_circles ?? 0) + 2 * (map.count_sliders ?? 0) + (map.count_spinners ?? 0);
  const least = Math.max(max_combo, map.mode === 'osu' && !map.convert ? objects : 0);
  return { ...map, max_combo: map.max_combo ?? (full === null || full < least ? null : full) };
}

function namedResults(given: Readonly<Record<string, number>>, mode: Ruleset): Readonly<Record<string, number>> {
  if (!('count_300' in given || 'count_miss' in given)) return given;
  return Object.fromEntries(
    Object.entries(HIT_RESULTS[mode]).flatMap(([counter, result]) => {
      const count = given[LEGACY_COUNTERS[counter] ?? ''];
      return count === undefined || count === 0 ? [] : [[result, count] as const];
    }),
  );
}

/** Reads a play; undefined when the value is no play. */
export function parseScore(value: unknown) {
  const raw = scoreShape.safeParse(value).data;
  if (raw === undefined) return undefined;
  const { user, ruleset_id, mode_int, score, perfect, legacy_perfect, created_at, ...fields } = raw;
  const isLegacyShape = raw.total_score === null && raw.ended_at === null;
  // In the older shape osu! writes 0 as the id of a failed or unranked play.
  const playId = raw.id ?? (isLegacyShape && created_at !== null ? 0 : null);
  if (playId === null) return undefined;
  const beatmap = playedMap(raw);
  const mode = ruleset_id ?? raw.mode ?? mode_int ?? beatmap?.mode ?? 'osu';
  // The API writes 0 for a play that has no score of osu!stable, so 0 is returned as null below.
  const legacyTotal = isLegacyShape ? score : raw.legacy_total_score;
  return {
    ...fields,
    id: playId,
    username: user?.username ?? null,
    mode,
    beatmap_id: raw.beatmap_id ?? beatmap?.id ?? null,
    /** The score as osu!stable showed it; null for a play of osu!lazer. */
    legacy_total_score: legacyTotal === 0 ? null : legacyTotal,
    /** The grade: XH, X, SH, S, A, B, C, D or F. */
    rank: raw.rank ?? (raw.passed === false ? 'F' : 'D'),
    /** The number of each hit result, by name (great, ok, meh, miss, large_tick_hit ...); zeros may be missing. */
    statistics: namedResults(raw.statistics, mode),
    passed: raw.passed ?? raw.rank !== 'F',
    is_perfect_combo: raw.is_perfect_combo ?? legacy_perfect ?? perfect ?? false,
    ended_at: raw.ended_at ?? created_at,
    /** True for a play of osu!lazer. */
    lazer: !isLegacyShape && raw.legacy_score_id === null,
    beatmap,
    /** The set, without its difficulties. */
    beatmapset: parseBeatmapset(raw.beatmapset) ?? null,
  };
}
