import { mapPage } from '../../../beatmaps/model/link.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import { isChoke } from '../../../beatmaps/plays/score-filter.ts';
import { replacePlays } from '../../../beatmaps/plays/totals.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
  type Action,
  button,
  type Choice,
  headingBlock,
  joined,
  link,
  menu,
  type Reply,
  reply,
  stacked,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { askedUser, MODE_OPTION, modeOf, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { openMapToken, playerButtons } from '../../osu/buttons.ts';
import { bestPlays, ratePlays } from '../../osu/plays.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { type PagesView, pageActions } from '../../views/osu/beatmap-list.ts';
import { gainText, playerTitle } from '../../views/osu/player.ts';
import { mapName, modsText } from '../../views/osu/score.ts';

const PER_PAGE = 10;
/** Worse plays hardly count, and each takes a file. */
const MOST = 100;

/** The best plays as if none of them had choked, and what the total would be then. */
export const osuNoChoke = defineCommand({
  name: 'osu nochoke',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    page: { type: 'integer', min: 1, max: 20, only: 'button' },
  },
  visibility: 'chat',
  cost: 2,
  subject: 'player',
  async run({ player, mode, page = 1 }, context: CommandContext) {
    const { services, signal, t } = context;
    const { user, stale } = await askedUser({ player, mode }, context);
    const plays = await bestPlays(user, services.beatmaps, signal);
    const chokes = plays.scores.filter(isChoke).slice(0, MOST);
    const ratings = await ratePlays(chokes, context);
    const worthOf = (id: number, pp: number) => Math.max(pp, ratings.get(id)?.play?.ppIfFullCombo ?? 0);
    const entries = plays.scores.map(score => ({ score, worth: worthOf(score.id, score.pp ?? 0) }));
    const ordered = entries.toSorted((a, b) => b.worth - a.worth);
    const end = page * PER_PAGE;
    const done = chokes.filter(({ id }) => ratings.get(id)?.play != null).length;
    const turn = (to: number) =>
      services.actions.encode({
        command: 'osu nochoke',
        values: { player: String(user.id), mode: modeOf(user.mode), page: to },
      });
    const present = plays.total ?? replacePlays({ best: [], total: null }, plays.best);
    return renderNoChoke(
      {
        player: user,
        stale: stale || plays.stale,
        entries: ordered.slice(end - PER_PAGE, end),
        first: end - PER_PAGE + 1,
        present,
        total: replacePlays(
          plays,
          entries.map(({ worth }) => worth),
        ),
        chokes: chokes.length,
        done,
        again: done < chokes.length ? turn(page) : undefined,
        pages: {
          page,
          back: page === 1 ? undefined : turn(page - 1),
          more: end < ordered.length ? turn(page + 1) : undefined,
        },
        openToken: id => openMapToken(services, id),
        actions: playerButtons(user, ['best', 'profile'], services, t),
      },
      t,
    );
  },
});

interface NoChokeEntry {
  readonly score: Score;
  /** Without its choke; as it is where it had none. */
  readonly worth: number;
}

interface NoChokeView {
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
  /** The token of the button that works out the others. */
  readonly again: string | undefined;
  readonly pages: PagesView;
  openToken(mapId: number): string;
  readonly actions: readonly Action[];
}

/** The best plays as if none had choked. */
function renderNoChoke(view: NoChokeView, t: Translator): Reply {
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
  return menu(t.messages.osu.open, choices);
}
