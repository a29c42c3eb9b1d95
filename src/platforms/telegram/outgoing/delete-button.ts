import { createHmac, timingSafeEqual } from 'node:crypto';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button } from '../api/methods.ts';

/** Whose answer it is, by which message they asked, and what else belongs to it. */
export interface Deletable {
  readonly userId: string;
  readonly messageId: number;
  /** Messages beside the one that the button stands under: those of an album. */
  readonly others: readonly number[];
}

/** The button that takes an answer away: for the person who asked, and for admins. It works after a restart. */
export interface DeleteButton {
  /** Undefined when the answer has more parts than a button can name. */
  render(to: Deletable & { readonly chatId: number }, label: string): Button | undefined;
  /** When the data is of such a button in that chat; people can send any data they like. */
  read(data: string, chatId: number): Deletable | undefined;
}

const SEAL_BYTES = 12;
const DATA = /^delete:(-?\d{1,20}):(\d{1,15})(?::([0-9a-z,-]{1,30}))?:([\w-]{16})$/;

/** @param secret the same after a restart */
export function createDeleteButton(secret: string): DeleteButton {
  function seal(chatId: number, userId: string, messageId: number | string, runs: string): string {
    const text = `delete ${chatId} ${userId} ${messageId}${runs === '' ? '' : ` ${runs}`}`;
    return createHmac('sha256', secret).update(text).digest().subarray(0, SEAL_BYTES).toString('base64url');
  }

  return {
    render({ chatId, userId, messageId, others }, label) {
      const runs = writeRuns(others);
      const parts = [
        'delete',
        userId,
        messageId,
        ...(runs === '' ? [] : [runs]),
        seal(chatId, userId, messageId, runs),
      ];
      const data = parts.join(':');
      return data.length <= MESSAGE_LIMITS.callbackData ? { text: label, callback_data: data } : undefined;
    },
    read(data, chatId) {
      const [, userId, messageId, runs = '', given] = DATA.exec(data) ?? [];
      if (userId === undefined || messageId === undefined || given === undefined) return undefined;
      const isOurs = timingSafeEqual(Buffer.from(given), Buffer.from(seal(chatId, userId, messageId, runs)));
      return isOurs ? { userId, messageId: Number(messageId), others: readRuns(runs) } : undefined;
    },
  };
}

/** Ids of an album follow each other: `FIRST-COUNT`, in base 36. */
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
