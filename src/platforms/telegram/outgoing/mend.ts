import { z } from 'zod';
import type { Reply } from '../../../bot/reply.ts';
import { render } from '../render/render.ts';
import type { TelegramReplyTo } from '../reply-to.ts';
import type { EditMessage, OwnMessage } from './edit-message.ts';
import type { SendReply } from './send-reply.ts';

export interface MendingReplyOptions {
  readonly sendReply: SendReply;
  readonly editMessage: EditMessage;
}

const Sent = z.looseObject({ message_id: z.number(), photo: z.array(z.unknown()).optional() });

/** Sends a reply, and edits its message when the rest of it comes later; where the reply has one message alone, of words or a photo. */
export function createMendingReply({ sendReply, editMessage }: MendingReplyOptions): SendReply {
  return async (reply, sending) => {
    const results: unknown[] = [];
    await sendReply(reply, {
      ...sending,
      async put(key, call, options) {
        const result = await sending.put(key, call, options);
        results.push(result);
        return result;
      },
    });
    const message = messageOf(results, sending.to);
    if (reply.later === undefined || message === undefined) return;
    const { t, key } = sending;
    sending.mend?.(reply.later, async (better: Reply, signal) => {
      const put = <T>(_: string, call: (tag: string) => Promise<T>): Promise<T | undefined> => call('later');
      await editMessage(render(better, { t }), message, { t, key, signal, put, stands: [] });
    });
  };
}

/** The one that was sent, or the one that was edited because its button was pressed. */
function messageOf(results: readonly unknown[], { chat, press }: TelegramReplyTo): OwnMessage | undefined {
  const sent = results.flatMap(result => Sent.safeParse(result).data ?? []);
  const [first, ...others] = sent;
  if (first !== undefined) {
    const kind = first.photo === undefined ? 'text' : 'photo';
    return others.length > 0 ? undefined : { chat_id: chat, message_id: first.message_id, kind };
  }
  return press?.stands === undefined ? undefined : { chat_id: chat, message_id: press.message, kind: press.stands };
}
