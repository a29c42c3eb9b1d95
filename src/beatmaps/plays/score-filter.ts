/** Filters and sorts the plays in a list. */

import { adjusted, checkPlayMods, clockRateOf, foldMod, inRuleset, parseModWishes, withMods } from '../model/mods.ts';
import { foldPlayerName } from '../model/player.ts';
import { type Score, shownGrade, shownMods } from '../model/score.ts';
import { assertAnswerable, parseQuery } from '../query/query.ts';
import { isWithin, matches } from '../query/query-match.ts';
import { decimal, parseRange, type Range } from '../query/query-values.ts';
import { modClassOf, starFactor } from '../rating/mod-class.ts';

export const GRADES = ['SS', 'S', 'A', 'B', 'C', 'D'] as const;
export type Grade = (typeof GRADES)[number];

export const SCORE_SORTS = ['pp', 'accuracy', 'date', 'combo', 'stars', 'score', 'grade', 'length'] as const;
export type ScoreSort = (typeof SCORE_SORTS)[number];

export interface ScoreFilter {
  /** `+HDDT` or `HDDT`: plays with at least these mods; `HDDT!`: with only these; `-HD`: without; `NM`: with none. */
  readonly mods?: string | undefined;
  readonly grade?: Grade | undefined;
  /** Words from the map's name, and conditions of the search language on the map as played: `camellia stars>6`. */
  readonly search?: string | undefined;
  readonly chokes?: boolean | undefined;
  /** The name of the mapper of the set or the difficulty. */
  readonly mapper?: string | undefined;
  /** The accuracy in percent, as a range. */
  readonly accuracy?: Range | undefined;
  readonly combo?: Range | undefined;
}

/** Reads `97-99`, `97..99`, `97-` and `-99`, both ends included; one number alone is the minimum. Else undefined. */
export function parseLeast(text: string): Range | undefined {
  const read = parseRange(decimal(0.005), '=', text.replaceAll('%', '').replace('..', '-'));
  if (read === undefined || (read.gte ?? 0) >= (read.lt ?? Number.POSITIVE_INFINITY)) return undefined;
  return /-|\.\./.test(text) ? read : { gte: read.gte ?? 0 };
}

/** @throws AppError `invalid_request` with params `what: 'mods'` and `reason`, or `what: 'q'` and `key` */
export function filterScores(scores: readonly Score[], filter: ScoreFilter): readonly Score[] {
  const { mods, grade, search, mapper, accuracy, combo, chokes = false } = filter;
  const hasMods = mods === undefined ? undefined : parsePlayMods(mods);
  const query = search === undefined ? undefined : parseQuery(search);
  if (query !== undefined) assertAnswerable(query);
  return scores.filter(
    score =>
      (hasMods === undefined || hasMods(score.mods.map(({ acronym }) => plain(acronym)))) &&
      (grade === undefined || shownGrade(score.rank) === grade) &&
      (!chokes || isChoke(score)) &&
      isWithin(accuracy, () => score.accuracy * 100) &&
      isWithin(combo, () => score.max_combo) &&
      (mapper === undefined || isMadeBy(score, foldPlayerName(mapper.trim()))) &&
      (query === undefined || isOnMap(score, query)),
  );
}

function isMadeBy({ beatmap, beatmapset }: Score, mapper: string): boolean {
  const names = [beatmapset?.creator ?? '', ...(beatmap?.owners ?? []).map(({ username }) => username)];
  return names.some(name => foldPlayerName(name) === mapper);
}

function isOnMap(score: Score, query: ReturnType<typeof parseQuery>): boolean {
  const { beatmapset } = score;
  const beatmap = mapAsPlayed(score);
  return beatmap !== null && beatmapset !== null && matches(query, { ...beatmapset, beatmaps: [beatmap] });
}

/**
 * The difficulty as the play's mods change it. Its stars are those of a typical map with these mods, which is exact
 * enough to choose and sort plays by.
 */
function mapAsPlayed({ beatmap, mode, mods }: Score) {
  if (beatmap === null) return null;
  const played = withMods(adjusted(inRuleset(beatmap, mode), mods), shownMods({ mods }), clockRateOf(mods));
  return { ...played, difficulty_rating: beatmap.difficulty_rating * starFactor(mode, modClassOf(mods)) };
}

/** The acronym under which mods are compared: `NC` counts as `DT`, `PF` as `SD`. */
const plain = (acronym: string) => (acronym === 'PF' ? 'SD' : foldMod(acronym));

/**
 * A play of osu!stable has the mod `CL` where a wish names it; otherwise that mod is no matter.
 * @throws AppError `invalid_request`
 */
function parsePlayMods(text: string): (played: readonly string[]) => boolean {
  const wishes = parseModWishes(text).map(wish => ({ ...wish, mods: checkPlayMods(wish.mods).map(plain) }));
  return played =>
    wishes.every(({ mods, isWithout, isAlone }) =>
      isWithout
        ? !mods.some(acronym => played.includes(acronym))
        : mods.every(acronym => played.includes(acronym)) &&
          (!isAlone || played.every(acronym => acronym === 'CL' || mods.includes(acronym))),
    );
}

/**
 * In osu!stable a missed slider end is no miss and costs a little combo, while a slider break costs much. A play
 * without a miss that has at least this share of the full combo counts as one without a slider break.
 */
const NEARLY_WHOLE = 0.97;

/** True when a miss or a slider break cost the play its combo. */
export function isChoke({ passed, is_perfect_combo, statistics, max_combo, beatmap }: Score): boolean {
  if (!passed || is_perfect_combo) return false;
  // In osu!lazer a missed large part of a slider (`large_tick_miss`) breaks the combo as a miss does.
  if ((statistics.miss ?? 0) + (statistics.large_tick_miss ?? 0) > 0) return true;
  const most = beatmap?.max_combo ?? null;
  return most !== null && max_combo < most * NEARLY_WHOLE;
}

const LOWEST_FIRST: readonly string[] = GRADES.toReversed();

const VALUES: Readonly<Record<ScoreSort, (score: Score) => number>> = {
  pp: ({ pp }) => pp ?? 0,
  accuracy: ({ accuracy }) => accuracy,
  date: ({ ended_at }) => (ended_at === null ? 0 : Date.parse(ended_at)),
  combo: ({ max_combo }) => max_combo,
  stars: score => mapAsPlayed(score)?.difficulty_rating ?? 0,
  score: ({ total_score, legacy_total_score }) => total_score ?? legacy_total_score ?? 0,
  grade: ({ rank }) => LOWEST_FIRST.indexOf(shownGrade(rank)),
  length: score => mapAsPlayed(score)?.total_length ?? 0,
};

export function sortScores(scores: readonly Score[], sort: ScoreSort): readonly Score[] {
  return scores.toSorted((a, b) => VALUES[sort](b) - VALUES[sort](a));
}
