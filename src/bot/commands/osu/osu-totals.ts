import type { Player } from '../../../beatmaps/model/player.ts';
import { MAX_RANK } from '../../../beatmaps/players.ts';
import { addPlays, worthNeeded } from '../../../beatmaps/plays/total-pp.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand, ppWord, usageError } from '../../contract/command.ts';
import type { Block } from '../../contract/reply.ts';
import { joined, reply, strong, textBlock } from '../../contract/reply-parts.ts';
import { ABOUT_PLAYER, askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked.ts';
import { playerButtons } from '../../osu/buttons.ts';
import { type BestPlays, bestPlays } from '../../osu/plays.ts';
import { gainText, inMode, playerHead } from '../../views/osu/facts.ts';

/** Calculates a player's total pp if they had one or more further plays. */
export const osuWhatIf = defineCommand({
  name: 'osu whatif',
  options: {
    pp: { type: 'integer', required: true, min: 1, max: 5_000, bare: ppWord },
    times: { type: 'integer', min: 1, max: 100 },
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
  },
  ...ABOUT_PLAYER,
  async run({ pp, times = 1, player, mode }, context: CommandContext) {
    const { services, signal, t } = context;
    const { user, stale } = await askedUser({ player, mode }, context);
    const plays = await bestPlays(user, services.beatmaps, signal);
    const { total, gain, place } = addPlays(plays, pp, times);
    const words = t.messages.plays.whatIf;
    const counted = joined([
      [strong(words.total({ now: shown(total - gain, t), after: shown(total, t) }))],
      words.gain({ gain: gainText(gain, t) }),
      place === null ? undefined : words.place({ n: t.number(place) }),
    ]);
    return reply({
      blocks: [
        ...playerHead(user, inMode(words.title({ times, pp: shown(pp, t) }), user.mode, t), stale || plays.stale, t),
        textBlock(gain >= 0.05 ? counted : [words.nothing]),
      ],
      actions: playerButtons(user, ['profile', 'best'], services, t),
    });
  },
});

/** The numbers of new plays for which the needed pp are shown. */
const WAYS = [1, 3, 5, 10];

/** Calculates which new plays a player needs to reach a total or a rank. */
export const osuTarget = defineCommand({
  name: 'osu target',
  options: {
    pp: { type: 'integer', min: 1, max: 50_000, bare: ppWord },
    rank: { type: 'integer', min: 1, max: MAX_RANK, bare: word => /^#(\d{1,6})$/.exec(word)?.[1] },
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
  },
  ...ABOUT_PLAYER,
  async run({ pp, rank, player, mode }, context: CommandContext) {
    const { services, signal, t } = context;
    if (pp === undefined && rank === undefined) throw usageError('noTarget');
    if (pp !== undefined && rank !== undefined) throw usageError('oneTarget');
    const { user, stale } = await askedUser({ player, mode }, context);
    const held = rank === undefined ? undefined : await services.beatmaps.rankHolder(user.mode, rank, signal);
    const plays = await bestPlays(user, services.beatmaps, signal);
    const total = pp ?? held?.holder?.pp;
    const words = t.messages.plays.target;
    const actions = playerButtons(user, ['profile', 'best'], services, t);
    if (total === undefined) {
      // osu! does not state how many pp the holder of this rank has.
      const text = words.unknownRank({ rank: t.number(rank ?? 0) });
      return reply({ tone: 'notice', blocks: [textBlock([text])], actions });
    }
    const title =
      rank === undefined
        ? words.title({ pp: shown(total, t) })
        : words.titleRank({ rank: t.number(rank), pp: shown(total, t) });
    const isStale = stale || plays.stale || held?.stale === true;
    const head = playerHead(user, inMode(title, user.mode, t), isStale, t);
    return reply({ blocks: [...head, ...waysTo(total, user, plays, t)], actions });
  },
});

/** Shows, for several numbers of new plays, how many pp each of them needs so that the total is reached. */
function waysTo(total: number, { statistics }: Player, plays: BestPlays, t: Translator): readonly Block[] {
  const words = t.messages.plays.target;
  const now = statistics?.pp ?? 0;
  if (total <= now) return [textBlock([words.reached({ now: shown(now, t) })])];
  const ways = total <= (plays.total ?? 0) ? [] : WAYS;
  const fields = ways.map(times => {
    const pp = worthNeeded(plays, total, times);
    // The pp are rounded up, because fewer would miss the total.
    const value = pp === null ? words.tooFar : words.each({ times, pp: shown(Math.ceil(pp), t) });
    return { label: words.plays({ times }), value: [value] };
  });
  return [textBlock([words.now({ now: shown(now, t), left: shown(total - now, t) })]), { kind: 'fields', fields }];
}

function shown(pp: number, t: Translator): string {
  return t.decimal(pp, 0);
}
