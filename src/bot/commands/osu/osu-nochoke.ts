import { mapPage } from '../../../beatmaps/model/link.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import { isChoke } from '../../../beatmaps/plays/score-filter.ts';
import { replacePlays } from '../../../beatmaps/plays/totals.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
  button,
  type Choice,
  headingBlock,
  joined,
  link,
  menu,
  reply,
  stacked,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { modeOf, TERMS } from '../../contract/terms.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { openMapToken, playerButtons } from '../../osu/buttons.ts';
import { type BestPlays, bestPlays, ratePlays } from '../../osu/plays.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { pageActions } from '../../views/osu/beatmap-list.ts';
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
    page: { ...TERMS.page, max: 20 },
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
    const words = t.messages.plays.noChoke;
    const actions = playerButtons(user, ['best', 'profile'], services, t);
    const heading = [
      headingBlock([...playerTitle(user), `: ${words.title({ mode: t.messages.osu.modes[user.mode] })}`]),
      ...originBlocks({ source: 'osu', stale: stale || plays.stale }, t),
    ];
    if (chokes.length === 0) {
      return reply({ tone: 'notice', blocks: [...heading, textBlock([words.none])], actions });
    }
    const shown = ordered.slice(end - PER_PAGE, end);
    const isPartial = done < chokes.length;
    const partial = { done: t.number(done), all: t.number(chokes.length) };
    const pages = {
      page,
      back: page === 1 ? undefined : turn(page - 1),
      more: end < ordered.length ? turn(page + 1) : undefined,
    };
    const lines = shown.map((entry, index) => entryLine(entry, end - PER_PAGE + 1 + index, t));
    return reply({
      blocks: [
        ...heading,
        textBlock(totalText(plays, entries, t)),
        textBlock(stacked(lines)),
        ...(isPartial ? [textBlock([words.partial(partial)])] : []),
      ],
      actions: [
        ...(isPartial ? [button(t.messages.plays.buttons.again, turn(page))] : []),
        ...pageActions(pages, t),
        ...actions,
        ...openMenu(shown, id => openMapToken(services, id), t),
      ],
    });
  },
});

interface NoChokeEntry {
  readonly score: Score;
  /** Without its choke; as it is where it had none. */
  readonly worth: number;
}

/** The total as it is, and as it would be. */
function totalText(plays: BestPlays, entries: readonly NoChokeEntry[], t: Translator): Text {
  const words = t.messages.plays.noChoke;
  const worths = entries.map(({ worth }) => worth);
  const [now, after] = [
    plays.total ?? replacePlays({ best: [], total: null }, plays.best),
    replacePlays(plays, worths),
  ];
  return joined([
    [strong(words.total({ now: t.decimal(now, 0), after: t.decimal(after, 0) }))],
    words.gain({ gain: gainText(after - now, t) }),
  ]);
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

function openMenu(entries: readonly NoChokeEntry[], openToken: (mapId: number) => string, t: Translator) {
  const choices = entries.flatMap(({ score }): readonly Choice[] =>
    score.beatmap_id === null ? [] : [{ label: mapName(score, t), token: openToken(score.beatmap_id) }],
  );
  return menu(t.messages.osu.open, choices);
}
