import { createHmac, timingSafeEqual } from 'node:crypto';
import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { hasSound } from '../../../bot/views/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button } from '../api/methods.ts';

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
 * @param secret the same after a restart
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
