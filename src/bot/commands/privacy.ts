import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import { button, reply, textBlock } from '../contract/reply.ts';
import { callerKey } from '../contract/request.ts';

/** Shows or changes whether Medley ignores links that the caller pastes. */
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
    const words = t.messages.privacy;
    return reply({
      tone: links === undefined ? 'neutral' : 'success',
      blocks: [textBlock(sentence(isOut ? words.ignored : words.answered)), textBlock(sentence(words.explain))],
      actions: [button(isOut ? words.answer : words.ignore, token)],
      visibility: 'caller',
    });
  },
});
