import type { Translator } from '../../i18n/translate.ts';
import { callerKey } from '../contract/caller.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { button, type Reply, reply, textBlock } from '../contract/reply.ts';
import { sentence } from '../views/sentence.ts';

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

interface PrivacyView {
  /** The person's pasted links are left alone. */
  readonly isOut: boolean;
  /** This answers a change. */
  readonly saved: boolean;
  /** The token of the button that switches it. */
  readonly token: string;
}

function renderPrivacy({ isOut, saved, token }: PrivacyView, t: Translator): Reply {
  const words = t.messages.privacy;
  return reply({
    tone: saved ? 'success' : 'neutral',
    blocks: [textBlock(sentence(isOut ? words.ignored : words.answered)), textBlock(sentence(words.explain))],
    actions: [button(isOut ? words.answer : words.ignore, token)],
    visibility: 'caller',
  });
}
