import type { Translator } from '../../i18n/translate.ts';
import { callerKey } from '../contract/caller.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { button, type Reply, reply, textBlock } from '../contract/reply.ts';
import { sentence } from '../views/sentence.ts';

/** Deletes all that is kept about the caller, once they confirmed it. */
export const forget = defineCommand({
  name: 'forget',
  options: { what: { type: 'choice', choices: ['me'], only: 'typed' } },
  visibility: 'caller',
  cost: 0,
  async run({ what }, { caller, services, t }: CommandContext) {
    const owner = callerKey(caller);
    if (what === undefined) {
      const token = services.actions.encode({ command: 'forget', values: { what: 'me' }, owner });
      return renderForgetQuestion(token, t);
    }
    await services.settings.forgetUser(owner);
    await services.actions.forget(owner);
    await services.accountLinks?.forgetUser(owner);
    await services.memory.forgetUser(owner);
    await services.recommendationHistory.forgetUser(owner);
    await services.requests.forgetUser(caller.platform, caller.userId);
    return renderForgotten(t);
  },
});

/** Says what is kept, with the button that deletes it. */
function renderForgetQuestion(token: string, t: Translator): Reply {
  const words = t.messages.forget;
  return reply({
    blocks: [textBlock(sentence(words.explain))],
    actions: [button(words.confirm, token, 'danger')],
    visibility: 'caller',
  });
}

function renderForgotten(t: Translator): Reply {
  return reply({
    tone: 'success',
    blocks: [textBlock(sentence(t.messages.forget.done))],
    visibility: 'caller',
  });
}
