import {
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
} from 'discord.js';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { CommandSpec } from '../../../bot/contract/command-spec.ts';
import { createTranslator } from '../../../i18n/translate.ts';

/** From what Discord calls commands and options to what Medley does. */
export interface CommandIndex {
  readonly getMedia: string;
  find(name: string): { readonly spec: CommandSpec; keyOf(optionName: string): string | undefined } | undefined;
}

export function createCommandIndex(specs: Dispatcher['commandSpecs']): CommandIndex {
  const english = createTranslator(['en']);
  const byName = new Map(specs(english).map(spec => [spec.name, spec]));
  return {
    getMedia: english.messages.discord.getMedia,
    find(name) {
      const spec = byName.get(name);
      return spec && { spec, keyOf: shown => spec.options.find(option => option.name === shown)?.key };
    },
  };
}

type Values = Readonly<Record<string, string | number | boolean>>;

export function commandOf(interaction: ChatInputCommandInteraction | AutocompleteInteraction): {
  name: string;
  values: Values;
} {
  const { commandName, options } = interaction;
  const [first] = options.data;
  if (first?.type !== ApplicationCommandOptionType.Subcommand)
    return { name: commandName, values: valuesOf(options.data) };
  return { name: `${commandName} ${first.name}`, values: valuesOf(first.options ?? []) };
}

function valuesOf(options: readonly CommandInteractionOption[]): Values {
  return Object.fromEntries(options.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
}
