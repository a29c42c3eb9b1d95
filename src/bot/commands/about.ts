import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import type { Action } from '../contract/reply.ts';
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

/** Greets a person who opens a private chat with Medley. */
export function createStart({ example }: { readonly example: string | undefined }) {
  return defineCommand({
    name: 'start',
    options: {},
    visibility: 'caller',
    cost: 0,
    listed: false,
    async run(_values, { caller, services, t }: CommandContext) {
      const owner = callerKey(caller);
      const words = t.messages.start;
      const inviteUrl = await caller.inviteUrl?.();
      const encode = (command: string, values = {}) => services.actions.encode({ command, values, owner });
      const actions: Action[] = [];
      if (inviteUrl !== undefined) actions.push({ kind: 'link', label: words.addToGroup, url: inviteUrl });
      if (example !== undefined) actions.push(button(words.tryIt, encode('download', { link: example }), 'primary'));
      actions.push(button(words.language, encode('settings')));
      const text = [words.links({ sites: t.sites(services.sites) }), words.osu, words.more].join('\n');
      return reply({ blocks: [textBlock(sentence(text))], actions, visibility: 'caller' });
    },
  });
}

/** Tells a group to which Medley was just added what it can do there, and which missing permissions prevent it. */
export const welcome = defineCommand({
  name: 'welcome',
  options: {},
  visibility: 'chat',
  cost: 0,
  listed: false,
  async run(_values, { caller, services, t }: CommandContext) {
    const words = t.messages.start;
    const missing = ((await caller.diagnose?.()) ?? []).filter(({ ok }) => !ok);
    const isBlind = missing.some(({ key }) => key === 'privacyMode');
    const others = missing.filter(({ key }) => key !== 'privacyMode');
    const seesHere = words.seesHere({ sites: t.sites(services.sites) });
    return reply({
      blocks: [
        textBlock(sentence(isBlind ? words.blindHere : seesHere)),
        ...others.map(({ key }) => textBlock(sentence(t.messages.diagnosis[key].advice))),
      ],
    });
  },
});
