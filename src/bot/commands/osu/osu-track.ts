import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { userPage } from '../../../beatmaps/model/link.ts';
import { AppError } from '../../../errors.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { TrackedPlayer } from '../../contract/chat-memory.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import {
  type Block,
  button,
  headingBlock,
  joined,
  link,
  type Reply,
  reply,
  stacked,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { MODE_OPTION, modeOf, PLAYER_OPTION, requirePlayers, rulesetOf } from '../../osu/asked-player.ts';
import { decidesForChat } from '../../stores/chat-settings.ts';
import { notice } from '../../views/notice.ts';
import { sentence } from '../../views/sentence.ts';

/** Posts new best plays of a player in this chat, as its admins wish. Without a player: whose. */
export const osuTrack = defineCommand({
  name: 'osu track',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    stop: { type: 'boolean', only: 'button' },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
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

/** By what is kept of them: a player who is gone, or has another name now, can be let go too. */
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

/** osu! takes spaces and underscores for the same. */
function folded(name: string): string {
  return name.trim().replace(/^@/, '').replaceAll('_', ' ').toLowerCase();
}

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

interface TrackedView {
  /** A sentence about what has just been done. */
  readonly change: string | undefined;
  readonly entries: readonly {
    readonly player: TrackedPlayer;
    /** The tokens of the choice that opens the profile, and of the button that stops it. */
    readonly openToken: string;
    readonly stopToken: string;
  }[];
}

/** The players whose news are posted in a chat. */
function renderTracked({ change, entries }: TrackedView, t: Translator): Reply {
  const words = t.messages.plays.track;
  const said: readonly Block[] = change === undefined ? [] : [textBlock([change])];
  if (entries.length === 0) {
    const text = change === undefined ? [textBlock(sentence(words.none))] : said;
    return reply({ tone: 'notice', blocks: text });
  }
  const lines = entries.map(
    ({ player: { id, name, mode } }): Text => joined([[link(userPage(id, mode), name)], t.messages.osu.modes[mode]]),
  );
  return reply({
    tone: change === undefined ? 'neutral' : 'success',
    blocks: [...said, headingBlock([words.title]), textBlock(stacked(lines))],
    actions: [
      {
        kind: 'menu',
        label: t.messages.plays.buttons.profile,
        choices: entries.map(({ player, openToken }) => ({
          label: player.name,
          detail: t.messages.osu.modes[player.mode],
          token: openToken,
        })),
      },
      ...entries.map(({ player, stopToken }) => button(words.stop({ name: player.name }), stopToken)),
    ],
  });
}
