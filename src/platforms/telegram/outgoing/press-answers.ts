import type { Reply } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import { MESSAGE_LIMITS, type TelegramLimits } from '../api/limits.ts';
import { renderBlocks } from '../render/block-text.ts';
import { shorten } from '../render/formatted-text.ts';

/** Every press is answered once: with a notice for the person who pressed, or by letting the button rest. */
export interface PressAnswers {
  /** False when it was answered already, or cannot be any more. */
  say(query: string, text: string): Promise<boolean>;
  sayReply(query: string, reply: Reply, t: Translator): Promise<boolean>;
  /** Never rejects. */
  rest(query: string): Promise<void>;
  /** Lets it rest after a while, should it not be answered by then. */
  restSoon(query: string): void;
}

export interface PressAnswersOptions {
  readonly api: BotApi;
  readonly limits: Pick<TelegramLimits, 'spinMs'>;
  readonly log: Pick<Logger, 'debug'>;
}

const MAX_ANSWERED = 10_000;

export function createPressAnswers({ api, limits, log }: PressAnswersOptions): PressAnswers {
  /** By this process; what another has answered Telegram refuses. */
  const answered = createLru<string, true>({ max: MAX_ANSWERED });

  async function answer(id: string, said: { readonly text?: string; readonly show_alert?: boolean }): Promise<boolean> {
    if (answered.has(id)) return false;
    answered.set(id, true);
    try {
      return await api.call('answerCallbackQuery', { callback_query_id: id, ...said });
    } catch (error) {
      log.debug({ err: error }, 'a button could not be answered');
      return false;
    }
  }

  function say(id: string, text: string): Promise<boolean> {
    const short = shorten({ text, entities: [] }, MESSAGE_LIMITS.callbackAnswer).text;
    return answer(id, { text: short, show_alert: true });
  }

  return {
    say,
    sayReply: (id, { blocks }, t) => say(id, renderBlocks(blocks, t, MESSAGE_LIMITS.text).text),
    rest: async id => void (await answer(id, {})),
    restSoon(id) {
      setTimeout(() => void answer(id, {}), limits.spinMs).unref();
    },
  };
}
