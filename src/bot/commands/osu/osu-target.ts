import { MAX_RANK } from '../../../beatmaps/map-plays.ts';
import { worthNeeded } from '../../../beatmaps/plays/totals.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { usageError } from '../../contract/usage-error.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { playerButtons } from '../../osu/buttons.ts';
import { bestPlays } from '../../osu/plays.ts';
import { renderTarget } from '../../views/osu/totals.ts';

/** Numbers of plays by which the way is shown. */
const WAYS = [1, 3, 5, 10];

/** Which plays a player needs for a total, or for a rank. */
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
