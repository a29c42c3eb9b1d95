import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { parseArguments, readGiven } from '../contract/arguments.ts';
import type { Command } from '../contract/command.ts';
import { commandSpec } from '../contract/command-spec.ts';
import { type Caller, callerKey, type RequestBody } from '../contract/request.ts';
import type { ButtonPayload, ButtonTokens } from '../contract/services.ts';
import { usageError } from '../contract/usage-error.ts';
import { kindOfLink } from './links.ts';
import type { RawOptions } from './run-command.ts';

/** Requests for one command: all but links and messages that ask for nothing. */
export type CommandBody = Extract<RequestBody, { kind: 'command' | 'line' | 'button' }>;

export interface ResolvedCommand {
  readonly command: Command;
  /**
   * The options as they were given.
   * @throws AppError with a hint when a typed line cannot be read
   */
  readonly raw: () => RawOptions;
  readonly isPressed: boolean;
}

export interface CommandResolver {
  /** The commands that are offered to everyone. */
  readonly listed: readonly Command[];
  /** The commands that the caller may type. */
  commandsFor(caller: Caller): readonly Command[];
  /** @throws AppError with a hint when there is no such command, or the button is not valid */
  resolve(body: CommandBody, caller: Caller, t: Translator): Promise<ResolvedCommand>;
  /** The name of the command that answers the request; undefined when there is none or several. Never rejects. */
  commandOf(body: RequestBody, caller: Caller): Promise<string | undefined>;
}

export interface CommandResolverOptions {
  readonly commands: readonly Command[];
  /** More commands, which no list shows. They do not work in groups, where others would see what an owner types. */
  readonly ownerCommands: readonly Command[];
  readonly isOwner: (caller: Caller) => boolean;
  readonly buttons: Pick<ButtonTokens, 'decode' | 'decodeForAnyone'>;
}

export function createCommandResolver(options: CommandResolverOptions): CommandResolver {
  const { commands, ownerCommands, isOwner, buttons } = options;
  const listed = commands.filter(each => each.listed === undefined);
  const typed = commands.filter(each => each.listed !== false);

  function commandsFor(caller: Caller): readonly Command[] {
    return caller.chatKind === 'private' && isOwner(caller) ? [...typed, ...ownerCommands] : typed;
  }

  function find(name: string, caller: Caller): Command {
    const known = commandsFor(caller);
    const command = [...commands, ...known].find(each => each.name === name);
    if (!command) throw unknownCommand(name, known);
    return command;
  }

  /** When a person typed the name of a group, the hint lists the commands of the group. */
  function unknownCommand(name: string, known: readonly Command[]): AppError {
    const group = known.filter(each => each.listed === undefined && each.name.startsWith(`${name.split(' ')[0]} `));
    const allowed = (group.length > 0 ? group : listed).map(each => `/${each.name}`);
    return usageError('unknownCommand', { name, allowed: allowed.join(', ') });
  }

  async function openButton(
    { token, isEphemeral }: Extract<RequestBody, { kind: 'button' }>['what'],
    caller: Caller,
  ): Promise<Pick<ButtonPayload, 'command' | 'values'>> {
    if (isEphemeral === true) {
      const found = await buttons.decodeForAnyone(token);
      // A command whose answer is for the caller alone works only for the owner of the button.
      if (find(found.command, caller).visibility === 'chat') return found;
    }
    return buttons.decode(token, callerKey(caller));
  }

  return {
    listed,
    commandsFor,

    async resolve({ kind, what }, caller, t) {
      if (kind === 'button') {
        const { command, values } = await openButton(what, caller);
        return { command: find(command, caller), raw: () => values, isPressed: true };
      }
      const command = find(what.name, caller);
      const spec = () => commandSpec(command, t, caller.chatKind);
      const raw = kind === 'command' ? () => readGiven(spec(), what.options) : () => parseArguments(spec(), what.args);
      return { command, raw, isPressed: false };
    },

    async commandOf(body, caller) {
      if (body.kind === 'command' || body.kind === 'line') return body.what.name;
      if (body.kind === 'button') {
        const pressed = await openButton(body.what, caller).catch(() => undefined);
        return pressed?.command;
      }
      const [only, ...others] = body.kind === 'links' ? body.what : [];
      if (only === undefined || others.length > 0) return undefined;
      const accepted = kindOfLink(only.url);
      return commands.find(({ accepts }) => accepts === accepted)?.name;
    },
  };
}
