import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import { button, headingBlock, reply, textBlock } from '../contract/reply-parts.ts';
import { callerKey } from '../contract/request.ts';

const FOR_CALLER = { visibility: 'caller', cost: 0 } as const;

/** Says what Medley is, and what data it keeps. */
export const about = defineCommand({
  name: 'about',
  options: {},
  ...FOR_CALLER,
  async run(_values, { services, t }: CommandContext) {
    const words = t.messages.about;
    const { text, settings, work, forget } = words.privacy;
    return reply({
      blocks: [
        headingBlock([`Medley ${services.version}`]),
        textBlock(sentence(words.what({ sites: t.sites(services.sites) }))),
        { kind: 'divider' },
        headingBlock([words.privacyTitle]),
        ...[text, settings, work, forget].map(line => textBlock(sentence(line))),
      ],
      visibility: 'caller',
    });
  },
});

/** Shows or changes whether Medley ignores links that the caller pastes. */
export const privacy = defineCommand({
  name: 'privacy',
  options: { links: { type: 'choice', choices: ['ignore', 'answer'] } },
  ...FOR_CALLER,
  async run({ links }, { caller, services, t }: CommandContext) {
    const owner = callerKey(caller);
    if (links !== undefined) await services.optOuts.set(owner, links === 'ignore');
    const isOut = await services.optOuts.has(owner);
    const values = { links: isOut ? 'answer' : 'ignore' };
    const token = services.actions.encode({ command: 'privacy', values, owner });
    const words = t.messages.privacy;
    return reply({
      tone: links === undefined ? 'neutral' : 'success',
      blocks: [textBlock(sentence(isOut ? words.ignored : words.answered)), textBlock(sentence(words.explain))],
      actions: [button(isOut ? words.answer : words.ignore, token)],
      visibility: 'caller',
    });
  },
});

/** Deletes everything that is stored about the caller, after they have confirmed it. */
export const forget = defineCommand({
  name: 'forget',
  options: { what: { type: 'choice', choices: ['me'], only: 'typed' } },
  ...FOR_CALLER,
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
