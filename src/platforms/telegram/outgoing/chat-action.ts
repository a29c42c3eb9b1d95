import type { Logger } from '../../../infra/log.ts';
import type { TelegramReplyTo } from '../reply-to.ts';
import type { BotApi } from './bot-api.ts';

export interface ChatActionOptions {
  readonly api: BotApi;
  readonly everyMs: number;
  readonly log: Pick<Logger, 'debug'>;
}

/** Shows that Medley is at work, until the returned function is called: it costs no message and goes by itself. */
export type ShowChatAction = (to: Pick<TelegramReplyTo, 'chat' | 'thread'>) => () => void;

export function createChatAction({ api, everyMs, log }: ChatActionOptions): ShowChatAction {
  return ({ chat, thread }) => {
    const place = { chat_id: chat, ...(thread === undefined ? {} : { message_thread_id: thread }) };

    function show(): void {
      api.call('sendChatAction', { ...place, action: 'upload_video' }).catch((error: unknown) => {
        log.debug({ err: error }, 'a chat action was not shown');
        clearInterval(timer);
      });
    }

    const timer = setInterval(show, everyMs);
    timer.unref();
    show();
    return () => clearInterval(timer);
  };
}
