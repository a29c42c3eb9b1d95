import { DIFFICULTY_ALGORITHM } from '../../../beatmaps/difficulty/difficulty.ts';
import { changeMods, foldMod, type ModWish, parseModWishes } from '../../../beatmaps/model/mods.ts';
import { countOf, type Score, type ScoreMod } from '../../../beatmaps/model/score.ts';
import { isChoke } from '../../../beatmaps/plays/score-filter.ts';
import { replacePlays } from '../../../beatmaps/plays/total-pp.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand, MOD_FILTER, type Mode, modeOf, TERMS } from '../../contract/command.ts';
import type { Reply, Text } from '../../contract/reply.ts';
import { button, joined, reply, stacked, strong, textBlock } from '../../contract/reply-parts.ts';
import { ABOUT_PLAYER, askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked.ts';
import { playedMapMenu, playerButtons, tokensOf } from '../../osu/buttons.ts';
import { type BestPlays, bestPlays, ratePlays } from '../../osu/plays.ts';
import { numberedLine, numberedPageActions } from '../../views/osu/beatmap-list.ts';
import { gainText, playerHead, ppText } from '../../views/osu/facts.ts';
import { estimateBlocks, linkedMap, modsText } from '../../views/osu/score.ts';

const PER_PAGE = 10;
/** How many best plays are calculated anew: lower plays hardly count, and each play needs its map's file. */
const MOST = 100;

const PAGE = { ...TERMS.page, max: 20, bare: TERMS.index.bare };

/** Shows the best plays as if each had no miss, and the total pp that they would make. */
export const osuNoChoke = defineCommand({
  name: 'osu nochoke',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION, page: PAGE },
  ...ABOUT_PLAYER,
  cost: 2,
  async run(asked, context: CommandContext) {
    const { osu, plays } = context.t.messages;
    const { noChoke } = plays;
    return rework('osu nochoke', asked, context, {
      change: score => (isChoke(score) ? score : undefined),
      worthOf: ({ pp }, rating) => Math.max(pp ?? 0, rating.play?.ppIfFullCombo ?? 0),
      words: noChoke,
      none: ({ scores }) => (scores.length === 0 ? osu.scores.none.best : noChoke.none),
    });
  },
});

/** Shows the best plays as if they had been played with given mods. */
export const osuTopIf = defineCommand({
  name: 'osu topif',
  options: { mods: { ...MOD_FILTER, required: true }, player: PLAYER_OPTION, mode: MODE_OPTION, page: PAGE },
  ...ABOUT_PLAYER,
  cost: 2,
  async run({ mods: wished, ...asked }, context: CommandContext) {
    const { osu, plays } = context.t.messages;
    const wishes = parseModWishes(wished);
    const mods = printedWishes(wishes);
    return rework('osu topif', asked, context, {
      change(score) {
        const changed = changeMods(score.mods, wishes);
        const isSame = modsKey(changed) === modsKey(score.mods);
        return isSame ? undefined : { ...score, mods: changed, pp: null };
      },
      worthOf: ({ pp }, rating) => rating.play?.pp ?? pp ?? 0,
      words: {
        ...plays.topIf,
        title: values => plays.topIf.title({ ...values, mods }),
        total: values => plays.topIf.total({ ...values, mods }),
      },
      none: ({ scores }) => (scores.length === 0 ? osu.scores.none.best : plays.topIf.none({ mods })),
      values: { mods: wished },
    });
  },
});

/**
 * Shows the best plays with the pp that they had by earlier pp rules of osu!: by the newest rules of the library that
 * estimates pp (rosu-pp), which are older than osu!'s present ones.
 */
export const osuTopOld = defineCommand({
  name: 'osu topold',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION, page: PAGE },
  ...ABOUT_PLAYER,
  cost: 2,
  listed: 'typed',
  async run(asked, context: CommandContext) {
    const { osu, plays } = context.t.messages;
    const date = context.t.date(Date.parse(DIFFICULTY_ALGORITHM));
    return rework('osu topold', asked, context, {
      change: score => ({ ...score, pp: null }),
      worthOf: (_, { difficulty }) => difficulty?.play?.pp ?? 0,
      isScan: true,
      words: {
        title: values => plays.topOld.title({ ...values, date }),
        total: plays.topOld.total,
        partial: plays.topIf.partial,
      },
      none: () => osu.scores.none.best,
    });
  },
});

const modsKey = (mods: readonly ScoreMod[]) =>
  mods
    .map(({ acronym }) => foldMod(acronym))
    .sort()
    .join('');

/** The conditions on mods, as a person types them: `+HD -HR NM`. */
function printedWishes(wishes: readonly ModWish[]): string {
  return wishes
    .map(({ mods, isWithout, isAlone }) =>
      mods.length === 0 ? 'NM' : `${isWithout ? '-' : '+'}${mods.join('')}${isAlone ? '!' : ''}`,
    )
    .join(' ');
}

