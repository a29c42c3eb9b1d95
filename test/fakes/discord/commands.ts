import { z } from 'zod';
import type { Clock } from './clock.ts';
import { checkCommand, checkCommands } from './command-rules.ts';
import { type Complain, invalidForm } from './records.ts';

const plainOptionSchema = z.looseObject({ type: z.int(), name: z.string() });
const optionSchema = plainOptionSchema.extend({ options: z.array(plainOptionSchema).nullish() });
const commandSchema = z.looseObject({
  name: z.string(),
  type: z.int().default(1),
  options: z.array(optionSchema).nullish(),
});

export type CommandOption = z.infer<typeof plainOptionSchema>;

export interface Command extends z.infer<typeof commandSchema> {
  readonly id: string;
}

export interface Commands {
  /** The list as last put; undefined before. */
  readonly put: unknown;
  list(): readonly Command[];
  find(name: string, type: number): Command | undefined;
  /** @throws {Refusal} 50035 */
  replace(body: unknown): readonly Command[];
  /** @throws {Refusal} 50035 */
  add(body: unknown): { readonly command: Command; readonly created: boolean };
  remove(id: string): boolean;
}

export function createCommands(clock: Clock, applicationId: string, complain: Complain): Commands {
  let standing: readonly Command[] = [];
  let put: unknown;
  const stamp = (body: unknown): Command => {
    const parsed = commandSchema.safeParse(body);
    if (!parsed.success) throw invalidForm(`command: ${parsed.error.message}`);
    const known = standing.find(each => each.name === parsed.data.name && each.type === parsed.data.type);
    const defaults = {
      default_member_permissions: null,
      dm_permission: true,
      nsfw: false,
      description: '',
      integration_types: [0],
      contexts: null,
      name_localizations: null,
      description_localizations: null,
    };
    return {
      ...defaults,
      ...parsed.data,
      id: known?.id ?? clock.snowflake(),
      application_id: applicationId,
      version: clock.snowflake(),
    };
  };
  function demand(wrong: readonly string[]): void {
    for (const problem of wrong) complain(problem);
    const [first] = wrong;
    if (first !== undefined) throw invalidForm(first);
  }

  return {
    get put() {
      return put;
    },
    list: () => standing,
    find: (name, type) => standing.find(each => each.name === name && each.type === type),
    replace(body) {
      if (!Array.isArray(body)) throw invalidForm('commands: not a list');
      demand(checkCommands(body));
      standing = body.map(stamp);
      put = body;
      return standing;
    },
    add(body) {
      demand(checkCommand(body));
      const command = stamp(body);
      const created = standing.every(each => each.id !== command.id);
      standing = [...standing.filter(each => each.id !== command.id), command];
      return { command, created };
    },
    remove(id) {
      const before = standing.length;
      standing = standing.filter(each => each.id !== id);
      return standing.length < before;
    },
  };
}
