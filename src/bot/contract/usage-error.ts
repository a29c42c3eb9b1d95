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

function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_ECHO)];
  return characters.length > MAX_ECHO ? `${characters.slice(0, MAX_ECHO).join('')}…` : text;
}
