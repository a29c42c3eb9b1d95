import { callerKey } from '../contract/caller.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { renderPrivacy } from '../views/privacy.ts';

/** Shows whether the caller's pasted links are left alone, and switches that. */
export const privacy = defineCommand({
  name: 'privacy',
  options: { links: { type: 'choice', choices: ['ignore', 'answer'] } },
  visibility: 'caller',
  cost: 0,
  async run({ links }, { caller, services, t }: CommandContext) {
    const owner = callerKey(caller);
    if (links !== undefined) await services.optOuts.set(owner, links === 'ignore');
    const isOut = await services.optOuts.has(owner);
    const token = services.actions.encode({
      command: 'privacy',
      values: { links: isOut ? 'answer' : 'ignore' },
      owner,
    });
    return renderPrivacy({ isOut, saved: links !== undefined, token }, t);
  },
});
