import { type CommandContext, callerKey, defineCommand } from '../command.ts';
import { MODE_OPTION, rulesetOf } from '../osu/mode-option.ts';
import { PLAYER_OPTION, requirePlayers, suggestPlayers } from '../osu/player-option.ts';
import { renderLinked } from '../views/player.ts';

/** Remembers which player the caller is, so that the name may be left out. */
export const osuLink = defineCommand({
  name: 'osu link',
  options: { player: { ...PLAYER_OPTION, required: true }, mode: MODE_OPTION },
  visibility: 'caller',
  cost: 1,
  subject: 'player',
  async run({ player, mode }, { caller, services, signal, t }: CommandContext) {
    requirePlayers(services.beatmaps);
    const ruleset = rulesetOf(mode);
    const { user } = await services.beatmaps.user(player, ruleset, signal);
    const linked = { id: user.id, name: user.username, mode: ruleset ?? null };
    await services.settings.setUser(callerKey(caller), { player: linked });
    return renderLinked(linked, t);
  },
  suggest: async (_option, partial, context) => suggestPlayers(partial, context),
});
