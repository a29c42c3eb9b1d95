import { type Caller, chatKey, type Services } from '../command.ts';
import type { LinkedPlayer } from '../settings/settings.ts';

/** Those who came last; a list shows far fewer. */
const MOST_MEMBERS = 500;

/** The linked players of the members of a group, each once, who came last first. A private chat has none. */
export async function chatPlayers(
  caller: Caller,
  { memory, settings }: Pick<Services, 'memory' | 'settings'>,
): Promise<readonly LinkedPlayer[]> {
  if (caller.chatKind !== 'group') return [];
  const members = await memory.members.list(chatKey(caller));
  const read = await Promise.all(members.slice(0, MOST_MEMBERS).map(user => settings.user(user)));
  const players = new Map<number, LinkedPlayer>();
  for (const { player } of read) if (player !== null && !players.has(player.id)) players.set(player.id, player);
  return [...players.values()];
}
