/** The ids of registered commands by their name; of subcommands that of their first word. */
export type CommandIds = ReadonlyMap<string, string>;

export const NO_COMMAND_IDS: CommandIds = new Map();

/** A command that a click begins to write; undefined while its id is not known. */
export function commandMention(name: string, ids: CommandIds): string | undefined {
  const id = ids.get(name.split(' ', 1)[0] ?? name);
  return id === undefined ? undefined : `</${name}:${id}>`;
}
