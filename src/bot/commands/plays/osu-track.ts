import { AppError } from '../../../errors.ts';
import { type CommandContext, defineCommand } from '../../command.ts';
import type { TrackedPlayer } from '../../memory/tracked-players.ts';
import { MODE_OPTION, modeOf, rulesetOf } from '../../osu/mode-option.ts';
import { PLAYER_OPTION, requirePlayers, suggestPlayers } from '../../osu/player-option.ts';
import { decidesForChat } from '../../settings/chat-settings.ts';
import { notice } from '../../views/notice.ts';
import { renderTracked } from '../../views/plays/tracking.ts';

/** Posts new best plays of a player in this chat, as its admins wish. Without a player: whose. */
export const osuTrack = defineCommand({
  name: 'osu track',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    stop: { type: 'boolean', required: false, only: 'button' },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ player, mode, stop = false }, context: CommandContext) {
    const { caller, services, t } = context;
    const { tracked } = services.memory;
    const words = t.messages.plays.track;
    if (!tracked.canPost(caller.platform)) return notice(words.cannotPost);
    requirePlayers(services.beatmaps);
    if (caller.chatKind !== 'group') return notice(words.onlyGroups);
    if (player === undefined) return shown(undefined, context);
    if (!(await decidesForChat(caller))) {
      throw new AppError('forbidden', 'no admin of this chat', { params: { what: 'tracking' } });
    }
    const { user } = await services.beatmaps.user(player, rulesetOf(mode), context.signal);
    const asked: TrackedPlayer = { id: user.id, name: user.username, mode: user.mode };
    if (stop) {
      const wasTracked = await tracked.remove(caller, asked);
      return shown(wasTracked ? words.removed(asked.name) : words.notTracked, context);
    }
    const hasRoom = await tracked.add(caller, asked);
    return shown(hasRoom ? words.added(asked.name, t.messages.osu.modes[asked.mode]) : words.full, context);
  },
  suggest: async (_option, partial, context) => suggestPlayers(partial, context),
});

async function shown(change: string | undefined, { caller, services, t }: CommandContext) {
  const players = await services.memory.tracked.list(caller);
  const token = (command: string, { id, mode }: TrackedPlayer, more: Readonly<Record<string, boolean>> = {}) =>
    services.actions.encode({ command, values: { player: String(id), mode: modeOf(mode), ...more } });
  const entries = players.map(player => ({
    player,
    openToken: token('osu profile', player),
    stopToken: token('osu track', player, { stop: true }),
  }));
  return renderTracked({ change, entries }, t);
}
