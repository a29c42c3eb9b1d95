import { callerKey } from '../contract/caller.ts';
import { type CommandContext, defineCommand } from '../contract/command.ts';
import { renderStart } from '../views/start.ts';

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
