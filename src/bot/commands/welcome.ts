import { type CommandContext, defineCommand } from '../contract/command.ts';
import { renderWelcome } from '../views/start.ts';

/** Says in a group that Medley was just added to what it can do there, and what keeps it from that. */
export const welcome = defineCommand({
  name: 'welcome',
  options: {},
  visibility: 'chat',
  cost: 0,
  listed: false,
  async run(_values, { caller, t }: CommandContext) {
    return renderWelcome((await caller.diagnose?.()) ?? [], t);
  },
});
