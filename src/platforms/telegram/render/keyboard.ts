import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Action, GalleryItem } from '../../../bot/contract/reply.ts';
import { hasSound } from '../../../bot/views/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button, Keyboard } from '../api/methods.ts';
import { isWebAddress } from './formatted-text.ts';

/** A button whose label is longer gets a row of its own, so that phones show all of it. */
const SHORT_LABEL = 14;

/** Buttons that other platforms do not show. */
export interface OwnButtons {
  /** Buttons with the numbers of the cards in the text. */
  readonly numbers?: readonly Button[];
  /** Buttons that are placed after all other buttons. */
  readonly extra?: readonly Button[];
}

/** The buttons under a message; undefined if it has none. A menu becomes buttons, one below the other. */
export function renderKeyboard(
  actions: readonly Action[],
  { numbers = [], extra = [] }: OwnButtons = {},
): Keyboard | undefined {
  const others = [...actions.flatMap(renderAction), ...extra].slice(0, MESSAGE_LIMITS.buttons - numbers.length);
  const rows = [...evenRows(numbers), ...rowsOf(others)];
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

/** An answer that can be deleted: the person who asked, the message that asked, and the answer's further messages. */
interface Deletable {
  readonly userId: string;
  readonly messageId: number;
  /** The ids of an album's messages, which cannot have the button themselves. */
  readonly others: readonly number[];
}

const SEAL_BYTES = 12;
const DATA = /^delete:(-?\d{1,20}):(\d{1,15})(?::([0-9a-z,-]{1,30}))?:([\w-]{16})$/;

export type DeleteButtons = ReturnType<typeof createDeleteButtons>;

/**
 * The buttons by which the person who asked, or an admin, deletes an answer. They work after a restart.
 * @param secret a text that is the same after a restart
 */
export function createDeleteButtons(secret: string) {
  function seal(chatId: number, userId: string, messageId: number | string, runs: string): string {
    const text = `delete ${chatId} ${userId} ${messageId}${runs === '' ? '' : ` ${runs}`}`;
    return createHmac('sha256', secret).update(text).digest().subarray(0, SEAL_BYTES).toString('base64url');
  }

  return {
    /** The button; undefined when the answer has more messages than fit into the button's data. */
    render(to: Deletable & { readonly chatId: number }, label: string): Button | undefined {
      const { chatId, userId, messageId, others } = to;
      const runs = writeRuns(others);
      const mark = seal(chatId, userId, messageId, runs);
      const data = ['delete', userId, messageId, ...(runs === '' ? [] : [runs]), mark].join(':');
      return data.length <= MESSAGE_LIMITS.callbackData ? { text: label, callback_data: data } : undefined;
    },
    /** Reads the data of a button; undefined unless Medley made it for that chat, because people can send any data. */
    read(data: string, chatId: number): Deletable | undefined {
      const [, userId, messageId, runs = '', given] = DATA.exec(data) ?? [];
      if (userId === undefined || messageId === undefined || given === undefined) return undefined;
      const isOurs = timingSafeEqual(Buffer.from(given), Buffer.from(seal(chatId, userId, messageId, runs)));
      return isOurs ? { userId, messageId: Number(messageId), others: readRuns(runs) } : undefined;
    },
  };
}

/** Writes ids as runs `FIRST-COUNT` in base 36, which are short, since an album's ids are consecutive. */
function writeRuns(ids: readonly number[]): string {
  const runs: { first: number; count: number }[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && id === run.first + run.count) run.count += 1;
    else runs.push({ first: id, count: 1 });
  }
  return runs.map(({ first, count }) => `${first.toString(36)}-${count.toString(36)}`).join(',');
}

function readRuns(runs: string): readonly number[] {
  if (runs === '') return [];
  return runs.split(',').flatMap(run => {
    const [first = 0, count = 0] = run.split('-').map(part => Number.parseInt(part, 36));
    return Array.from({ length: Math.min(count, MESSAGE_LIMITS.deletedAtOnce) }, (_, index) => first + index);
  });
}

const PREFIX = 'audio:';
const SCHEME = 'https://';

/** The button by which anyone gets the audio of the post's videos; undefined for a post without audio. */
export function audioButton([first]: readonly GalleryItem[], label: string): Button | undefined {
  if (first === undefined || first.form === 'audio' || !first.post.items.some(hasSound)) return undefined;
  const data = `${PREFIX}${first.post.url.replace(SCHEME, '')}`;
  return Buffer.byteLength(data) <= MESSAGE_LIMITS.callbackData ? { text: label, callback_data: data } : undefined;
}

/** The post's link in a button's data, which is then read as if a person had sent it; undefined for other data. */
export function readAudioButton(data: string): string | undefined {
  return data.startsWith(PREFIX) ? `${SCHEME}${data.slice(PREFIX.length)}` : undefined;
}
