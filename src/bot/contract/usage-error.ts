import { AppError } from '../../errors.ts';
import type { HintKey, HintValues, TextValues } from '../../i18n/messages.ts';

const MAX_ECHO = 40;

/**
 * An `invalid_request` error that says what is wrong. `params.hint` is the key of a sentence in `messages.hints`, and
 * the other params fill it. Words of people in it are shortened.
 */
export function usageError<Key extends HintKey>(key: Key, ...values: HintValues<Key>): AppError {
  const [params = {}]: readonly TextValues[] = values;
  const echoed = Object.entries(params).map(([name, value]) => [name, name === 'name' ? shortened(`${value}`) : value]);
  return new AppError('invalid_request', `hint: ${key}`, { params: { ...Object.fromEntries(echoed), hint: key } });
}

/**
 * The error for a name that is no command. The hint lists the commands of the same group, else the first words of all
 * commands, since a list of everything is more than a person reads.
 */
export function unknownCommand(name: string, commands: readonly { readonly name: string }[]): AppError {
  const names = commands.map(command => command.name);
  const [first] = name.split(' ');
  const group = names.filter(each => each.startsWith(`${first} `));
  const allowed = group.length > 0 ? group : new Set(names.map(each => each.split(' ', 1)[0]));
  return usageError('unknownCommand', { name, allowed: [...allowed].map(each => `/${each}`).join(', ') });
}

function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_ECHO)];
  return characters.length > MAX_ECHO ? `${characters.slice(0, MAX_ECHO).join('')}…` : text;
}
