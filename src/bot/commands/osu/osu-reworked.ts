import { DIFFICULTY_ALGORITHM } from '../../../beatmaps/difficulty/difficulty.ts';
import { mapPage } from '../../../beatmaps/model/link.ts';
import { changeMods, foldMod, type ModWish, parseModWishes } from '../../../beatmaps/model/mods.ts';
import type { Score, ScoreMod } from '../../../beatmaps/model/score.ts';
import { isChoke } from '../../../beatmaps/plays/score-filter.ts';
import { replacePlays } from '../../../beatmaps/plays/totals.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
  button,
  type Choice,
  headingBlock,
  joined,
  labelled,
  link,
  menu,
  type Reply,
  reply,
  stacked,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { MOD_FILTER, type Mode, modeOf, TERMS } from '../../contract/terms.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { openMapToken, playerButtons } from '../../osu/buttons.ts';
import { type BestPlays, bestPlays, ratePlays } from '../../osu/plays.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { pageActions } from '../../views/osu/beatmap-list.ts';
import { gainText, playerTitle } from '../../views/osu/player.ts';
import { estimateBlocks, mapName, modsText } from '../../views/osu/score.ts';

const PER_PAGE = 10;
/** How many best plays are calculated anew: lower ones hardly count, and each needs a file. */
const MOST = 100;

const PAGE = { ...TERMS.page, max: 20 };

/** Shows the best plays as if each had no miss, and the total pp that they would make. */
export const osuNoChoke = defineCommand({
  name: 'osu nochoke',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION, page: PAGE },
  visibility: 'chat',
  cost: 2,
  subject: 'player',
  async run(asked, context: CommandContext) {
    const { noChoke } = context.t.messages.plays;
    const worked = await rework(asked, context, {
      change: score => (isChoke(score) ? score : undefined),
      worthOf: ({ pp }, rating) => Math.max(pp ?? 0, rating.play?.ppIfFullCombo ?? 0),
    });
    return render(worked, { command: 'osu nochoke', values: {}, words: noChoke, none: noChoke.none }, context);
  },
});

/** Shows the best plays as if they had been played with given mods. */
export const osuTopIf = defineCommand({
  name: 'osu topif',
  options: { mods: { ...MOD_FILTER, required: true }, player: PLAYER_OPTION, mode: MODE_OPTION, page: PAGE },
  visibility: 'chat',
  cost: 2,
  subject: 'player',
  async run({ mods: wished, ...asked }, context: CommandContext) {
    const { osu, plays } = context.t.messages;
    const wishes = parseModWishes(wished);
    const worked = await rework(asked, context, {
      change(score) {
        const mods = changeMods(score.mods, wishes);
        const isSame = modsKey(mods) === modsKey(score.mods);
        return isSame ? undefined : { ...score, mods, pp: null };
      },
      worthOf: ({ pp }, rating) => rating.play?.pp ?? pp ?? 0,
    });
    const mods = printedWishes(wishes);
    const words = {
      title: ({ mode }: { readonly mode: string }) => plays.topIf.title({ mods, mode }),
      total: ({ now, after }: { readonly now: string; readonly after: string }) =>
        plays.topIf.total({ now, after, mods }),
      partial: plays.topIf.partial,
    };
    const none = worked.plays.scores.length === 0 ? osu.scores.none.best : plays.topIf.none({ mods });
    return render(worked, { command: 'osu topif', values: { mods: wished }, words, none }, context);
  },
});

/** Shows the best plays by earlier pp rules of osu!: the newest that the estimating library has. */
export const osuTopOld = defineCommand({
  name: 'osu topold',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION, page: PAGE },
  visibility: 'chat',
  cost: 2,
  listed: 'typed',
  subject: 'player',
  async run(asked, context: CommandContext) {
    const { osu, plays } = context.t.messages;
    const worked = await rework(asked, context, {
      change: score => ({ ...score, pp: null }),
      worthOf: (_, { difficulty }) => difficulty?.play?.pp ?? 0,
      isScan: true,
    });
    const date = context.t.date(Date.parse(DIFFICULTY_ALGORITHM));
    const words = {
      title: ({ mode }: { readonly mode: string }) => plays.topOld.title({ date, mode }),
      total: plays.topOld.total,
      partial: plays.topIf.partial,
    };
    const none = osu.scores.none.best;
    return render({ ...worked, ratings: new Map() }, { command: 'osu topold', values: {}, words, none }, context);
  },
});

const modsKey = (mods: readonly ScoreMod[]) =>
  mods
    .map(({ acronym }) => foldMod(acronym))
    .sort()
    .join('');

/** A text such as `+HD -HR NM`. */
function printedWishes(wishes: readonly ModWish[]): string {
  return wishes
    .map(({ mods, isWithout, isAlone }) =>
      mods.length === 0 ? 'NM' : `${isWithout ? '-' : '+'}${mods.join('')}${isAlone ? '!' : ''}`,
    )
    .join(' ');
}

