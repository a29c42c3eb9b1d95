import type { Reply } from '../../../bot/contract/reply.ts';
import { isNotice } from '../../../bot/contract/reply-parts.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { deleteMessage } from '../api/bot-api.ts';
import { BotApiError, failureSentence, isTopicClosed } from '../api/bot-api-error.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { PressedButton } from '../api/reply-to.ts';
import { renderBlocks } from '../render/block-text.ts';
import { plainText, shorten } from '../render/formatted-text.ts';
import { renderReply } from '../render/render.ts';
import { EDIT, type ReplyContext, type TelegramContext } from './context.ts';
import type { Sender } from './send.ts';
import type { EditMessage } from './words.ts';

const MAX_ANSWERED = 10_000;

export type PressAnswers = ReturnType<typeof createPressAnswers>;

/** Answers each press of a button once, silently or with a notice. Until then the button spins. */
export function createPressAnswers({ api, limits, log }: TelegramContext) {
  /**
   * The ids of presses that this process has answered, so that it answers none twice. It does not know of answers by
   * other processes; after one of those Telegram refuses the second answer.
   */
  const answered = createLru<string, true>({ max: MAX_ANSWERED });

  /** Answers a press. False if it was answered before, or if Telegram no longer accepts an answer to it. */
  async function answer(id: string, notice: { readonly text?: string; readonly show_alert?: boolean }) {
    if (answered.has(id)) return false;
    answered.set(id, true);
    return api.call('answerCallbackQuery', { callback_query_id: id, ...notice }).catch((error: unknown) => {
      log.debug({ err: error }, 'a button could not be answered');
      return false;
    });
  }

  const notify = (id: string, text: string) =>
    answer(id, { text: shorten(plainText(text), MESSAGE_LIMITS.callbackAnswer).text, show_alert: true });

  return {
    notify,
    notifyReply: (id: string, { blocks }: Reply, t: Translator) =>
      notify(id, renderBlocks(blocks, t, MESSAGE_LIMITS.text).text),
    acknowledge: async (id: string) => void (await answer(id, {})),
    /** Acknowledges the press a little later, unless it is answered by then. */
    acknowledgeSoon(id: string) {
      setTimeout(() => void answer(id, {}), limits.spinMs).unref();
    },
  };
}

/** The last character of the `sendOnce` key for an edit of the message with the button. */
export const EDITED = 'e';

/** Sends the reply to a pressed button: as a notice at the button, as an edit of its message, or as a new message. */
export function createAnswerPress(
  { api, log }: TelegramContext,
  sender: Sender,
  editMessage: EditMessage,
  answers: PressAnswers,
) {
  async function answer(reply: Reply, press: PressedButton, context: ReplyContext): Promise<void> {
    const { to, t, sendOnce, key } = context;
    const isForOne = isNotice(reply);
    if (isForOne && (await isNotified(reply, press.query, context))) return;
    // A notice that comes too late to be shown at the button is sent as a new message. It never replaces the message
    // with the button, whose content would be lost.
    const isAdded = reply.gallery.length > 0 || reply.isBeside === true;
    const mayEdit = !isAdded && !isForOne && press.isEphemeral !== true;
    const kind = mayEdit ? press.stands : undefined;
    const message = { chat_id: to.chat, message_id: press.message };
    const edited =
      kind && (await editMessage(renderReply(reply, t), { ...message, kind }, { ...context, key: `${key}${EDITED}` }));
    if (edited === 'done') return;
    await sender.send(reply, context);
    const isUsedUp = press.stands === 'text' && press.isOnlyButton === true && reply.gallery.length > 0;
    const withdraw = () =>
      deleteMessage(api, message).catch((error: unknown) => {
        // Telegram does not let bots delete messages that are too old, so the message with the button may stay.
        log.debug({ err: error }, 'a message that was replaced could not be deleted');
      });
    if (edited === 'anew' || (isUsedUp && press.isEphemeral !== true)) await sendOnce(`${key}d`, withdraw, EDIT);
  }

  /** Shows the reply as a notice at the button, if no earlier attempt did. Resolves with true if it was shown. */
  async function isNotified(reply: Reply, query: string, { key, sendOnce, t }: ReplyContext): Promise<boolean> {
    const call = async () => {
      if (await answers.notifyReply(query, reply, t)) return;
      const description = 'the button was answered before';
      throw new BotApiError({ method: 'answerCallbackQuery', code: 400, description, isNotDone: true });
    };
    try {
      await sendOnce(`${key}a`, call, EDIT);
      return true;
    } catch (error) {
      if (error instanceof BotApiError && error.code === 400) return false;
      throw error;
    }
  }

  return async (reply: Reply, press: PressedButton, context: ReplyContext): Promise<void> => {
    try {
      await answer(reply, press, context);
    } catch (error) {
      const isFlood = error instanceof BotApiError && error.code === 429;
      if (isFlood || isTopicClosed(error)) await answers.notify(press.query, failureSentence(error, context.t));
      throw error;
    }
    await answers.acknowledge(press.query);
  };
}
