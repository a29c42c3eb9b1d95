import { mapPage, setPage, userPage } from '../../beatmaps/model/link.ts';
import type { Player } from '../../beatmaps/model/player.ts';
import type { Score, ScoreType } from '../../beatmaps/model/score.ts';
import type { Translator } from '../../i18n/translate.ts';
import { starColour, starSwatch } from '../osu/star-colour.ts';
import { type Action, type Card, type Choice, type PictureBlock, type Reply, reply, type Text } from '../reply.ts';
import { coverOf, joined, link, originBlocks, setName, starsText } from './beatmap.ts';
import { type PagesView, pageActions } from './beatmap-list.ts';
import { playerTitle } from './player.ts';

export interface ScoresView {
  readonly player: Player;
  readonly type: ScoreType;
  readonly scores: readonly Score[];
  /** What those had been worth as full combos, by the play's number. */
  readonly fullCombos: ReadonlyMap<number, number>;
  /** Place in the list of the first one here, from 1. */
  readonly first: number;
  readonly stale: boolean;
  readonly picture?: PictureBlock | undefined;
  readonly pages: PagesView;
  /** Of the button that opens a difficulty. */
  openToken(mapId: number): string;
}

export interface ScoreView {
  readonly score: Score;
  /** What it had been worth as a full combo; undefined where it is not known, or it was one. */
  readonly fullCombo: number | undefined;
  readonly stale: boolean;
  /** Of its page. */
  readonly url: string;
  /** Of the buttons to its difficulty and its player; undefined where they are unknown. */
  readonly openMap: string | undefined;
  readonly openPlayer: string | undefined;
}

/** One play. */
export function renderScore(view: ScoreView, t: Translator): Reply {
  const { score, fullCombo, stale, url, openMap, openPlayer } = view;
  const { user_id, username, mode } = score;
  const words = t.messages.osu;
  const name = username ?? words.scores.unknownPlayer;
  const button = (label: string, token: string | undefined): readonly Action[] =>
    token === undefined ? [] : [{ kind: 'button', label, token, style: 'secondary' }];
  return reply({
    blocks: [
      {
        kind: 'heading',
        text: [user_id === null ? name : link(userPage(user_id, mode), name), ` (${words.modes[mode]})`],
      },
      ...originBlocks({ source: 'osu', stale }, t),
      scoreCard(score, { fullCombo }, t),
    ],
    actions: [
      { kind: 'link', label: words.openAtOsu, url },
      ...button(words.scores.map, openMap),
      ...button(words.scores.player, openPlayer),
    ],
  });
}

/** Plays as cards. */
export function renderScores(view: ScoresView, t: Translator): Reply {
  const { player, type, scores, pages, first } = view;
  const words = t.messages.osu.scores;
  const title = [...playerTitle(player), `: ${words.titles[type]} (${t.messages.osu.modes[player.mode]})`];
  if (scores.length === 0) {
    const sentence = pages.page > 1 ? words.noMore : words.none[type];
    return reply({
      tone: 'notice',
      blocks: [
        { kind: 'heading', text: title },
        { kind: 'text', text: [sentence] },
      ],
      actions: pageActions(pages, t),
    });
  }
  const place = pages.page === 1 ? [] : [t.messages.osu.page(pages.page)];
  return reply({
    blocks: [
      { kind: 'heading', text: title },
      ...place.map(text => ({ kind: 'text', text: [text] }) as const),
      ...originBlocks({ source: 'osu', stale: view.stale }, t),
      ...(view.picture === undefined ? [] : [view.picture]),
      ...scores.map((score, index) =>
        scoreCard(
          score,
          {
            place: type === 'best' ? first + index : undefined,
            fullCombo: view.fullCombos.get(score.id),
            openToken: view.openToken,
          },
          t,
        ),
      ),
    ],
    actions: [...openMenu(view, t), ...pageActions(pages, t)],
  });
}

function openMenu({ scores, openToken }: ScoresView, t: Translator): readonly Action[] {
  const choices = scores.flatMap((score): readonly Choice[] => {
    if (score.beatmap_id === null) return [];
    return [{ label: mapName(score, t), detail: resultText(score, t), token: openToken(score.beatmap_id) }];
  });
  return choices.length === 0 ? [] : [{ kind: 'menu', label: t.messages.osu.open, choices }];
}

