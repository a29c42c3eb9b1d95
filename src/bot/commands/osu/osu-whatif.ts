import { addPlays } from '../../../beatmaps/plays/totals.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { playerButtons } from '../../osu/buttons.ts';
import { bestPlays } from '../../osu/plays.ts';
import { renderWhatIf } from '../../views/osu/totals.ts';

/** What a player's total would be with another play, or several. */
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
