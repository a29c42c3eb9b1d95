import { type Command, type CommandContext, defineCommand } from '../command.ts';
import { commandSpec } from '../dispatch/command-texts.ts';
import { usageError } from '../dispatch/usage-error.ts';
import { renderCommandHelp, renderHelp } from '../views/help.ts';

/** What Medley can do, or one of its commands explained. The list is asked for when needed, since help is on it. */
export function createHelp(list: () => readonly Command[]) {
  return defineCommand({
    name: 'help',
    options: { command: { type: 'string', form: 'rest', required: false, maxLength: 64 } },
    visibility: 'caller',
    cost: 0,
    async run({ command }, { t, caller }: CommandContext) {
      const specs = list().map(each => commandSpec(each, t, caller.chatKind));
      if (command === undefined) return renderHelp(specs, t);
      const name = command.replace(/^\//, '').toLowerCase();
      const spec = specs.find(each => each.name === name);
      if (!spec) throw usageError('unknownCommand', { name, allowed: specs.map(each => `/${each.name}`).join(', ') });
      return renderCommandHelp(spec, t);
    },
    async suggest(_option, partial, { t }) {
      const typed = partial.replace(/^\//, '').toLowerCase();
      return list()
        .filter(({ name }) => name.startsWith(typed))
        .map(each => ({ label: `/${each.name}: ${commandSpec(each, t).description}`, value: each.name }));
    },
  });
}
