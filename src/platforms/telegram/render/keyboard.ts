import type { Action } from '../../../bot/contract/reply.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button, Keyboard } from '../api/methods.ts';
import { isWebAddress } from './formatted-text.ts';

/** A button whose label is longer gets a row of its own, so that phones show all of it. */
const SHORT_LABEL = 14;

export interface NumberButton {
  readonly number: string;
  /** The token that opens the card with this number; undefined if it cannot be opened. */
  readonly token: string | undefined;
}

/** Buttons that other platforms do not show. */
export interface OwnButtons {
  /** Buttons for the cards that are numbered in the text. */
  readonly numbers?: readonly NumberButton[];
  /** Buttons behind all others. */
  readonly extra?: readonly Button[];
}

/** The buttons under a message; undefined if it has none. A menu becomes buttons, one below the other. */
export function renderKeyboard(
  actions: readonly Action[],
  { numbers = [], extra = [] }: OwnButtons = {},
): Keyboard | undefined {
  const numbered = numbers.flatMap(({ number, token }) =>
    token === undefined ? [] : [{ text: number, callback_data: token }],
  );
  const others = [...actions.flatMap(renderAction), ...extra].slice(0, MESSAGE_LIMITS.buttons - numbered.length);
  const rows = [...evenRows(numbered), ...rowsOf(others)];
  return rows.length === 0 ? undefined : { inline_keyboard: rows };
}

function renderAction(action: Action): readonly Button[] {
  if (action.kind === 'menu') {
    return action.choices.slice(0, MAX_CHOICES).map(({ label, isSet, token }) => ({
      text: labelOf(isSet === true ? `✓ ${label}` : label),
      callback_data: token,
    }));
  }
  const text = labelOf(action.label);
  if (action.kind === 'link') return isWebAddress(action.url) ? [{ text, url: action.url }] : [];
  const style = action.style === 'secondary' ? {} : { style: action.style };
  return [{ text, callback_data: action.token, ...style }];
}

/** The most choices that are shown, which is the same on every platform. */
const MAX_CHOICES = 25;

function labelOf(label: string): string {
  const characters = [...label.trim()];
  if (characters.length === 0) return '…';
  if (characters.length <= MESSAGE_LIMITS.buttonLabel) return characters.join('');
  return `${characters.slice(0, MESSAGE_LIMITS.buttonLabel - 1).join('')}…`;
}

/** Divides buttons into rows of similar length, so that no row has one button alone. */
function evenRows(buttons: readonly Button[]): readonly (readonly Button[])[] {
  const count = Math.ceil(buttons.length / MESSAGE_LIMITS.numbersPerRow);
  const width = Math.ceil(buttons.length / Math.max(1, count));
  return Array.from({ length: count }, (_, row) => buttons.slice(row * width, (row + 1) * width));
}

function rowsOf(buttons: readonly Button[]): readonly (readonly Button[])[] {
  const rows: Button[][] = [];
  for (const button of buttons) {
    const row = rows.at(-1);
    const fits = row !== undefined && row.length < MESSAGE_LIMITS.buttonsPerRow;
    if (fits && [...row, button].every(({ text }) => text.length <= SHORT_LABEL)) row.push(button);
    else rows.push([button]);
  }
  return rows;
}
