import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '../../../bot/reply.ts';
import type { Sending } from '../../../bot/runtime/chat-platform.ts';
import type { Logger } from '../../../infra/log.ts';
import type { TelegramLimits } from '../limits.ts';
import { renderText } from '../render/render.ts';
import type { TelegramReplyTo } from '../reply-to.ts';
import type { AnswerPress } from './answer-press.ts';
import type { BotApi } from './bot-api.ts';
import type { DeleteButton } from './delete-button.ts';
import type { Button } from './methods.ts';
import type { Sender } from './send.ts';
import type { Occasion } from './sending.ts';

export interface SendReplyOptions {
  readonly api: BotApi;
  readonly sender: Sender;
  readonly answerPress: AnswerPress;
  readonly deleteButton: DeleteButton;
  readonly limits: Pick<TelegramLimits, 'noticeMs'>;
  readonly log: Pick<Logger, 'debug'>;
}

/** Sends one reply to where its request came from. */
export type SendReply = (reply: Reply, sending: Sending<TelegramReplyTo> & Pick<Occasion, 'key'>) => Promise<void>;

export function createSendReply(options: SendReplyOptions): SendReply {
  const { api, sender, answerPress, deleteButton, limits, log } = options;

  /** Under files in groups; in private chats people can delete what they like. */
  function extraButtons({ request, to, t }: Sending<TelegramReplyTo>): readonly Button[] {
    if (!to.isGroup || to.message === undefined) return [];
    const owner = { chatId: to.chat, userId: request.user.id, messageId: to.message };
    return [deleteButton.render(owner, t.messages.telegram.delete)];
  }

  /** A group keeps what will soon be true no longer only so long; a process that ends before leaves it there. */
  async function sendShortNotice(reply: Reply, to: TelegramReplyTo, occasion: Occasion): Promise<void> {
    const { blocks, actions, outdatedMs = limits.noticeMs } = reply;
    const sent = await sender.sendText(renderText(blocks, actions, occasion.t), { ...to, silent: true }, occasion);
    if (sent === undefined) return;
    pause(Math.min(outdatedMs, limits.noticeMs), undefined, { ref: false })
      .then(() => api.call('deleteMessage', { chat_id: to.chat, message_id: sent.message_id }))
      .catch((error: unknown) => log.debug({ err: error }, 'a notice could not be deleted'));
  }

  return async (reply, sending) => {
    const { to, t, signal, put, stands, key } = sending;
    const occasion: Occasion = { t, signal, put, stands, key, extra: extraButtons(sending) };
    if (to.press !== undefined) return answerPress(reply, to, to.press, occasion);
    if (to.isGroup && reply.outdatedMs !== undefined) return sendShortNotice(reply, to, occasion);
    return sender.send(reply, to, occasion);
  };
}
