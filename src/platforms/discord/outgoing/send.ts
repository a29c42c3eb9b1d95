import type { ChatPlatform } from '../../../bot/contract/chat-platform.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Delivery } from '../../../media/delivery/delivery.ts';
import type { CommandIdRecord } from '../api/command-ids.ts';
import type { DiscordApi } from '../api/discord-api.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import { createAnswer } from './answer.ts';
import type { AnswerParts } from './answer-parts.ts';
import { isForOne, sendInteraction } from './send-interaction.ts';
import type { MessageSender } from './send-message.ts';
import type { ViewHistory } from './view-history.ts';

export interface SendOptions {
  readonly api: DiscordApi;
  readonly parts: AnswerParts;
  readonly history: ViewHistory;
  readonly messages: Pick<MessageSender, 'send'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  /** Where the interaction did not say it. */
  readonly applicationId: () => string;
  readonly commandIds: Pick<CommandIdRecord, 'current'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Sends replies to where they were asked for; files are fetched as soon as their reply is known, and let go in the end. */
export function createSend(options: SendOptions): ChatPlatform<DiscordReplyTo>['send'] {
  const { api, parts, history, messages, delivery, applicationId, commandIds, log } = options;

  return async (replies, sending) => {
    const { request, to, t, signal } = sending;
    const limits = { fileBytes: to.fileBytes, canAttach: to.kind === 'interaction' || to.rights.attach };
    const commands = await commandIds.current();
    const shared = createAnswer(limits, { delivery, t, commands, log, signal });
    const personal = createAnswer(limits, { delivery, t, commands, log, signal });
    const isGroup = request.chat.kind === 'group';
    try {
      for await (const reply of replies) {
        const isAside = to.kind === 'interaction' && isForOne(reply, to, isGroup);
        (isAside ? personal : shared).add(reply);
      }
      if (shared.replies.length + personal.replies.length === 0) return;
      if (to.kind === 'message') await messages.send(shared, sending, to);
      else {
        const key = { applicationId: to.applicationId ?? applicationId(), token: to.token };
        await sendInteraction({ api, parts, history }, key, { shared, personal }, sending, to);
      }
    } finally {
      await shared.dispose();
      await personal.dispose();
    }
  };
}
