import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { callerKey } from '../../contract/caller.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { type Reply, reply, textBlock } from '../../contract/reply.ts';
import type { LinkedPlayer } from '../../contract/settings.ts';
import { usageError } from '../../contract/usage-error.ts';
import { MODE_OPTION, PLAYER_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { notice } from '../../views/notice.ts';
import { sentence } from '../../views/sentence.ts';

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
      // A person who proved to be that player, and only wants another mode, is still proven.
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

function renderLinked({ name, mode }: LinkedPlayer, t: Translator): Reply {
  const words = t.messages.osu;
  const text = mode === null ? words.linked({ name }) : words.linkedIn({ name, mode: words.modes[mode] });
  return reply({ tone: 'success', blocks: [textBlock(sentence(text))], visibility: 'caller' });
}

/** @param address of our page, for the caller alone */
function renderSignInOffer(address: string, t: Translator): Reply {
  const words = t.messages.linking;
  return reply({
    blocks: [textBlock([words.offer]), textBlock(sentence(words.byName))],
    actions: [{ kind: 'link', label: words.button, url: address }],
    visibility: 'caller',
  });
}

/** @param player who was linked; null for none */
function renderUnlinked(player: LinkedPlayer | null, t: Translator): Reply {
  const words = t.messages.osu;
  return reply({
    tone: player === null ? 'notice' : 'success',
    blocks: [textBlock([player === null ? words.notLinked : words.unlinked({ name: player.name })])],
    visibility: 'caller',
  });
}