interface Asked {
  readonly player: string | undefined;
  readonly mode: Mode | undefined;
  readonly page: number | undefined;
}

interface Rework {
  /** Makes the changed play whose pp are to be calculated; returns undefined for a play that keeps its pp. */
  readonly change: (score: Score) => Score | undefined;
  /** The pp of a play that `change` has returned. */
  readonly worthOf: (score: Score, rating: Rating) => number;
  /**
   * True when all pp are calculated by the library that estimates them; osu!'s exact but slower calculator is not run.
   */
  readonly isScan?: boolean;
  readonly words: {
    title(values: { readonly mode: string }): string;
    total(values: { readonly now: string; readonly after: string }): string;
    partial(values: { readonly done: string; readonly all: string }): string;
  };
  /** The sentence to show if no play would change. */
  readonly none: (plays: BestPlays) => string;
  /** The values of the command's own options, which the buttons to other pages repeat beside player, mode and page. */
  readonly values?: Readonly<Record<string, string>>;
}

/**
 * Answers a command that asks how a player's best plays would look after a change, such as other mods. It makes the
 * changed plays with `change`, calculates their pp, and lists all best plays by the resulting pp, with the player's new
 * total.
 */
async function rework(
  command: string,
  { player, mode, page = 1 }: Asked,
  context: CommandContext,
  { change, worthOf, isScan = false, words, none, values }: Rework,
): Promise<Reply> {
  const { services, signal, t } = context;
  const { user, stale } = await askedUser({ player, mode }, context);
  const plays = await bestPlays(user, services.beatmaps, signal);
  const changed = plays.scores.flatMap(score => change(score) ?? []).slice(0, MOST);
  const title = words.title({ mode: t.messages.osu.modes[user.mode] });
  const head = playerHead(user, title, stale || plays.stale, t);
  const actions = playerButtons(user, ['best', 'profile'], services, t);
  if (changed.length === 0) return reply({ tone: 'notice', blocks: [...head, textBlock([none(plays)])], actions });
  const byId = new Map(changed.map(score => [score.id, score]));
  const ratings = await ratePlays(changed, context, { isScan });
  const entries = plays.scores.map((played): ReworkedPlay => {
    const score = byId.get(played.id);
    const rating = score && ratings.get(score);
    const now = played.pp ?? 0;
    return { score: score ?? played, now, worth: score && rating?.play ? worthOf(score, rating) : now };
  });
  const total = plays.total ?? replacePlays({ best: [], total: null }, plays.best);
  const worths = entries.map(({ worth }) => worth);
  const after = replacePlays(plays, worths);
  const done = changed.filter(score => ratings.get(score)?.play != null).length;
  const isPartial = done < changed.length;
  const end = page * PER_PAGE;
  const shown = entries.toSorted((a, b) => b.worth - a.worth).slice(end - PER_PAGE, end);
  const scores = shown.map(({ score }) => score);
  const lines = shown.map((entry, index) => entryLine(entry, end - PER_PAGE + 1 + index, t));
  const token = tokensOf(command, { ...values, player: String(user.id), mode: modeOf(user.mode) }, services);
  return reply({
    blocks: [
      ...head,
      textBlock(
        joined([
          [strong(words.total({ now: t.decimal(total, 0), after: t.decimal(after, 0) }))],
          t.messages.plays.noChoke.gain({ gain: gainText(after - total, t) }),
        ]),
      ),
      textBlock(stacked(lines)),
      ...(isPartial ? [textBlock([words.partial({ done: t.number(done), all: t.number(changed.length) })])] : []),
      ...(isScan ? [] : estimateBlocks([...ratings.values()], t)),
    ],
    actions: [
      ...(isPartial ? [button(t.messages.plays.buttons.again, token({ page }))] : []),
      ...numberedPageActions(page, end < entries.length, token, t),
      ...actions,
      ...playedMapMenu(scores, context),
    ],
  });
}

interface ReworkedPlay {
  /** The play, with the mods that it would have. */
  readonly score: Score;
  /** The pp that the play has now. */
  readonly now: number;
  /** The pp of the play after the change. */
  readonly worth: number;
}

/** A line such as `1. Artist - Title [Insane] +HD · 201 → about 240 pp · 2 misses`. */
function entryLine({ score, now: before, worth }: ReworkedPlay, place: number, t: Translator): Text {
  const mods = modsText(score, t);
  const misses = countOf(score, 'miss');
  const now = t.decimal(before, 0);
  const after = t.decimal(worth, 0);
  const parts = [
    [linkedMap(score, t), mods === undefined ? '' : ` ${mods}`],
    now === after ? ppText(before, t) : t.messages.plays.noChoke.worth({ now, after }),
    misses > 0 ? t.messages.osu.scores.misses({ n: misses }) : undefined,
  ];
  return numberedLine(place, parts, t);
}
