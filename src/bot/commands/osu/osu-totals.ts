import { MAX_RANK } from '../../../beatmaps/map-plays.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import { addPlays, type WhatIf, worthNeeded } from '../../../beatmaps/plays/totals.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
  type Action,
  type Block,
  headingBlock,
  joined,
  type Reply,
  reply,
  strong,
  textBlock,
} from '../../contract/reply.ts';
import { usageError } from '../../contract/usage-error.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { playerButtons } from '../../osu/buttons.ts';
import { bestPlays } from '../../osu/plays.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { gainText, playerTitle } from '../../views/osu/player.ts';

/** Reckons a player's total with another play, or several. */
export const osuWhatIf = defineCommand({
  name: 'osu whatif',
  options: {
    pp: { type: 'integer', required: true, min: 1, max: 5_000 },
    times: { type: 'integer', min: 1, max: 100 },
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ pp, times = 1, player, mode }, context: CommandContext) {
    const { services, signal, t } = context;
    const { user, stale } = await askedUser({ player, mode }, context);
    const plays = await bestPlays(user, services.beatmaps, signal);
    return renderWhatIf(
      {
        player: user,
        stale: stale || plays.stale,
        pp,
        times,
        whatIf: addPlays(plays, pp, times),
        actions: playerButtons(user, ['profile', 'best'], services, t),
      },
      t,
    );
  },
});

/** Numbers of plays by which the way is shown. */
const WAYS = [1, 3, 5, 10];

/** Finds the plays that a player needs for a total, or for a rank. */
export const osuTarget = defineCommand({
  name: 'osu target',
  options: {
    pp: { type: 'integer', min: 1, max: 50_000 },
    rank: { type: 'integer', min: 1, max: MAX_RANK },
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ pp, rank, player, mode }, context: CommandContext) {
    const { services, signal, t } = context;
    if (pp === undefined && rank === undefined) throw usageError('noTarget');
    if (pp !== undefined && rank !== undefined) throw usageError('oneTarget');
    const { user, stale } = await askedUser({ player, mode }, context);
    const held = rank === undefined ? undefined : await services.beatmaps.rankHolder(user.mode, rank, signal);
    const plays = await bestPlays(user, services.beatmaps, signal);
    const total = pp ?? held?.holder?.pp;
    return renderTarget(
      {
        player: user,
        stale: stale || plays.stale || held?.stale === true,
        rank,
        total,
        ways:
          total === undefined || total <= (plays.total ?? 0)
            ? []
            : WAYS.map(times => ({ times, pp: worthNeeded(plays, total, times) })),
        actions: playerButtons(user, ['profile', 'best'], services, t),
      },
      t,
    );
  },
});

interface TotalsView {
  readonly player: Player;
  readonly stale: boolean;
  readonly actions: readonly Action[];
}

interface WhatIfView extends TotalsView {
  readonly pp: number;
  readonly times: number;
  readonly whatIf: WhatIf;
}

interface TargetView extends TotalsView {
  readonly rank: number | undefined;
  /** To reach; undefined where osu! does not say what the rank takes. */
  readonly total: number | undefined;
  /** So many plays, each of so much; null where none gives that much. */
  readonly ways: readonly { readonly times: number; readonly pp: number | null }[];
}

function heading({ player }: TotalsView, title: string, t: Translator): Block {
  return headingBlock([...playerTitle(player), `: ${title} (${t.messages.osu.modes[player.mode]})`]);
}

function shown(pp: number, t: Translator): string {
  return t.decimal(pp, 0);
}

/** The total with other plays. */
function renderWhatIf(view: WhatIfView, t: Translator): Reply {
  const { pp, times, whatIf, stale, actions } = view;
  const { total, gain, place } = whatIf;
  const words = t.messages.plays.whatIf;
  const counts = gain >= 0.05;
  return reply({
    blocks: [
      heading(view, words.title({ times, pp: shown(pp, t) }), t),
      ...originBlocks({ source: 'osu', stale }, t),
      textBlock(
        counts
          ? joined([
              [strong(words.total({ now: shown(total - gain, t), after: shown(total, t) }))],
              words.gain({ gain: gainText(gain, t) }),
              place === null ? undefined : words.place({ n: t.number(place) }),
            ])
          : [words.nothing],
      ),
    ],
    actions,
  });
}

/** The plays that lead to a total. */
function renderTarget(view: TargetView, t: Translator): Reply {
  const { player, stale, rank, total, ways, actions } = view;
  const words = t.messages.plays.target;
  const now = player.statistics?.pp ?? 0;
  if (total === undefined) {
    const text = words.unknownRank({ rank: t.number(rank ?? 0) });
    return reply({ tone: 'notice', blocks: [textBlock([text])], actions });
  }
  const title =
    rank === undefined
      ? words.title({ pp: shown(total, t) })
      : words.titleRank({ rank: t.number(rank), pp: shown(total, t) });
  const body: readonly Block[] =
    total <= now
      ? [textBlock([words.reached({ now: shown(now, t) })])]
      : [
          textBlock([words.now({ now: shown(now, t), left: shown(total - now, t) })]),
          {
            kind: 'fields',
            fields: ways.map(({ times, pp }) => ({
              label: words.plays({ times }),
              // Rounded down it would fall short.
              value: [pp === null ? words.tooFar : words.each({ times, pp: shown(Math.ceil(pp), t) })],
            })),
          },
        ];
  return reply({
    blocks: [heading(view, title, t), ...originBlocks({ source: 'osu', stale }, t), ...body],
    actions,
  });
}
