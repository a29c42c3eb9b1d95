import * as z from 'zod';
import type { Reply } from '../../../bot/contract/reply.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import { render } from '../render/render.ts';
import { EDITED } from './answer-press.ts';
import type { EditMessage, OwnMessage } from './edit-message.ts';
import type { SendReply } from './send-reply.ts';

export interface MendingReplyOptions {
  readonly sendReply: SendReply;
  readonly editMessage: EditMessage;
}

const MAX_MESSAGES = 1_000;

const Sent = z.looseObject({ message_id: z.number(), photo: z.array(z.unknown()).optional() });

/** Sends a reply, and edits its message when the rest of it comes later; where the reply has one message alone, of words or a photo. */
export function createMendingReply({ sendReply, editMessage }: MendingReplyOptions): SendReply {
  /** The request that a message of ours was last written for, as far as this process knows. */
  const writers = createLru<string, string>({ max: MAX_MESSAGES });

  return async (reply, sending) => {
    const { t, key, to, request } = sending;
    const results = new Map<string, unknown>();
    const edited = `${key}${EDITED}`;
    const isAllThere = await sendReply(reply, {
      ...sending,
      async sendOnce(place, call, options) {
        if (to.press !== undefined && place.startsWith(edited))
          writers.set(`${to.chat} ${to.press.message}`, request.id);
        const result = await sending.sendOnce(place, call, options);
        results.set(place, result);
        return result;
      },
    });
    const message = messageOf(results, to, edited);
    if (reply.later === undefined || message === undefined) return isAllThere;
    const place = `${message.chat_id} ${message.message_id}`;
    if (!writers.has(place)) writers.set(place, request.id);
    sending.editLater?.(reply.later, async (better: Reply, signal) => {
      // What its reader opened meanwhile stays.
      if (writers.get(place) !== request.id) return;
      const sendOnce = <T>(_: string, call: (tag: string) => Promise<T>): Promise<T | undefined> => call('later');
      await editMessage(render(better, { t }), message, { t, key, signal, sendOnce, sentKeys: [] });
    });
    return isAllThere;
  };
}

/** The one that was sent, or the one that was edited because its button was pressed. */
function messageOf(
  results: ReadonlyMap<string, unknown>,
  { chat, press }: TelegramReplyTo,
  edited: string,
): OwnMessage | undefined {
  const sent = [...results.values()].flatMap(result => Sent.safeParse(result).data ?? []);
  const [first, ...others] = sent;
  if (first !== undefined) {
    const kind = first.photo === undefined ? 'text' : 'photo';
    return others.length > 0 ? undefined : { chat_id: chat, message_id: first.message_id, kind };
  }
  const isEdited = [...results.keys()].some(key => key.startsWith(edited));
  return isEdited && press?.stands !== undefined
    ? { chat_id: chat, message_id: press.message, kind: press.stands }
    : undefined;
}
