import type { Player } from '../../../beatmaps/model/player.ts';
import { profilePicture } from '../../cards/profile-card.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { askedUser, MODE_OPTION, modeOf, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { isProvenHere } from '../../osu/chat-players.ts';
import { playsPart } from '../../osu/plays.ts';
import { renderProfile } from '../../views/osu/player.ts';

/** Milliseconds. */
const PLAYS_WAIT_MS = 1_200;

/** Who a player is, and how well they play. */
export const osuProfile = defineCommand({
  name: 'osu profile',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  accepts: 'player-link',
  async run({ player, mode }, context: CommandContext) {
    const { caller, services, t } = context;
    const { user, stale, isProven: isOwn } = await askedUser({ player, mode }, context);
    const values = { player: String(user.id), mode: modeOf(user.mode) };
    const token = (command: string, more: Readonly<Record<string, string>>) =>
      services.actions.encode({ command, values: { ...more, ...values } });
    const tokens = {
      best: token('osu scores', { type: 'best' }),
      recent: token('osu recent', {}),
      maps: services.actions.encode({ command: 'osu maps', values: { player: values.player } }),
    };
    const isProven = isOwn || (await isProvenHere(user.id, caller, services));
    const picture =
      services.painter &&
      profilePicture({ player: user, isProven, best: await bestWorth(user, context) }, services.painter, t);
    return renderProfile({ player: user, isProven, stale, tokens, picture }, t);
  },
});

/** What the best plays are worth; a card that waits too long for them, or whose list failed, goes without their curve. */
async function bestWorth(player: Player, { services, signal }: CommandContext): Promise<readonly number[]> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(PLAYS_WAIT_MS)]);
  try {
    const { scores } = await playsPart(player, 'best', 0, services.beatmaps, soon);
    return scores.flatMap(({ pp }) => (pp === null ? [] : [pp]));
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
