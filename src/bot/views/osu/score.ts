import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { mapPage, setPage } from '../../../beatmaps/model/link.ts';
import { ADJUSTED, orderMods } from '../../../beatmaps/model/mods.ts';
import {
  completionOf,
  countOf,
  resultsOf,
  type Score,
  type ScoreMod,
  shownGrade,
  shownMods,
} from '../../../beatmaps/model/score.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { gradeColour } from '../../cards/badges.ts';
import { starColour } from '../../cards/star-colour.ts';
import type { Chart } from '../../contract/picture.ts';
import type { Card, Text, WordBlock } from '../../contract/reply.ts';
import { button, joined, link, stacked, strong, textBlock } from '../../contract/reply-parts.ts';
import { accuracyText, coverOf, moment, ppText, ratedStarsWithSwatch, setName } from './facts.ts';

/** A name such as `Artist - Title [Difficulty]`. */
export function mapName({ beatmap, beatmapset, beatmap_id }: Score, t: Translator): string {
  if (beatmapset === null) return t.messages.osu.scores.unknownMap({ id: String(beatmap_id ?? '?') });
  return beatmap === null ? setName(beatmapset) : `${setName(beatmapset)} [${beatmap.version}]`;
}

/** The page of the play's map, in the ruleset in which it was played; undefined if osu! does not state the map. */
export function pageOf({ beatmap, beatmapset, beatmap_id, mode }: Score): string | undefined {
  if (beatmapset === null) return beatmap_id === null ? undefined : mapPage(beatmap_id);
  return setPage(
    beatmapset.id,
    beatmap === null ? undefined : { ...beatmap, ...(beatmap.convert === true && { mode }) },
  );
}

/** The name of the play's map, as a link to its page. */
export function linkedMap(score: Score, t: Translator): Text[number] {
  const page = pageOf(score);
  const name = mapName(score, t);
  return page === undefined ? name : link(page, name);
}

interface ScoreCardOptions {
  readonly rating: Rating | undefined;
  /** The play's position in the list of best plays. */
  readonly place?: number | undefined;
  /** True in a list of plays, which shows only the main facts of each so that it fits on a phone. */
  readonly isListed?: boolean;
  /** Makes the token of the button that opens the play's difficulty; undefined if that is unknown. */
  readonly openToken?: (score: Score) => string | undefined;
}

export function scoreCard(score: Score, options: ScoreCardOptions, t: Translator): Card {
  const { place, rating, openToken } = options;
  const { beatmap, beatmapset } = score;
  const image = beatmapset === null ? undefined : coverOf(beatmapset, beatmapset.list_url);
  const stars = rating?.stars ?? beatmap?.difficulty_rating;
  const token = openToken?.(score);
  const action = token === undefined ? undefined : button(t.messages.osu.openOne, token);
  return {
    kind: 'card',
    title: [...(place === undefined ? [] : [`${t.number(place)}. `]), linkedMap(score, t)],
    lines: scoreLines(score, options, t, resultText(score, t)),
    ...worthOf(score, options, t),
    ...(image && { image }),
    ...(stars !== undefined && { colour: starColour(stars) }),
    ...(action && { action }),
  };
}

/**
 * The lines about a play: `S · 98.75 % · 201 pp · +HDDT · weighted 190 pp`; then stars with its mods, combo, pp without
 * a miss; then hit results and score; then the date. In a list the second line ends in the misses and the date, and the
 * weighted pp, the pp without a miss, the hit results and the score are left out.
 */
