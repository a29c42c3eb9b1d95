import { statusNumber } from '../../../beatmaps/model/beatmapset.ts';
import { scorePage, userPage } from '../../../beatmaps/model/link.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';
import {
  type Action,
  type Choice,
  headingBlock,
  joined,
  link,
  type Reply,
  reply,
  stacked,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { originBlocks } from './beatmap.ts';
import { type PagesView, pageActions } from './beatmap-list.ts';
import { type AskedMap, mapHeading } from './map-heading.ts';
import { resultText } from './play-result.ts';

export interface LeaderboardView {
  readonly map: AskedMap;
  readonly of: 'world' | 'here';
  /** Exactly those of the plays; undefined for all. */
  readonly mods: readonly string[] | undefined;
  /** Best first, with their players. */
  readonly scores: readonly Score[];
  /** Place of the first one here. */
  readonly first: number;
  /** Members who were not looked up yet. */
  readonly left: number;
  readonly stale: boolean;
  readonly pages: PagesView;
  /** Of the menu's choice that opens a player. */
  openPlayer(id: number): string;
  readonly actions: readonly Action[];
}

/** The best plays on a map, a line each. */
export function renderLeaderboard(view: LeaderboardView, t: Translator): Reply {
  const { map, of, mods, scores, first, left, stale, pages, actions } = view;
  const words = t.messages.plays.leaderboard;
  const asked = mods === undefined ? '' : ` +${mods.join('') || 'NM'}`;
  const more = left === 0 ? [] : [textBlock([words.left({ n: left })])];
  const heading = [
    headingBlock([`${words[of]}${asked}`]),
    ...mapHeading(map, t),
    ...originBlocks({ source: map.source, stale }, t),
  ];
  const ways = [...pageActions(pages, t), ...actions];
  if (scores.length === 0) {
    return reply({
      tone: 'notice',
      blocks: [...heading, textBlock([emptySentence(view, t)]), ...more],
      actions: ways,
    });
  }
  return reply({
    blocks: [...heading, textBlock(stacked(scores.map((score, index) => scoreLine(score, first + index, t)))), ...more],
    actions: [...ways, ...playerMenu(view, t)],
  });
}

function emptySentence({ map, of }: LeaderboardView, t: Translator): string {
  const words = t.messages.plays.leaderboard;
  if (statusNumber(map.beatmap.status) <= 0) return words.noLeaderboard;
  return of === 'here' ? words.noneHere : words.none;
}

/** `1. salt shaker · S · 98.75% · 201 pp · +HD · 512x · 2 misses` */
function scoreLine(score: Score, place: number, t: Translator): Text {
  const { id, user_id, username, mode, max_combo, is_perfect_combo, statistics } = score;
  const words = t.messages.osu.scores;
  const name = username ?? words.unknownPlayer;
  const misses = statistics.miss ?? 0;
  return [
    `${t.number(place)}. `,
    ...joined([
      [strong(user_id === null ? name : link(userPage(user_id, mode), name))],
      [link(scorePage(id), resultText(score, t))],
      t.messages.osu.combo({ shown: t.number(max_combo) }),
      is_perfect_combo ? words.fullCombo : misses > 0 ? words.misses({ n: misses }) : undefined,
    ]),
  ];
}

function playerMenu({ scores, openPlayer }: LeaderboardView, t: Translator): readonly Action[] {
  const choices = scores.flatMap(({ user_id, username, ...score }): readonly Choice[] =>
    user_id === null || username === null
      ? []
      : [{ label: username, detail: resultText({ ...score, user_id, username }, t), token: openPlayer(user_id) }],
  );
  return choices.length === 0 ? [] : [{ kind: 'menu', label: t.messages.plays.buttons.profile, choices }];
}
