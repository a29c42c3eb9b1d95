import { callerKey } from '../../contract/caller.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { MODE_OPTION, modeOf, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { chatPlayers } from '../../osu/chat-players.ts';
import { notice } from '../../views/notice.ts';
import { renderRanking } from '../../views/osu/ranking.ts';

/** As many as osu! gives at once. */
const MOST = 50;

/** The linked members of this chat by pp. */
export const osuRanking = defineCommand({
  name: 'osu ranking',
  options: { mode: MODE_OPTION },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ mode }, { caller, services, signal, t }: CommandContext) {
    if (caller.chatKind !== 'group') return notice(t.messages.plays.onlyGroups);
    requirePlayers(services.beatmaps);
    const own = await services.settings.user(callerKey(caller));
    const ruleset = rulesetOf(mode) ?? own.player?.mode ?? 'osu';
    const linked = await chatPlayers(caller, services);
    if (linked.length === 0) return notice(t.messages.plays.noMembers);
    const asked = linked.slice(0, MOST).map(({ id }) => id);
    const { players, stale } = await services.beatmaps.standings(asked, signal);
    return renderRanking(
      {
        ruleset,
        players,
        stale,
        proven: new Set(linked.flatMap(({ id, proven }) => (proven ? [id] : []))),
        left: linked.length - asked.length,
        openToken: id =>
          services.actions.encode({ command: 'osu profile', values: { player: String(id), mode: modeOf(ruleset) } }),
      },
      t,
    );
  },
});
