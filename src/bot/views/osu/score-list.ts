import { mapPage, setPage, userPage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import { completionOf, type Score, type ScoreType } from '../../../beatmaps/model/score.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { starColour } from '../../cards/star-colour.ts';
import {
  type Action,
  type Block,
  button,
  type Card,
  type Choice,
  headingBlock,
  joined,
  link,
  type PictureBlock,
  type Reply,
  reply,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { coverOf, originBlocks, ratedStarsWithSwatch, setName } from './beatmap.ts';
import { type PagesView, pageActions } from './beatmap-list.ts';
import { resultCounts, resultText } from './play-result.ts';
import { playerTitle } from './player.ts';

export interface ScoresView {
  readonly player: Player;
  readonly type: ScoreType;
  readonly scores: readonly Score[];
  /** What those come to, by the play's number. */
  readonly ratings: ReadonlyMap<number, Rating>;
  /** In the player's list, by the play's number. */
  readonly places: ReadonlyMap<number, number>;
  /** How many are like that; undefined where the list is whole. */
  readonly count: number | undefined;
  readonly stale: boolean;
  readonly picture?: PictureBlock | undefined;
  readonly pages: PagesView;
  /** Of the button that opens a difficulty. */
  openToken(mapId: number): string;
  /** Ways to the player's other cards. */
  readonly actions: readonly Action[];
}

export interface ScoreView {
  readonly score: Score;
  readonly rating: Rating | undefined;
  readonly stale: boolean;
  /** Of its page. */
  readonly url: string;
  /** Of the buttons to its difficulty and its player; undefined where they are unknown. */
  readonly openMap: string | undefined;
  readonly openPlayer: string | undefined;
}

/** One play. */
export function renderScore(view: ScoreView, t: Translator): Reply {
  const { score, rating, stale, url, openMap, openPlayer } = view;
  const { user_id, username, mode } = score;
  const words = t.messages.osu;
  const name = username ?? words.scores.unknownPlayer;
  return reply({
    blocks: [
      headingBlock([user_id === null ? name : link(userPage(user_id, mode), name), ` (${words.modes[mode]})`]),
      ...originBlocks({ source: 'osu', stale }, t),
      scoreCard(score, { rating }, t),
      ...estimateBlocks([rating], t),
    ],
    actions: [
      { kind: 'link', label: words.openAtOsu, url },
      ...(openMap === undefined ? [] : [button(words.scores.map, openMap)]),
      ...(openPlayer === undefined ? [] : [button(words.scores.player, openPlayer)]),
    ],
  });
}

/** Plays as cards. */
export function renderScores(view: ScoresView, t: Translator): Reply {
  const { player, type, scores, pages, places, count } = view;
  const words = t.messages.osu.scores;
  const title = [...playerTitle(player), `: ${words.titles[type]} (${t.messages.osu.modes[player.mode]})`];
  if (scores.length === 0) {
    const sentence = pages.page > 1 ? words.noMore : noneSentence(view, t);
    return reply({
      tone: 'notice',
      blocks: [headingBlock(title), textBlock([sentence])],
      actions: [...pageActions(pages, t), ...view.actions],
    });
  }
  const place = joined([
    count === undefined ? undefined : t.messages.plays.shown.filtered({ n: count, shown: t.number(count) }),
    pages.page === 1 ? undefined : t.messages.osu.page({ n: pages.page }),
  ]);
  return reply({
    blocks: [
      headingBlock(title),
      ...(place.length === 0 ? [] : [textBlock(place)]),
      ...originBlocks({ source: 'osu', stale: view.stale }, t),
      ...(view.picture === undefined ? [] : [view.picture]),
      ...scores.map(score =>
        scoreCard(
          score,
          {
            place: type === 'best' ? places.get(score.id) : undefined,
            rating: view.ratings.get(score.id),
            openToken: view.openToken,
          },
          t,
        ),
      ),
      ...estimateBlocks([...view.ratings.values()], t),
    ],
    actions: [...openMenu(view, t), ...pageActions(pages, t), ...view.actions],
  });
}

function noneSentence({ type, count, places }: ScoresView, t: Translator): string {
  const { scores } = t.messages.osu;
  const { shown } = t.messages.plays;
  if (count === undefined || places.size === 0) return scores.none[type];
  return count === 0 ? shown.none : shown.noSuch({ n: count, shown: t.number(count) });
}

function openMenu({ scores, openToken }: ScoresView, t: Translator): readonly Action[] {
  const choices = scores.flatMap((score): readonly Choice[] => {
    if (score.beatmap_id === null) return [];
    return [{ label: mapName(score, t), detail: resultText(score, t), token: openToken(score.beatmap_id) }];
  });
  return choices.length === 0 ? [] : [{ kind: 'menu', label: t.messages.osu.open, choices }];
}

/** `Artist - Title [Difficulty]` */
export function mapName({ beatmap, beatmapset, beatmap_id }: Score, t: Translator): string {
  if (beatmapset === null) return t.messages.osu.scores.unknownMap({ id: String(beatmap_id ?? '?') });
  return beatmap === null ? setName(beatmapset) : `${setName(beatmapset)} [${beatmap.version}]`;
}

function pageOf({ beatmap, beatmapset, beatmap_id }: Score): string | undefined {
  if (beatmapset !== null) return setPage(beatmapset.id, beatmap ?? undefined);
  return beatmap_id === null ? undefined : mapPage(beatmap_id);
}

export interface ScoreCardOptions {
  readonly rating: Rating | undefined;
  /** In the list of best plays. */
  readonly place?: number | undefined;
  /** For a button that opens the difficulty. */
  readonly openToken?: ScoresView['openToken'];
}

export function scoreCard(score: Score, { place, rating, openToken }: ScoreCardOptions, t: Translator): Card {
  const { beatmap, beatmapset, beatmap_id } = score;
  const page = pageOf(score);
  const name = mapName(score, t);
  const image = beatmapset === null ? undefined : coverOf(beatmapset, beatmapset.list_url);
  const stars = rating?.stars ?? beatmap?.difficulty_rating;
  return {
    kind: 'card',
    title: [place === undefined ? '' : `${t.number(place)}. `, page === undefined ? name : link(page, name)].filter(
      part => part !== '',
    ),
    lines: scoreLines(score, rating, t, resultText(score, t)),
    ...worthOf(score, rating, t),
    ...(image && { image }),
    ...(stars !== undefined && { colour: starColour(stars) }),
    ...(beatmap_id !== null &&
      openToken !== undefined && {
        action: button(t.messages.osu.openOne, openToken(beatmap_id)),
      }),
  };
}

/**
 * `S · 98.75 % · 201 pp (weighted 190 pp) · +HDDT`, then stars with the play's mods, combo and what it had been worth otherwise, then its
 * results and score, then when it was.
 */
function scoreLines(score: Score, rating: Rating | undefined, t: Translator, result: string): readonly Text[] {
  const words = t.messages.osu;
  const { beatmap, pp, weight, max_combo, ended_at, passed } = score;
  const at = ended_at === null ? Number.NaN : Date.parse(ended_at);
  const weighted = weight === null || pp === null ? undefined : words.scores.weighted({ pp: t.decimal(weight.pp, 0) });
  const most = beatmap?.max_combo ?? null;
  const combo = most === null ? `${t.number(max_combo)}x` : `${t.number(max_combo)}/${t.number(most)}x`;
  const misses = score.statistics.miss ?? 0;
  const plain = beatmap === null ? undefined : { stars: beatmap.difficulty_rating, isEstimate: false };
  const stars = rating ?? plain;
  const total = score.legacy_total_score ?? score.total_score;
  return [
    joined([[strong(result)], weighted, passed ? undefined : failedText(score, t), worthText(score, rating, t)]),
    joined([
      stars && ratedStarsWithSwatch(stars, t),
      combo,
      score.is_perfect_combo ? words.scores.fullCombo : misses > 0 ? words.scores.misses({ n: misses }) : undefined,
      fullComboText(score, rating, t),
    ]),
    joined([resultCounts(score, t), total === null ? undefined : words.scores.score({ shown: t.number(total) })]),
    Number.isNaN(at) ? [] : [{ kind: 'time', at, style: 'relative' }],
  ].filter((line): line is Text => line.length > 0);
}

/** The card with other lines, wherever it shows them. */
export function withLines(card: Card, change: (lines: Card['lines']) => Card['lines']): Card {
  const { worth } = card;
  return { ...card, lines: change(card.lines), ...(worth && { worth: { ...worth, lines: change(worth.lines) } }) };
}

/** Its pp, where it has any. */
function worthOf(score: Score, rating: Rating | undefined, t: Translator): Pick<Card, 'worth'> {
  if (score.pp === null) return {};
  const value = t.messages.osu.estimate.pp({ shown: t.decimal(score.pp, 0) });
  return { worth: { value, lines: scoreLines(score, rating, t, resultText({ ...score, pp: null }, t)) } };
}

function failedText(score: Score, t: Translator): string {
  const words = t.messages.osu.scores;
  const completion = completionOf(score);
  return completion === null
    ? words.failed
    : words.failedAt({ percent: `${t.decimal(Math.floor(completion * 100), 0)}%` });
}

/** Of a play that osu! gives no pp for: it failed, or its map is not ranked. */
function worthText({ pp, passed }: Score, rating: Rating | undefined, t: Translator): string | undefined {
  const words = t.messages.osu.scores;
  if (pp !== null || rating?.play == null) return undefined;
  const worth = t.decimal(rating.play.pp, 0);
  return passed ? words.ifRanked({ pp: worth }) : words.untilFail({ pp: worth });
}

function fullComboText({ pp, is_perfect_combo }: Score, rating: Rating | undefined, t: Translator): string | undefined {
  const play = rating?.play;
  if (play == null || is_perfect_combo) return undefined;
  // Rounded to what the play has got, it says nothing.
  if (Math.round(play.ppIfFullCombo) <= Math.round(pp ?? play.pp)) return undefined;
  return t.messages.osu.scores.ifFullCombo({ pp: t.decimal(play.ppIfFullCombo, 0) });
}

/** By whose rules the figures that are not osu!'s were worked out. */
export function estimateBlocks(ratings: readonly (Rating | undefined)[], t: Translator): readonly Block[] {
  const words = t.messages.osu.estimate;
  const estimate = ratings.find(rating => rating?.isEstimate === true);
  if (estimate === undefined) return [];
  const { algorithm } = estimate;
  const sentence = algorithm === null ? words.byFigures : words.by({ date: t.date(Date.parse(algorithm)) });
  return [textBlock([{ kind: 'emphasis', children: [sentence] }])];
}