function scoreLines(
  score: Score,
  { rating, isListed = false }: ScoreCardOptions,
  t: Translator,
  result: string,
): readonly Text[] {
  const words = t.messages.osu;
  const { beatmap, pp, weight, max_combo, ended_at, passed } = score;
  const ended = moment(ended_at, 'relative');
  const counted = t.decimal(weight?.pp ?? 0, 0);
  const isWhole = weight === null || pp === null || counted === t.decimal(pp, 0);
  const weighted = isWhole ? undefined : words.scores.weighted({ pp: counted });
  const most = beatmap?.max_combo ?? rating?.maxCombo ?? null;
  const combo = most === null ? `${t.number(max_combo)}x` : `${t.number(max_combo)}/${t.number(most)}x`;
  const plain = beatmap === null ? undefined : { stars: beatmap.difficulty_rating, isEstimate: false };
  const stars = rating ?? plain;
  const total = score.legacy_total_score ?? score.total_score;
  const shownStars = stars && ratedStarsWithSwatch(stars, t);
  const first = joined([
    [strong(result)],
    isListed ? undefined : weighted,
    passed ? undefined : failedText(score, t),
    worthText(score, rating, t),
  ]);
  if (isListed) return [first, joined([shownStars, combo, missesText(score, t), ended && [ended]])];
  const counts = resultNames(score, t).map(({ name }) => name);
  const fullCombo = score.is_perfect_combo ? words.scores.fullCombo : fullComboText(score, rating, t);
  return [
    first,
    joined([shownStars, combo, fullCombo]),
    joined([counts.join(' '), total === null ? undefined : words.scores.score({ shown: t.number(total) })]),
    ended === undefined ? [] : [ended],
  ].filter(line => line.length > 0);
}

/** Changes a card's lines, and the lines that replace them in a layout with a column for the value. */
export function withLines(card: Card, change: (lines: Card['lines']) => Card['lines']): Card {
  const { worth } = card;
  return { ...card, lines: change(card.lines), ...(worth && { worth: { ...worth, lines: change(worth.lines) } }) };
}

/** The pp for a layout with a column for it; a dash, as at osu!, for a play without pp. */
function worthOf(score: Score, options: ScoreCardOptions, t: Translator): Pick<Card, 'worth'> {
  const value = score.pp === null ? '–' : ppText(score.pp, t);
  const lines = scoreLines(score, options, t, accuracyText(score.accuracy, t));
  const grade = shownGrade(score.rank);
  return { worth: { value, lines, play: { grade, colour: gradeColour(grade), mods: modNames(score, t) } } };
}

export function failedText(score: Score, t: Translator): string {
  const words = t.messages.osu.scores;
  const completion = completionOf(score);
  return completion === null
    ? words.failed
    : words.failedAt({ percent: t.percent(Math.floor(completion * 100) / 100, 0) });
}

/** The estimated pp of a play that has none at osu!, because it failed or its map is not ranked. */
export function worthText({ pp, passed }: Score, rating: Rating | undefined, t: Translator): string | undefined {
  const words = t.messages.osu.scores;
  if (pp !== null || rating?.play == null) return undefined;
  const worth = t.decimal(rating.play.pp, 0);
  return passed ? words.ifRanked({ pp: worth }) : words.untilFail({ pp: worth });
}

export function fullComboText(
  { pp, is_perfect_combo }: Score,
  rating: Rating | undefined,
  t: Translator,
): string | undefined {
  const play = rating?.play;
  if (play == null || is_perfect_combo) return undefined;
  // The estimate is left out when it rounds to the pp that the play already has.
  if (Math.round(play.ppIfFullCombo) <= Math.round(pp ?? play.pp)) return undefined;
  return t.messages.osu.scores.ifFullCombo({ pp: t.decimal(play.ppIfFullCombo, 0) });
}

/** Says that a play is a full combo, or how many misses it has. */
export function missesText(score: Score, t: Translator): string | undefined {
  const { fullCombo, misses } = t.messages.osu.scores;
  const n = countOf(score, 'miss');
  if (score.is_perfect_combo) return fullCombo;
  return n > 0 ? misses({ n }) : undefined;
}

/** A note that says by which rules stars and pp were estimated, and how inexact such pp are on average. */
export function estimateBlocks(ratings: readonly (Rating | undefined)[], t: Translator): readonly WordBlock[] {
  const words = t.messages.osu.estimate;
  const known = ratings.filter(rating => rating !== undefined);
  const stars = known.find(({ isEstimate }) => isEstimate);
  const estimate = known.find(({ ppError }) => ppError !== null) ?? stars;
  if (estimate === undefined) return [];
  const { algorithm, ppError, difficulty } = estimate;
  const sentence = () => {
    if (algorithm === null) return words.byFigures;
    const date = t.date(Date.parse(algorithm));
    if (difficulty?.isOtherFile === true) return words.byOtherFile({ date });
    return stars === undefined ? words.ppBy({ date }) : words.by({ date });
  };
  const off = ppError === null ? [] : [words.off({ percent: t.percent(ppError, 1) })];
  return [textBlock([{ kind: 'emphasis', children: stacked([[sentence()], off]) }])];
}

