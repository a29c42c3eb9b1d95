import { type Caller, chatKey, type Services } from '../command.ts';
import type { LinkedPlayer } from '../settings/settings.ts';

/** The linked players of the members of a group, each once, who came last first. A private chat has none. */
export async function chatPlayers(
  caller: Caller,
  { memory, settings }: Pick<Services, 'memory' | 'settings'>,
): Promise<readonly LinkedPlayer[]> {
  if (caller.chatKind !== 'group') return [];
  const players = new Map<number, LinkedPlayer>();
  for (const user of await memory.members.list(chatKey(caller))) {
    const { player } = await settings.user(user);
    if (player !== null && !players.has(player.id)) players.set(player.id, player);
  }
  return [...players.values()];
}
