import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import { AppError } from '../../../errors.ts';
import type { TrackedPlayer } from '../../contract/chat-memory.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { sentence } from '../../contract/command-spec.ts';
import type { Reply } from '../../contract/reply.ts';
import { button, headingBlock, joined, link, reply, stacked, textBlock } from '../../contract/reply-parts.ts';
import { modeOf } from '../../contract/terms.ts';
import { MODE_OPTION, PLAYER_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { decidesForChat } from '../../stores/settings.ts';
import { notice } from '../../views/notice.ts';
import { ABOUT_PLAYER, playerMenu } from './osu-command.ts';

/** Lets admins choose players whose new best plays are posted in the chat; without a player, lists those chosen. */
export const osuTrack = defineCommand({
  name: 'osu track',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    stop: { type: 'boolean', only: 'typed' },
  },
  ...ABOUT_PLAYER,
  async run({ player, mode, stop = false }, context: CommandContext) {
    const { caller, services, t } = context;
    const { tracked } = services.memory;
    const words = t.messages.plays.track;
    if (!tracked.canPost(caller.platform)) return notice(words.cannotPost);
    if (!stop) requirePlayers(services.beatmaps);
    if (caller.chatKind !== 'group') return notice(words.onlyGroups);
    if (player === undefined) return shown(undefined, context);
    if (!(await decidesForChat(caller))) {
      throw new AppError('forbidden', 'no admin of this chat', { params: { what: 'tracking' } });
    }
    if (stop) return shown(await stopTracking(player, rulesetOf(mode), context), context);
    const { user } = await services.beatmaps.user(player, rulesetOf(mode), context.signal);
    const asked: TrackedPlayer = { id: user.id, name: user.username, mode: user.mode };
    const hasRoom = await tracked.add(caller, asked);
    return shown(
      hasRoom ? words.added({ name: asked.name, mode: t.messages.osu.modes[asked.mode] }) : words.full,
      context,
    );
  },
});

/** Finds the player in the stored data, so that one who was renamed or deleted can be removed as well. */
async function stopTracking(
  player: string,
  mode: Ruleset | undefined,
  { caller, services, t }: CommandContext,
): Promise<string> {
  const { tracked } = services.memory;
  const words = t.messages.plays.track;
  const isMeant = (each: TrackedPlayer) =>
    (String(each.id) === player || folded(each.name) === folded(player)) && (mode === undefined || each.mode === mode);
  const meant = (await tracked.list(caller)).filter(isMeant);
  const removed: TrackedPlayer[] = [];
  for (const each of meant) if (await tracked.remove(caller, each)) removed.push(each);
  return removed[0] === undefined ? words.notTracked : words.removed({ name: removed[0].name });
}

/** For osu!, two names of players are equal if they differ only in spaces and underscores. */
function folded(name: string): string {
  return name.trim().replace(/^@/, '').replaceAll('_', ' ').toLowerCase();
}

/** Lists the players whose new plays are posted in the chat. @param change a sentence about what was just changed */
async function shown(change: string | undefined, context: CommandContext): Promise<Reply> {
  const { caller, services, t } = context;
  const players = await services.memory.tracked.list(caller);
  const words = t.messages.plays.track;
  const { modes } = t.messages.osu;
  const said = change === undefined ? [] : [textBlock([change])];
  if (players.length === 0) {
    return reply({ tone: 'notice', blocks: change === undefined ? [textBlock(sentence(words.none))] : said });
  }
  const stopToken = ({ id, mode }: TrackedPlayer) =>
    services.actions.encode({
      command: 'osu track',
      values: { player: String(id), mode: modeOf(mode), stop: true },
    });
  const lines = players.map(({ id, name, mode }) => joined([[link(userPage(id, mode), name)], modes[mode]]));
  const listed = players.map(({ id, name, mode }) => ({ id, name, detail: modes[mode], ruleset: mode }));
  return reply({
    tone: change === undefined ? 'neutral' : 'success',
    blocks: [...said, headingBlock([words.title]), textBlock(stacked(lines))],
    actions: [
      ...playerMenu(listed, context),
      ...players.map(player => button(words.stop({ name: player.name }), stopToken(player))),
    ],
  });
}