/** The names that players use for hit results; in catch these are words. */
const RESULT_NAMES: Readonly<Record<Ruleset, Readonly<Record<string, string>>>> = {
  osu: { great: '300', ok: '100', meh: '50' },
  taiko: { great: '300', ok: '100' },
  fruits: {},
  mania: { perfect: 'MAX', great: '300', good: '200', ok: '100', meh: '50' },
};

/** The pp of a list of plays as a curve, each point with its map and mods. */
export function playsChart(scores: readonly Score[], t: Translator): Chart {
  const points = scores.flatMap((score, index) => {
    if (score.pp === null) return [];
    const named = `${t.number(index + 1)}. ${mapName(score, t)}`;
    const text = t.messages.cards.worth({ pp: t.number(Math.round(score.pp)) });
    return [{ height: score.pp, text, name: [named, ...modNames(score, t)].join(' +') }];
  });
  return { label: t.messages.cards.bestPlays({ n: points.length }), points };
}

/** Each hit result with its count, such as `512×300`, and with osu!'s name for it. */
export function resultNames(
  score: Score,
  t: Translator,
): readonly { readonly result: string; readonly name: string }[] {
  const { results } = t.messages.osu.scores;
  const words: Readonly<Record<string, typeof results.miss>> = {
    miss: results.miss,
    great: results.fruits,
    large_tick_hit: results.drops,
    small_tick_miss: results.droplets,
  };
  return resultsOf(score).map(({ result, count }) => {
    const number = RESULT_NAMES[score.mode][result];
    const shown = t.number(count);
    return {
      result,
      name: number === undefined ? (words[result]?.({ n: count, shown }) ?? shown) : `${shown}×${number}`,
    };
  });
}

/** A text such as `S · 98.75% · 201 pp · +HDDT (1.3×)`. */
export function resultText(score: Score, t: Translator): string {
  const { rank, accuracy, pp } = score;
  const parts = [
    shownGrade(rank),
    accuracyText(accuracy, t),
    pp === null ? undefined : `${t.decimal(pp, 0)} pp`,
    modsText(score, t),
  ];
  return parts.filter(part => part !== undefined).join(' · ');
}

/** A text such as `+HDDT`, or with osu!lazer's settings of mods, `+HDDT (1.3×)`. Undefined without mods. */
export function modsText({ mods }: Pick<Score, 'mods'>, t: Translator): string | undefined {
  const ordered = orderMods(mods);
  const shown = shownMods({ mods: ordered });
  if (shown.length === 0) return undefined;
  const chosen = ordered.flatMap(mod => chosenFor(mod, t));
  return `+${shown.join('')}${chosen.length === 0 ? '' : ` (${chosen.join(' ')})`}`;
}

/** Each mod with the player's settings for it: `DT 1.3×`. */
export function modNames({ mods }: Pick<Score, 'mods'>, t: Translator): readonly string[] {
  const shown = orderMods(mods).filter(({ acronym }) => acronym !== 'CL');
  return shown.map(mod => [mod.acronym, ...chosenFor(mod, t)].join(' '));
}

function chosenFor({ acronym, settings = {} }: ScoreMod, t: Translator): readonly string[] {
  const { speed_change: rate } = settings;
  const adjusted = acronym === 'DA' ? Object.entries(ADJUSTED) : [];
  return [
    ...(typeof rate === 'number' ? [`${t.decimal(rate, 2)}×`] : []),
    ...adjusted.flatMap(([name, key]) => {
      const value = settings[key];
      return typeof value === 'number' ? [`${name.toUpperCase()} ${t.decimal(value, 2)}`] : [];
    }),
  ];
}
