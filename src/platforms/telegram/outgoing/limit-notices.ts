import { setTimeout as pause } from 'node:timers/promises';
import type { Reply } from '../../../bot/reply.ts';
import { createNoticePace } from '../../../bot/runtime/notice-pace.ts';
import type { Logger } from '../../../infra/log.ts';
import type { TelegramLimits } from '../limits.ts';
import { renderText } from '../render/render.ts';
import type { BotApi } from './bot-api.ts';
import type { Place } from './message-api.ts';
import type { Occasion, Sender } from './send.ts';

export interface LimitNoticesOptions {
  readonly api: BotApi;
  readonly sender: Pick<Sender, 'sendText'>;
  readonly limits: Pick<TelegramLimits, 'noticeMs'>;
  readonly log: Pick<Logger, 'debug'>;
  readonly now: () => number;
  /** Notices that are still to go away then stay. */
  readonly stopping: AbortSignal;
}

/**
 * Notices to one person in a group that they are over their limit: silent, and deleted when the time to wait is over, at the latest after
 * `noticeMs`. Of many in a row the newest speaks for all.
 */
export interface LimitNotices {
  /** @throws BotApiError, or the signal's reason */
  put(notice: Reply, userId: string, place: Place, occasion: Occasion): Promise<void>;
}

export function createLimitNotices({ api, sender, limits, log, now, stopping }: LimitNoticesOptions): LimitNotices {
  const pace = createNoticePace({ now });

  async function leave(chatId: number, messageId: number, afterMs: number): Promise<void> {
    try {
      await pause(afterMs, undefined, { signal: stopping, ref: false });
      await api.call('deleteMessage', { chat_id: chatId, message_id: messageId }, { signal: stopping, attempts: 1 });
    } catch (error) {
      if (!stopping.aborted) log.debug({ err: error }, 'a notice could not be deleted');
    }
  }

  return {
    put(notice, userId, place, occasion) {
      const { blocks, actions, outdatedMs = limits.noticeMs } = notice;
      async function post(): Promise<void> {
        const payload = renderText(blocks, actions, occasion.t);
        const { message_id: messageId } = await sender.sendText(payload, { ...place, silent: true }, occasion);
        void leave(place.chatId, messageId, Math.min(outdatedMs, limits.noticeMs));
      }
      return pace.put(`${place.chatId} ${userId}`, post, occasion.signal);
    },
  };
}
