import type { Player, PlayerStatistics } from '../../../beatmaps/model/player.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand, type Mode, usageError } from '../../contract/command.ts';
import type { Block, Text } from '../../contract/reply.ts';
import { button, headingBlock, joined, reply, stacked, strong, textBlock } from '../../contract/reply-parts.ts';
import { ABOUT_PLAYER, askedPlayer, MODE_OPTION, PLAYER_OPTION, rulesetOf } from '../../osu/asked.ts';
import { openPlayerToken } from '../../osu/buttons.ts';
import { firstPlays } from '../../osu/plays.ts';
import { inMode, originBlocks, playerTitle, ppText } from '../../views/osu/facts.ts';
import { linkedMap, modsText } from '../../views/osu/score.ts';

const MOST_SHOWN = 5;

/** Compares two players: their statistics, and the maps that both have among their best plays. */
export const osuVersus = defineCommand({
  name: 'osu versus',
  options: { player: { ...PLAYER_OPTION, required: true }, other: PLAYER_OPTION, mode: MODE_OPTION },
  ...ABOUT_PLAYER,
  cost: 2,
  async run({ player, other, mode }, context: CommandContext) {
    const { services, signal, t } = context;
    const { players, stale } = await findBoth(player, other, mode, context);
    const [left, right] = players;
    if (left.id === right.id) throw usageError('samePlayer');
    const best = await Promise.all(players.map(each => firstPlays(each, 'best', services.beatmaps, signal)));
    const [plays, others] = best.map(({ scores }) => scores);
    const isStale = stale || best.some(each => each.stale);
    return reply({
      blocks: [
        headingBlock([...playerTitle(left), ' – ', ...playerTitle(right), inMode('', left.mode, t)]),
        ...originBlocks({ source: 'osu', stale: isStale }, t),
        { kind: 'fields', fields: figures(players, t) },
        ...commonBlocks(players, plays ?? [], others ?? [], t),
      ],
      actions: players.map(({ id, username, mode }) => button(username, openPlayerToken(context, id, mode))),
    });
  },
});

type Both = readonly [Player, Player];

/** Both players, in the first player's ruleset. If only one is named, the first is the caller's linked player. */
async function findBoth(player: string, other: string | undefined, mode: Mode | undefined, context: CommandContext) {
  const [first, second] = other === undefined ? [undefined, player] : [player, other];
  const asked = await askedPlayer(first, context);
  const { beatmaps } = context.services;
  const { user: opponent } = await askedPlayer(second, context);
  const one = await beatmaps.user(asked.user, rulesetOf(mode) ?? asked.mode ?? undefined, context.signal);
  const two = await beatmaps.user(opponent, one.user.mode, context.signal);
  const players: Both = [one.user, two.user];
  return { players, stale: one.stale || two.stale };
}

interface Figure {
  readonly label: string;
  readonly figureOf: (statistics: PlayerStatistics) => number | null;
  readonly shown: (value: number) => string;
  /** True for a rank, where the lower number is better. */
  readonly isRank?: boolean;
}

/** The statistics that osu! states for both players; the better value of each pair is bold. */
function figures(players: Both, t: Translator) {
  const words = t.messages.osu.profile;
  const rows: readonly Figure[] = [
    { label: words.rank, figureOf: each => each.global_rank, shown: value => `#${t.number(value)}`, isRank: true },
    { label: words.pp, figureOf: each => each.pp, shown: value => t.decimal(value, 0) },
    { label: words.accuracy, figureOf: each => each.hit_accuracy, shown: value => t.percent(value / 100, 2) },
    { label: words.level, figureOf: each => each.level?.current ?? null, shown: t.number },
    { label: words.plays, figureOf: each => each.play_count, shown: t.number },
    { label: words.combo, figureOf: each => each.maximum_combo, shown: value => `${t.number(value)}x` },
    { label: words.score, figureOf: each => each.ranked_score, shown: t.number },
  ];
  return rows.flatMap(({ label, figureOf, shown, isRank = false }) => {
    const [a, b] = players.map(({ statistics }) => (statistics === null ? null : figureOf(statistics)));
    if (a == null || b == null) return [];
    return [{ label, value: compared([a, b], isRank, shown) }];
  });
}

/** A text such as `**#1,234** – #2,345`. */
function compared([a, b]: readonly [number, number], isLowBest: boolean, shown: (value: number) => string): Text {
  const part = (value: number, isBetter: boolean) => (isBetter ? strong(shown(value)) : shown(value));
  return [part(a, isLowBest ? a < b : a > b), ' – ', part(b, isLowBest ? b < a : b > a)];
}

/** The maps that are among the best plays of both players, maps with the largest difference in pp first. */
function commonBlocks(
  [left, right]: Both,
  plays: readonly Score[],
  others: readonly Score[],
  t: Translator,
): readonly Block[] {
  const words = t.messages.plays.versus;
  const theirs = new Map(others.map(score => [score.beatmap_id, score]));
  const common = plays.flatMap(own => {
    const other = own.beatmap_id === null ? undefined : theirs.get(own.beatmap_id);
    return other === undefined ? [] : [{ own, other, gap: (own.pp ?? 0) - (other.pp ?? 0) }];
  });
  if (common.length === 0) return [textBlock([words.none])];
  const ahead = common.filter(({ gap }) => gap > 0).length;
  const behind = common.filter(({ gap }) => gap < 0).length;
  const counted = joined([
    words.common({ n: common.length, shown: t.number(common.length) }),
    `${left.username} ${t.number(ahead)} – ${t.number(behind)} ${right.username}`,
  ]);
  const widest = common.toSorted((a, b) => Math.abs(b.gap) - Math.abs(a.gap)).slice(0, MOST_SHOWN);
  return [textBlock(counted), textBlock(stacked(widest.map(({ own, other }) => commonLine(own, other, t))))];
}

/** A line such as `Artist - Title [Insane] · **201 pp** +HD – 189 pp`. */
function commonLine(own: Score, other: Score, t: Translator): Text {
  const worth = (score: Score, isBetter: boolean): Text => {
    const pp = ppText(score.pp ?? 0, t);
    const mods = modsText(score, t);
    return [isBetter ? strong(pp) : pp, mods === undefined ? '' : ` ${mods}`];
  };
  const [a, b] = [own.pp ?? 0, other.pp ?? 0];
  return joined([[linkedMap(own, t)], [...worth(own, a > b), ' – ', ...worth(other, b > a)]]);
}
