import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from './bot-api.ts';
import type { Place } from './message-api.ts';

type Action = 'upload_video' | 'upload_photo';

/** The line that says Medley is at work: it costs no message and goes by itself. */
export interface ChatAction {
  /** Shows it until `stop`; what was shown before is replaced. */
  show(action: Action): void;
  stop(): void;
}

export interface ChatActionOptions {
  readonly api: BotApi;
  readonly place: Place;
  readonly everyMs: number;
  readonly log: Pick<Logger, 'debug'>;
}

export function createChatAction({ api, place, everyMs, log }: ChatActionOptions): ChatAction {
  const { chatId, threadId } = place;
  let timer: NodeJS.Timeout | undefined;
  let shown: Action | undefined;

  function say(): void {
    if (shown === undefined) return;
    const thread = threadId === undefined ? {} : { message_thread_id: threadId };
    // It is no use later, so it is never tried again.
    api
      .call('sendChatAction', { chat_id: chatId, ...thread, action: shown }, { attempts: 1 })
      .catch((error: unknown) => {
        log.debug({ err: error }, 'a chat action was not shown');
        stop();
      });
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    shown = undefined;
  }

  return {
    show(action) {
      if (shown === action) return;
      const isNew = shown === undefined;
      shown = action;
      if (!isNew) return;
      say();
      timer = setInterval(say, everyMs);
      timer.unref();
    },
    stop,
  };
}