interface Rework {
  /** Changes a play; returns undefined for one that stays as it is. */
  readonly change: (score: Score) => Score | undefined;
  /** The pp of a play that `change` has returned. */
  readonly worthOf: (score: Score, rating: Rating) => number;
  /** True when the library calculates all pp, so that osu! is not asked. */
  readonly isScan?: boolean;
}

interface Asked {
  readonly player: string | undefined;
  readonly mode: Mode | undefined;
  readonly page: number | undefined;
}

/** Changes the best plays and calculates the pp of each. */
async function rework(
  { player, mode, page = 1 }: Asked,
  context: CommandContext,
  { change, worthOf, isScan = false }: Rework,
) {
  const { user, stale } = await askedUser({ player, mode }, context);
  const plays = await bestPlays(user, context.services.beatmaps, context.signal);
  const changed = plays.scores.flatMap(score => change(score) ?? []).slice(0, MOST);
  const byId = new Map(changed.map(score => [score.id, score]));
  const ratings = await ratePlays(changed, context, { isScan });
  const entries = plays.scores.map((played): ReworkedPlay => {
    const score = byId.get(played.id);
    const rating = ratings.get(played.id);
    const isWorkedOut = score !== undefined && rating?.play != null;
    return {
      score: score ?? played,
      now: played.pp ?? 0,
      worth: isWorkedOut ? worthOf(score, rating) : (played.pp ?? 0),
    };
  });
  const done = changed.filter(({ id }) => ratings.get(id)?.play != null).length;
  return { user, plays, entries, ratings, page, done, all: changed.length, stale: stale || plays.stale };
}

interface Said {
  readonly command: 'osu nochoke' | 'osu topif' | 'osu topold';
  readonly values: Readonly<Record<string, string>>;
  readonly words: {
    title(values: { readonly mode: string }): string;
    total(values: { readonly now: string; readonly after: string }): string;
    partial(values: { readonly done: string; readonly all: string }): string;
  };
  /** The sentence to show if no play would change. */
  readonly none: string;
}

function render(
  { user, plays, entries, ratings, page, done, all, stale }: Awaited<ReturnType<typeof rework>>,
  { command, values, words, none }: Said,
  { services, t }: CommandContext,
): Reply {
  const turn = (to: number) =>
    services.actions.encode({
      command,
      values: { ...values, player: String(user.id), mode: modeOf(user.mode), page: to },
    });
  const actions = playerButtons(user, ['best', 'profile'], services, t);
  const heading = [
    headingBlock(labelled(playerTitle(user), [words.title({ mode: t.messages.osu.modes[user.mode] })], t)),
    ...originBlocks({ source: 'osu', stale }, t),
  ];
  if (all === 0) return reply({ tone: 'notice', blocks: [...heading, textBlock([none])], actions });
  const ordered = entries.toSorted((a, b) => b.worth - a.worth);
  const end = page * PER_PAGE;
  const shown = ordered.slice(end - PER_PAGE, end);
  const isPartial = done < all;
  const pages = {
    page,
    back: page === 1 ? undefined : turn(page - 1),
    more: end < ordered.length ? turn(page + 1) : undefined,
  };
  const lines = shown.map((entry, index) => entryLine(entry, end - PER_PAGE + 1 + index, t));
  return reply({
    blocks: [
      ...heading,
      textBlock(totalText(plays, entries, words, t)),
      textBlock(stacked(lines)),
      ...(isPartial ? [textBlock([words.partial({ done: t.number(done), all: t.number(all) })])] : []),
      ...estimateBlocks([...ratings.values()], t),
    ],
    actions: [
      ...(isPartial ? [button(t.messages.plays.buttons.again, turn(page))] : []),
      ...pageActions(pages, t),
      ...actions,
      ...openMenu(shown, id => openMapToken(services, id), t),
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

/** Says what the player's total pp is, and what it would be. */
function totalText(plays: BestPlays, entries: readonly ReworkedPlay[], words: Said['words'], t: Translator): Text {
  const worths = entries.map(({ worth }) => worth);
  const [now, after] = [
    plays.total ?? replacePlays({ best: [], total: null }, plays.best),
    replacePlays(plays, worths),
  ];
  return joined([
    [strong(words.total({ now: t.decimal(now, 0), after: t.decimal(after, 0) }))],
    t.messages.plays.noChoke.gain({ gain: gainText(after - now, t) }),
  ]);
}

/** A line such as `1. Artist - Title [Insane] +HD · 201 → about 240 pp · 2 misses`. */
function entryLine({ score, now: before, worth }: ReworkedPlay, place: number, t: Translator): Text {
  const { beatmap_id, statistics } = score;
  const name = mapName(score, t);
  const mods = modsText(score, t);
  const misses = statistics.miss ?? 0;
  const now = t.decimal(before, 0);
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

function openMenu(entries: readonly ReworkedPlay[], openToken: (mapId: number) => string, t: Translator) {
  const choices = entries.flatMap(({ score }): readonly Choice[] =>
    score.beatmap_id === null ? [] : [{ label: mapName(score, t), token: openToken(score.beatmap_id) }],
  );
  return menu(t.messages.osu.open, choices);
}
