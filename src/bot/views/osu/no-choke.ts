import { mapPage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';
import {
  type Action,
  button,
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
import { modsText } from './play-result.ts';
import { playerTitle } from './player.ts';
import { mapName } from './score-list.ts';
import { gainText } from './totals.ts';

export interface NoChokeEntry {
  readonly score: Score;
  /** Without its choke; as it is where it had none. */
  readonly worth: number;
}

export interface NoChokeView {
  readonly player: Player;
  readonly stale: boolean;
  /** Worth most without chokes first. */
  readonly entries: readonly NoChokeEntry[];
  /** Place of the first one here. */
  readonly first: number;
  readonly present: number;
  readonly total: number;
  readonly chokes: number;
  /** Chokes whose worth is known. */
  readonly done: number;
  /** Of the button that works out the others. */
  readonly again: string | undefined;
  readonly pages: PagesView;
  openToken(mapId: number): string;
  readonly actions: readonly Action[];
}

/** The best plays as if none had choked. */
export function renderNoChoke(view: NoChokeView, t: Translator): Reply {
  const { player, stale, entries, first, present, total, chokes, done, again, pages, actions } = view;
  const words = t.messages.plays.noChoke;
  const round = (pp: number) => t.decimal(pp, 0);
  const heading = [
    headingBlock([...playerTitle(player), `: ${words.title({ mode: t.messages.osu.modes[player.mode] })}`]),
    ...originBlocks({ source: 'osu', stale }, t),
  ];
  if (chokes === 0) {
    return reply({ tone: 'notice', blocks: [...heading, textBlock([words.none])], actions });
  }
  const sum = joined([
    [strong(words.total({ now: round(present), after: round(total) }))],
    words.gain({ gain: gainText(total - present, t) }),
  ]);
  return reply({
    blocks: [
      ...heading,
      textBlock(sum),
      textBlock(stacked(entries.map((entry, index) => entryLine(entry, first + index, t)))),
      ...(done < chokes ? [textBlock([words.partial({ done: t.number(done), all: t.number(chokes) })])] : []),
    ],
    actions: [
      ...(again === undefined ? [] : [button(t.messages.plays.buttons.again, again)]),
      ...pageActions(pages, t),
      ...actions,
      ...openMenu(view, t),
    ],
  });
}

/** `1. Artist - Title [Insane] +HD · 201 → about 240 pp · 2 misses` */
function entryLine({ score, worth }: NoChokeEntry, place: number, t: Translator): Text {
  const { beatmap_id, pp, statistics } = score;
  const name = mapName(score, t);
  const mods = modsText(score, t);
  const misses = statistics.miss ?? 0;
  const now = t.decimal(pp ?? 0, 0);
  const then = t.decimal(worth, 0);
  return [
    `${t.number(place)}. `,
    ...joined([
      [beatmap_id === null ? name : link(mapPage(beatmap_id), name), mods === undefined ? '' : ` ${mods}`],
      now === then ? t.messages.osu.estimate.pp({ shown: now }) : t.messages.plays.noChoke.worth({ now, after: then }),
      misses > 0 ? t.messages.osu.scores.misses({ n: misses }) : undefined,
    ]),
  ];
}

function openMenu({ entries, openToken }: NoChokeView, t: Translator): readonly Action[] {
  const choices = entries.flatMap(({ score }): readonly Choice[] =>
    score.beatmap_id === null ? [] : [{ label: mapName(score, t), token: openToken(score.beatmap_id) }],
  );
  return choices.length === 0 ? [] : [{ kind: 'menu', label: t.messages.osu.open, choices }];
}
