import { wordDistance } from '../../beatmaps/query/query-text.ts';
import { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import { parseArguments } from '../contract/arguments.ts';
import { type Command, unknownCommand, usageError } from '../contract/command.ts';
import { type CommandSpec, commandSpec } from '../contract/command-spec.ts';
import { formOf } from '../contract/positions.ts';
import type { Action } from '../contract/reply.ts';
import { button } from '../contract/reply-parts.ts';
import { type Caller, callerKey, type RequestBody } from '../contract/request.ts';
import type { ButtonPayload, ButtonTokens } from '../contract/services.ts';
import { kindOfLink } from './find-links.ts';
import type { RawOptions, ReadOptions } from './run-command.ts';

/** A request that names a command, unlike pasted links and messages that ask for nothing. */
type CommandBody = Extract<RequestBody, { kind: 'command' | 'line' | 'button' }>;

interface ResolvedCommand {
  readonly command: Command;
  readonly raw: ReadOptions;
  /** The options in the button that was pressed; undefined for any other request. */
  readonly pressed?: ButtonPayload['values'];
}

export type CommandResolver = ReturnType<typeof createCommandResolver>;

/**
 * @param ownerCommands commands for owners, which no list shows; they do not work in groups, where others would read
 * the answers
 */
export function createCommandResolver(
  commands: readonly Command[],
  ownerCommands: readonly Command[],
  isOwner: (caller: Caller) => boolean,
  buttons: Pick<ButtonTokens, 'encode' | 'decode' | 'decodeForAnyone'>,
) {
  const listed = commands.filter(each => each.listed === undefined);
  const typed = commands.filter(each => each.listed !== false);

  function commandsFor(caller: Caller): readonly Command[] {
    return caller.chatKind === 'private' && isOwner(caller) ? [...typed, ...ownerCommands] : typed;
  }

  function find(name: string, caller: Caller): Command {
    const known = commandsFor(caller);
    const command = [...commands, ...known].find(each => each.name === name);
    if (!command)
      throw unknownCommand(
        name,
        known.filter(each => each.listed === undefined),
      );
    return command;
  }

  async function openButton(
    { token, isEphemeral }: Extract<RequestBody, { kind: 'button' }>['what'],
    caller: Caller,
  ): Promise<Pick<ButtonPayload, 'command' | 'values'>> {
    if (isEphemeral === true) {
      const found = await buttons.decodeForAnyone(token);
      // Other people than the button's owner may press it, but only if everyone in the chat may see the command's
      // answer.
      if (find(found.command, caller).visibility === 'chat') return found;
    }
    return buttons.decode(token, callerKey(caller));
  }

  return {
    /** The commands that everyone may use. */
    listed,
    commandsFor,

    /** Finds the command and its options. @throws AppError with a hint for an unknown command or an invalid button */
    async resolve({ kind, what }: CommandBody, caller: Caller): Promise<ResolvedCommand> {
      if (kind === 'button') {
        const { command, values } = await openButton(what, caller);
        return { command: find(command, caller), raw: () => values, pressed: values };
      }
      const command = find(what.name, caller);
      if (kind === 'command') return { command, raw: spec => readGiven(spec, what.options) };
      return { command, raw: spec => parseArguments(spec, what.args) };
    },

    /** A button for the command that a mistyped name most likely meant; undefined when there is no such command. */
    meant(body: RequestBody, caller: Caller, t: Translator): Action | undefined {
      if (body.kind !== 'line') return undefined;
      const found = nearestCommand(body.what, listed);
      if (found === undefined) return undefined;
      const { command, args } = found;
      const values = readValues(command, args, caller, t);
      if (values === undefined) return undefined;
      const line = `/${command.name} ${args}`.trim();
      const label = t.messages.notices.didYouMean({ command: line.length > MOST_LABEL ? `/${command.name}` : line });
      return button(label, buttons.encode({ command: command.name, values, owner: callerKey(caller) }), 'primary');
    },

    /** The name of the command that will answer a request; undefined when none or several will. Never rejects. */
    async commandOf(body: RequestBody, caller: Caller): Promise<string | undefined> {
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

/**
 * Reads values that were given option by option, as in a form. Terms behind a map or a player's name, such as `+HDDT`,
 * are recognised as in a typed line.
 */
export function readGiven(spec: CommandSpec, given: RawOptions): RawOptions {
  let all = given;
  for (const option of spec.options) {
    const text = given[option.key];
    if (typeof text !== 'string' || !['name', 'map'].includes(formOf(option) ?? '')) continue;
    // In a typed line a number alone may be a map's id, but in the field for a player it is the player's id.
    if (/^\d+$/.test(text)) continue;
    const { [option.key]: _, ...others } = all;
    const read = parseArguments(spec, text, option);
    const twice = spec.options.find(({ key }) => Object.hasOwn(read, key) && others[key] !== undefined);
    if (twice !== undefined) throw usageError('repeatedOption', { option: twice.name });
    all = { ...others, ...read };
  }
  return all;
}

/** The button for a mistyped line shows a line of up to this many letters, else only the command's name. */
const MOST_LABEL = 40;
/** A mistyped name may have one mistake for every so many of its letters, such as two in six. */
const LETTERS_A_MISTAKE = 3;

/** Finds the command of the most similar name: `/beatmap serch`, `/beatmap_serch` and `/serch` mean the search. */
function nearestCommand(
  { name, args }: Extract<RequestBody, { kind: 'line' }>['what'],
  commands: readonly Command[],
): { readonly command: Command; readonly args: string } | undefined {
  const spelled = name.replaceAll('_', ' ');
  const [second = ''] = args.split(/\s/, 1);
  // The second word of a grouped command's name is enough, unless another command's whole name is that word.
  const names = new Map([
    ...commands.map(command => [command.name.split(' ').at(-1) ?? '', command] as const),
    ...commands.map(command => [command.name, command] as const),
  ]);
  const readings = [
    ...(spelled.includes(' ') || second === ''
      ? []
      : [{ typed: `${spelled} ${second.toLowerCase()}`, left: args.slice(second.length).trim() }]),
    { typed: spelled, left: args },
  ];
  const found = readings.flatMap(({ typed, left }) => {
    return [...names].flatMap(([known, command]) => {
      const most = Math.max(1, Math.floor(known.length / LETTERS_A_MISTAKE));
      const mistakes = wordDistance(typed, known, { most, isBeginningEnough: false });
      return mistakes === undefined ? [] : [{ command, args: left, mistakes }];
    });
  });
  return found.toSorted((a, b) => a.mistakes - b.mistakes)[0];
}

/** Reads the words behind a command's name as its options; undefined when the words do not fit the options. */
function readValues(
  command: Command,
  args: string,
  caller: Caller,
  t: Translator,
): ButtonPayload['values'] | undefined {
  try {
    return parseArguments(commandSpec(command, t, caller.chatKind), args);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}
