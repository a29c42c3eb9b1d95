import type { Translator } from '../../i18n/translate.ts';
import { callerKey, type PermissionCheck } from '../contract/caller.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { type Action, type Block, button, type Reply, reply, textBlock } from '../contract/reply.ts';
import { sentence } from '../views/sentence.ts';

/** Greets a person who opens a chat with Medley. */
export function createStart({ example }: { readonly example: string | undefined }) {
  return defineCommand({
    name: 'start',
    options: {},
    visibility: 'caller',
    cost: 0,
    listed: false,
    async run(_values, { caller, services, t }: CommandContext) {
      const owner = callerKey(caller);
      return renderStart(
        {
          inviteUrl: await caller.inviteUrl?.(),
          tryToken: example && services.actions.encode({ command: 'download', values: { link: example }, owner }),
          languageToken: services.actions.encode({ command: 'settings', values: {}, owner }),
        },
        t,
      );
    },
  });
}

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

interface StartView {
  /** Adds Medley to a group; undefined where there is no such address. */
  readonly inviteUrl: string | undefined;
  /** The token of the button that brings an example; undefined for none. */
  readonly tryToken: string | undefined;
  readonly languageToken: string;
}

/** Three lines and where to go from here. */
function renderStart({ inviteUrl, tryToken, languageToken }: StartView, t: Translator): Reply {
  const words = t.messages.start;
  const actions: Action[] = [];
  if (inviteUrl !== undefined) actions.push({ kind: 'link', label: words.addToGroup, url: inviteUrl });
  if (tryToken !== undefined) actions.push(button(words.tryIt, tryToken, 'primary'));
  actions.push(button(words.language, languageToken));
  return reply({
    blocks: [textBlock(sentence([words.links, words.osu, words.more].join('\n')))],
    actions,
    visibility: 'caller',
  });
}

/** Says whether pasted links are seen in this group, and what to do where something is missing. */
function renderWelcome(checks: readonly PermissionCheck[], t: Translator): Reply {
  const words = t.messages.start;
  const missing = checks.filter(({ ok }) => !ok);
  const isBlind = missing.some(({ key }) => key === 'privacyMode');
  const others = missing.filter(({ key }) => key !== 'privacyMode');
  return reply({
    blocks: [
      textBlock(sentence(isBlind ? words.blindHere : words.seesHere)),
      ...others.map(({ key }): Block => textBlock(sentence(t.messages.diagnosis[key].advice))),
    ],
  });
}
