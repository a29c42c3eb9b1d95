import { type CommandContext, defineCommand } from '../contract/command.ts';
import { sentence } from '../contract/command-spec.ts';
import type { Action } from '../contract/reply.ts';
import { button, reply, textBlock } from '../contract/reply-parts.ts';
import { callerKey } from '../contract/request.ts';

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
