import { callerKey } from '../../contract/caller.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { renderUnlinked } from '../../views/osu/linking.ts';

/** Forgets which player the caller is. */
export const osuUnlink = defineCommand({
  name: 'osu unlink',
  options: {},
  visibility: 'caller',
  cost: 0,
  subject: 'player',
  async run(_values, { caller, services, t }: CommandContext) {
    const { player } = await services.settings.user(callerKey(caller));
    await services.settings.setUser(callerKey(caller), { player: null });
    return renderUnlinked(player, t);
  },
});
