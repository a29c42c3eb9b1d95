import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Button } from './methods.ts';

/** The button that takes an answer away: for the person who asked, and for admins. It works after a restart. */
export interface DeleteButton {
  render(to: { readonly chatId: number; readonly userId: string; readonly messageId: number }, label: string): Button;
  /** Who asked, by which message, when the data is of such a button in that chat; people can send any data they like. */
  read(data: string, chatId: number): { readonly userId: string; readonly messageId: number } | undefined;
}

const SEAL_BYTES = 12;
const DATA = /^delete:(-?\d{1,20}):(\d{1,15}):([\w-]{16})$/;

/** @param secret the same after a restart */
export function createDeleteButton(secret: string): DeleteButton {
  function seal(chatId: number, userId: string, messageId: number | string): string {
    const text = `delete ${chatId} ${userId} ${messageId}`;
    return createHmac('sha256', secret).update(text).digest().subarray(0, SEAL_BYTES).toString('base64url');
  }

  return {
    render({ chatId, userId, messageId }, label) {
      return { text: label, callback_data: `delete:${userId}:${messageId}:${seal(chatId, userId, messageId)}` };
    },
    read(data, chatId) {
      const [, userId, messageId, given] = DATA.exec(data) ?? [];
      if (userId === undefined || messageId === undefined || given === undefined) return undefined;
      const isOurs = timingSafeEqual(Buffer.from(given), Buffer.from(seal(chatId, userId, messageId)));
      return isOurs ? { userId, messageId: Number(messageId) } : undefined;
    },
  };
}
