import type { Translator } from '../../i18n/translate.ts';
import { type Command, type CommandContext, defineCommand, unknownCommand } from '../contract/command.ts';
import { type CommandSpec, commandSpec, type OptionSpec, sentence } from '../contract/command-spec.ts';
import type { Reply, Text } from '../contract/reply.ts';
import { button, headingBlock, labelled, reply, series, textBlock } from '../contract/reply-parts.ts';
import { callerKey } from '../contract/request.ts';
import { readShortWord } from '../contract/short-forms.ts';

/**
 * Explains Medley, a section of its commands, or one command. `list` is a function, because the list contains help
 * itself.
 */
export function createHelp(list: () => readonly Command[]) {
  const listed = () => list().filter(each => each.listed === undefined);

  async function suggest(partial: string, { t }: CommandContext) {
    const typed = partial.replace(/^\//, '').toLowerCase();
    return listed()
      .filter(({ name }) => name.startsWith(typed))
      .map(each => {
        const about = { name: `/${each.name}`, value: commandSpec(each, t).description };
        return { label: t.messages.joining.labelled(about), value: each.name };
      });
  }

  return defineCommand({
    name: 'help',
    options: { command: { type: 'string', form: 'rest', maxLength: 64, suggest } },
    visibility: 'caller',
    cost: 0,
    async run({ command }, context: CommandContext) {
      const { t, caller, services } = context;
      const commands = listed();
      const owner = callerKey(caller);
      const encode: Encode = (name, values = {}) => services.actions.encode({ command: name, values, owner });
      const sections = helpSections(commands, t);
      if (command === undefined) return renderHelp(sections, encode, context);
      const name = command.replace(/^\//, '').replaceAll('_', ' ').toLowerCase();
      const specOf = (each: Command) => commandSpec(each, t, caller.chatKind);
      const section = sections.find(each => each.key === name);
      // A short word of players, such as `osutop`, is explained as the command that it stands for.
      const meant = section === undefined ? readShortWord(name, '')?.command : undefined;
      const asked = commands.find(each => each.name === name) ?? commands.find(each => each.name === meant);
      if (asked) return renderCommandHelp(specOf(asked), encode('help', { command: sectionOf(asked) }), t);
      if (section) return renderSection(section, section.commands.map(specOf), encode, t);
      throw unknownCommand(name, commands);
    },
  });
}

/** Makes the token of a button that runs a command, and that only the caller may press. */
type Encode = (command: string, values?: Readonly<Record<string, string>>) => string;

/** A section of the help: commands that belong together. */
type HelpSection = ReturnType<typeof helpSections>[number];

/** The sections with at least one command, the most needed first. */
function helpSections(commands: readonly Command[], t: Translator) {
  const titles: Readonly<Record<string, string>> = t.messages.help.sections;
  const keys = [...new Set(commands.map(sectionOf))];
  const ordered = [...keys.filter(key => key !== MORE), ...keys.filter(key => key === MORE)];
  return ordered.map(key => ({
    /** The section's key: `links`, `more`, or the first word that its commands share. */
    key,
    title: titles[key] ?? key,
    commands: commands.filter(each => sectionOf(each) === key),
  }));
}

const LINKS = 'links';
const MORE = 'more';

function sectionOf({ name, accepts }: Command): string {
  if (accepts === 'link') return LINKS;
  const [group = '', second] = name.split(' ');
  return second === undefined ? MORE : group;
}

/** Says that links can be pasted, and shows a button for each section. */
function renderHelp(sections: readonly HelpSection[], encode: Encode, { services, t }: CommandContext): Reply {
  const words = t.messages.help;
  const hasLinks = sections.some(({ key }) => key === LINKS);
  const linksText = words.linksText({ sites: t.sites(services.sites) });
  return reply({
    blocks: [...(hasLinks ? [textBlock(sentence(linksText))] : []), textBlock(sentence(words.chooseSection))],
    actions: sections.map(({ key, title }) => button(title, encode('help', { command: key }))),
    visibility: 'caller',
  });
}

/**
 * Shows the commands of a section, and a menu of them. Choosing a command runs it if it has no required options, and
 * otherwise explains it.
 */
function renderSection(
  { key, title }: HelpSection,
  specs: readonly CommandSpec[],
  encode: Encode,
  t: Translator,
): Reply {
  const words = t.messages.help;
  const choices = specs.map(({ name, description, options }) => ({
    label: shortName(name),
    detail: description,
    token: options.some(({ option }) => option.required) ? encode('help', { command: name }) : encode(name),
  }));
  const fields = specs.map(({ name, description }) => ({ label: `/${name}`, value: [description], command: name }));
  return reply({
    blocks: [
      headingBlock([title]),
      ...(key === LINKS ? [textBlock(sentence(words.linksMore))] : []),
      { kind: 'fields', fields },
    ],
    actions: [
      { kind: 'menu', label: words.chooseCommand, choices },
      { ...button(words.back, encode('help')), isUp: true },
    ],
    visibility: 'caller',
  });
}

/** Explains one command. @param back the token of the button to the command's section */
function renderCommandHelp(spec: CommandSpec, back: string, t: Translator): Reply {
  const words = t.messages.help;
  const fields = spec.options.map(option => ({ label: option.name, value: optionText(option, t) }));
  return reply({
    blocks: [
      headingBlock([{ kind: 'command', name: spec.name }]),
      textBlock([spec.description]),
      textBlock(labelled([words.usage], [{ kind: 'code', children: [spec.usage] }], t)),
      ...(fields.length === 0 ? [] : [{ kind: 'fields', fields } as const]),
    ],
    actions: [{ ...button(words.back, back), isUp: true }],
    visibility: 'caller',
  });
}

/** The last word of a command's name, `Search` of `beatmap search`; the section's title has the first word. */
function shortName(name: string): string {
  const word = name.split(' ').at(-1) ?? name;
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function optionText(spec: OptionSpec, t: Translator): Text {
  const words = t.messages.help;
  const { option } = spec;
  const notes: string[] = [];
  if (option.type === 'integer') notes.push(words.range({ min: option.min, max: option.max }));
  if (option.type === 'boolean') notes.push(words.yesNo);
  if (option.type === 'choice') notes.push(option.choices.join(t.comma));
  if (!option.required) notes.push(words.optional);
  if (notes.length === 0) return [spec.description];
  const aside = t.messages.joining.aside({ words: '', aside: series(notes, t) });
  const emphasised = aside.trimStart();
  return [spec.description, aside.slice(0, -emphasised.length), { kind: 'emphasis', children: [emphasised] }];
}
