import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { sentence } from '../../contract/command-spec.ts';
import { reply, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import { usageError } from '../../contract/usage-error.ts';
import { MODE_OPTION, PLAYER_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { notice } from '../../views/notice.ts';
import { ABOUT_PLAYER } from './osu-command.ts';

/**
 * Links the caller to an osu! player, whose name they may then leave out of commands. It is the player whom they name
 * or, if the host configured sign-in, the one as whom they sign in at osu!.
 */
export const osuLink = defineCommand({
  name: 'osu link',
  options: { player: PLAYER_OPTION, mode: MODE_OPTION },
  ...ABOUT_PLAYER,
  visibility: 'caller',
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
      // A person who has proved to be this player, and only chooses another mode, stays proven.
      proven: known?.proven === true && known.id === user.id,
    };
    await services.settings.setUser(callerKey(caller), { player: linked });
    const words = t.messages.osu;
    const text =
      ruleset === undefined
        ? words.linked({ name: linked.name })
        : words.linkedIn({ name: linked.name, mode: words.modes[ruleset] });
    return reply({ tone: 'success', blocks: [textBlock(sentence(text))], visibility: 'caller' });
  },
});

async function offerSignIn(mode: Ruleset | null, { caller, services, t }: CommandContext) {
  if (services.accountLinks === undefined) throw usageError('noName');
  // The sign-in address links whoever opens it to the caller, so it is never shown to a group.
  const isSeen = caller.chatKind === 'group' && caller.answersAlone !== true;
  if (isSeen) return notice(t.messages.linking.inPrivate);
  const words = t.messages.linking;
  const url = await services.accountLinks.offer(callerKey(caller), mode);
  return reply({
    blocks: [textBlock([words.offer]), textBlock(sentence(words.byName))],
    actions: [{ kind: 'link', label: words.button, url }],
    visibility: 'caller',
  });
}

export const osuUnlink = defineCommand({
  name: 'osu unlink',
  options: {},
  visibility: 'caller',
  cost: 0,
  subject: 'player',
  async run(_values, { caller, services, t }: CommandContext) {
    const { player } = await services.settings.user(callerKey(caller));
    await services.settings.setUser(callerKey(caller), { player: null });
    const words = t.messages.osu;
    return reply({
      tone: player === null ? 'notice' : 'success',
      blocks: [textBlock([player === null ? words.notLinked : words.unlinked({ name: player.name })])],
      visibility: 'caller',
    });
  },
});
