import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { callerKey } from '../../contract/caller.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { usageError } from '../../contract/usage-error.ts';
import { MODE_OPTION, PLAYER_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { notice } from '../../views/notice.ts';
import { renderLinked, renderSignInOffer } from '../../views/osu/linking.ts';

/**
 * Remembers which player the caller is, so that the name may be left out: the one they name, or, where that can be, the one they sign in as
 * at osu!.
 */
export const osuLink = defineCommand({
  name: 'osu link',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION },
  visibility: 'caller',
  cost: 1,
  subject: 'player',
  async run({ player, mode }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    requirePlayers(services.beatmaps);
    const ruleset = rulesetOf(mode);
    if (player === undefined) return offerSignIn(ruleset ?? null, context);
    const { user } = await services.beatmaps.user(player, ruleset, signal);
    const { player: known } = await services.settings.user(callerKey(caller));
    const linked = {
      id: user.id,
      name: user.username,
      mode: ruleset ?? null,
      // Who proved to be that player and only wants another mode still is.
      proven: known?.proven === true && known.id === user.id,
    };
    await services.settings.setUser(callerKey(caller), { player: linked });
    return renderLinked(linked, t);
  },
});

async function offerSignIn(mode: Ruleset | null, { caller, services, t }: CommandContext) {
  if (services.accountLinks === undefined) throw usageError('noName');
  // Whoever opens the address would become the caller.
  const isSeen = caller.chatKind === 'group' && caller.answersAlone !== true;
  if (isSeen) return notice(t.messages.linking.inPrivate);
  return renderSignInOffer(await services.accountLinks.offer(callerKey(caller), mode), t);
}
