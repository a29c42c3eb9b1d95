import { type Caller, callerKey, chatKey } from '../contract/request.ts';
import type { Services } from '../contract/services.ts';
import type { LinkedPlayer } from '../contract/settings.ts';

/** Only this many of the most recent members are looked up; a list shows far fewer. */
const MOST_MEMBERS = 500;

/**
 * The linked players of a group's members, each once, players of the most recent members first; empty in a private
 * chat. If several members linked the same player, the one who proved to be that player is used.
 */
export async function chatPlayers(
  caller: Caller,
  { memory, settings }: Pick<Services, 'memory' | 'settings'>,
): Promise<readonly LinkedPlayer[]> {
  if (caller.chatKind !== 'group') return [];
  const members = await memory.members.list(chatKey(caller));
  const read = await Promise.all(members.slice(0, MOST_MEMBERS).map(user => settings.user(user)));
  const players = new Map<number, LinkedPlayer>();
  for (const { player } of read) {
    if (player === null) continue;
    const isFirst = !players.has(player.id);
    if (isFirst || (player.proven && players.get(player.id)?.proven === false)) players.set(player.id, player);
  }
  return [...players.values()];
}

/** The most people who are looked up among those who signed in as one player. */
const MOST_USERS = 20;

/** True when someone of this chat has proved to be this player, so that in a group all see the same answer. */
export async function isProvenHere(
  playerId: number,
  caller: Caller,
  { memory, settings }: Pick<Services, 'memory' | 'settings'>,
): Promise<boolean> {
  const isProven = async (user: string) => {
    const { player } = await settings.user(user);
    return player?.id === playerId && player.proven;
  };
  if (caller.chatKind !== 'group') return isProven(callerKey(caller));
  for (const user of (await settings.provenUsers(playerId)).slice(0, MOST_USERS)) {
    if ((await memory.members.has(chatKey(caller), user)) && (await isProven(user))) return true;
  }
  return false;
}
