import { callerKey, chatKey } from '../contract/caller.ts';
import type { Command } from '../contract/command.ts';

/**
 * The same command, which notes in groups that its caller, who has a player linked, used it there: lists of a group's members are made of
 * that. Commands about posts note nothing.
 */
export function notingMembers(command: Command): Command {
  if (command.subject === undefined) return command;
  return {
    ...command,
    async run(values, context) {
      const reply = await command.run(values, context);
      const { caller, services } = context;
      if (caller.chatKind === 'group') {
        const { player } = await services.settings.user(callerKey(caller));
        if (player !== null) await services.memory.members.note(chatKey(caller), callerKey(caller));
      }
      return reply;
    },
  };
}
