import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import { button, reply, textBlock } from '../contract/reply-parts.ts';
import { callerKey } from '../contract/request.ts';

/** Deletes everything that is stored about the caller, after they have confirmed it. */
export const forget = defineCommand({
  name: 'forget',
  options: { what: { type: 'choice', choices: ['me'], only: 'typed' } },
  visibility: 'caller',
  cost: 0,
  async run({ what }, { caller, services, t }: CommandContext) {
    const owner = callerKey(caller);
    const words = t.messages.forget;
    if (what === undefined) {
      const token = services.actions.encode({ command: 'forget', values: { what: 'me' }, owner });
      return reply({
        blocks: [textBlock(sentence(words.explain))],
        actions: [button(words.confirm, token, 'danger')],
        visibility: 'caller',
      });
    }
    await services.settings.forgetUser(owner);
    await services.actions.forget(owner);
    await services.accountLinks?.forgetUser(owner);
    await services.memory.forgetUser(owner);
    await services.recommendationHistory.forgetUser(owner);
    await services.requests.forgetUser(owner);
    return reply({ tone: 'success', blocks: [textBlock(sentence(words.done))], visibility: 'caller' });
  },
});
