import { type PlainAction, plainActions } from '../../bot/plain-blocks.ts';
import type { Action } from '../../bot/reply.ts';
import { isWebAddress } from './formatted-text.ts';
import { MESSAGE_LIMITS } from './limits.ts';
import type { Button, Keyboard } from './methods.ts';

/** Labels longer than this stand alone in their row, where phones show them whole. */
const SHORT_LABEL = 14;

/** The buttons under a message; undefined when there is none to show. */
export function renderKeyboard(actions: readonly Action[], extra: readonly Button[] = []): Keyboard | undefined {
  const buttons = [...plainActions([], actions).flatMap(renderButton), ...extra].slice(0, MESSAGE_LIMITS.buttons);
  return buttons.length === 0 ? undefined : { inline_keyboard: rowsOf(buttons) };
}

function renderButton(action: PlainAction): readonly Button[] {
  const text = labelOf(action.label);
  if (action.kind === 'link') return isWebAddress(action.url) ? [{ text, url: action.url }] : [];
  const style = action.style === 'secondary' ? {} : { style: action.style };
  return [{ text, callback_data: action.token, ...style }];
}

function labelOf(label: string): string {
  const characters = [...label.trim()];
  if (characters.length === 0) return '…';
  if (characters.length <= MESSAGE_LIMITS.buttonLabel) return characters.join('');
  return `${characters.slice(0, MESSAGE_LIMITS.buttonLabel - 1).join('')}…`;
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