function mapName({ beatmap, beatmapset, beatmap_id }: Score, t: Translator): string {
  if (beatmapset === null) return t.messages.osu.scores.unknownMap(String(beatmap_id ?? '?'));
  return beatmap === null ? setName(beatmapset) : `${setName(beatmapset)} [${beatmap.version}]`;
}

function pageOf({ beatmap, beatmapset, beatmap_id }: Score): string | undefined {
  if (beatmapset !== null) return setPage(beatmapset.id, beatmap ?? undefined);
  return beatmap_id === null ? undefined : mapPage(beatmap_id);
}

interface ScoreCardOptions {
  readonly fullCombo: number | undefined;
  /** In the list of best plays. */
  readonly place?: number | undefined;
  /** For a button that opens the difficulty. */
  readonly openToken?: ScoresView['openToken'];
}

function scoreCard(score: Score, { place, fullCombo, openToken }: ScoreCardOptions, t: Translator): Card {
  const { beatmap, beatmapset, beatmap_id } = score;
  const page = pageOf(score);
  const name = mapName(score, t);
  const image = beatmapset === null ? undefined : coverOf(beatmapset, beatmapset.list_url);
  const stars = beatmap?.difficulty_rating;
  return {
    kind: 'card',
    title: [place === undefined ? '' : `${t.number(place)}. `, page === undefined ? name : link(page, name)].filter(
      part => part !== '',
    ),
    lines: scoreLines(score, fullCombo, t),
    ...(image && { image }),
    ...(stars !== undefined && { colour: starColour(stars) }),
    ...(beatmap_id !== null &&
      openToken !== undefined && {
        action: { kind: 'button', label: t.messages.osu.openOne, token: openToken(beatmap_id), style: 'secondary' },
      }),
  };
}

/** `S · 98.75 % · 201 pp (weighted 190 pp) · +HDDT`, then the map's stars, the play's combo and what it had been worth as a full one, then when it was. */
function scoreLines(score: Score, fullCombo: number | undefined, t: Translator): readonly Text[] {
  const words = t.messages.osu;
  const { beatmap, pp, weight, max_combo, ended_at, passed } = score;
  const at = ended_at === null ? Number.NaN : Date.parse(ended_at);
  const weighted = weight === null || pp === null ? undefined : words.scores.weighted(t.decimal(weight.pp, 0));
  const most = beatmap?.max_combo ?? null;
  const combo = most === null ? `${t.number(max_combo)}x` : `${t.number(max_combo)}/${t.number(most)}x`;
  const misses = score.statistics.miss ?? 0;
  return [
    joined([
      [{ kind: 'strong', children: [resultText(score, t)] }],
      weighted,
      passed ? undefined : words.scores.failed,
    ]),
    joined([
      beatmap === null
        ? undefined
        : [starSwatch(beatmap.difficulty_rating), ` ${starsText(beatmap.difficulty_rating, t)}`],
      combo,
      score.is_perfect_combo ? words.scores.fullCombo : misses > 0 ? words.scores.misses(misses) : undefined,
      // Rounded to what the play has got, it says nothing.
      fullCombo === undefined || pp === null || Math.round(fullCombo) <= Math.round(pp)
        ? undefined
        : words.scores.ifFullCombo(t.decimal(fullCombo, 0)),
    ]),
    Number.isNaN(at) ? [] : [{ kind: 'time', at, style: 'relative' }],
  ].filter((line): line is Text => line.length > 0);
}

const GRADES: Readonly<Record<string, string>> = { XH: 'SS', X: 'SS', SH: 'S' };

function resultText({ rank, accuracy, pp, mods }: Score, t: Translator): string {
  const shown = mods.map(({ acronym }) => acronym).filter(acronym => acronym !== 'CL');
  const parts = [
    GRADES[rank] ?? rank,
    `${t.decimal(accuracy * 100, 2, 2)}%`,
    pp === null ? undefined : `${t.decimal(pp, 0)} pp`,
    shown.length === 0 ? undefined : `+${shown.join('')}`,
  ];
  return parts.filter(part => part !== undefined).join(' · ');
}
