import { callerKey } from '../contract/caller.ts';
import { type Command, type CommandContext, defineCommand } from '../contract/command.ts';
import { commandSpec } from '../contract/command-spec.ts';
import { usageError } from '../contract/usage-error.ts';
import {
  type HelpTokens,
  helpSections,
  renderCommandHelp,
  renderHelp,
  renderSection,
  sectionOf,
} from '../views/help.ts';

/** What Medley can do in short, one of its sections, or a command explained. The list is asked for when needed, since help is on it. */
export function createHelp(list: () => readonly Command[]) {
  const listed = () => list().filter(each => each.listed !== false);

  function tokensFor({ caller, services }: CommandContext): HelpTokens {
    const owner = callerKey(caller);
    const encode = (command: string, values = {}) => services.actions.encode({ command, values, owner });
    return {
      about: name => encode('help', name === undefined ? {} : { command: name }),
      run: name => encode(name),
    };
  }

  async function suggest(partial: string, { t }: CommandContext) {
    const typed = partial.replace(/^\//, '').toLowerCase();
    return listed()
      .filter(({ name }) => name.startsWith(typed))
      .map(each => ({ label: `/${each.name}: ${commandSpec(each, t).description}`, value: each.name }));
  }

  return defineCommand({
    name: 'help',
    options: { command: { type: 'string', form: 'rest', maxLength: 64, suggest } },
    visibility: 'caller',
    cost: 0,
    async run({ command }, context: CommandContext) {
      const { t, caller } = context;
      const specs = listed().map(each => commandSpec(each, t, caller.chatKind));
      const sections = helpSections(specs, t);
      const tokens = tokensFor(context);
      if (command === undefined) return renderHelp(sections, tokens, t);
      const name = command.replace(/^\//, '').replaceAll('_', ' ').toLowerCase();
      const spec = specs.find(each => each.name === name);
      if (spec) return renderCommandHelp(spec, tokens.about(sectionOf(spec)), t);
      const section = sections.find(each => each.key === name);
      if (section) return renderSection(section, tokens, t);
      throw usageError('unknownCommand', { name, allowed: specs.map(each => `/${each.name}`).join(', ') });
    },
  });
}
