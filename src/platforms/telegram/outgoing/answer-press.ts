import type { Reply } from '../../../bot/contract/reply.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import { failureSentence, isTopicClosed } from '../api/refusals.ts';
import type { Press } from '../api/reply-to.ts';
import { render } from '../render/render.ts';
import { deleteMessage, type MessageAddress } from './delete-message.ts';
import type { EditMessage } from './edit-message.ts';
import type { Place } from './message-api.ts';
import type { PressAnswers } from './press-answers.ts';
import type { Sender } from './send.ts';
import { EDIT, type Occasion } from './sending.ts';

export interface AnswerPressOptions {
  readonly api: BotApi;
  readonly sender: Sender;
  readonly editMessage: EditMessage;
  readonly answers: PressAnswers;
  readonly log: Pick<Logger, 'debug'>;
}

/** Says the reply to a pressed button: to the person alone, in the place of the message it stands under, or beside that. */
export type AnswerPress = (reply: Reply, to: Place, press: Press, occasion: Occasion) => Promise<void>;

/** In the key of an edit of the message whose button was pressed. */
export const EDITED = 'e';

export function createAnswerPress({ api, sender, editMessage, answers, log }: AnswerPressOptions): AnswerPress {
  async function answer(reply: Reply, to: Place, press: Press, occasion: Occasion): Promise<void> {
    const { t, sendOnce, key } = occasion;
    const isForOne = isRemark(reply);
    if (isForOne && (await isSaid(() => answers.sayReply(press.query, reply, t), occasion))) return;
    // A remark that comes too late for the button must not take the place of what it stands under.
    const stands = reply.gallery.length === 0 && !isForOne ? press.stands : undefined;
    const message = { chat_id: to.chat, message_id: press.message };
    const way =
      stands &&
      (await editMessage(render(reply, { t }), { ...message, kind: stands }, { ...occasion, key: `${key}${EDITED}` }));
    if (way === 'done') return;
    await sender.send(reply, to, occasion);
    if (way === 'anew') await sendOnce(`${key}d`, () => withdraw(message), EDIT);
  }

  /** Saying it twice does not show it twice. */
  async function isSaid(say: () => Promise<boolean>, { key, sendOnce }: Occasion): Promise<boolean> {
    try {
      await sendOnce(`${key}a`, () => said(say()), EDIT);
      return true;
    } catch (error) {
      if (error instanceof BotApiError && error.code === 400) return false;
      throw error;
    }
  }

  async function withdraw(message: MessageAddress): Promise<void> {
    try {
      await deleteMessage(api, message);
    } catch (error) {
      // It is too old.
      log.debug({ err: error }, 'a message that was replaced could not be deleted');
    }
  }

  return async (reply, to, press, occasion) => {
    try {
      await answer(reply, to, press, occasion);
    } catch (error) {
      const isFlood = error instanceof BotApiError && error.code === 429;
      if (isFlood || isTopicClosed(error)) await answers.say(press.query, failureSentence(error, occasion.t));
      throw error;
    }
    await answers.rest(press.query);
  };
}

/** @throws BotApiError when it was not */
async function said(saying: Promise<boolean>): Promise<void> {
  if (await saying) return;
  const description = 'the button was answered before';
  throw new BotApiError({ method: 'answerCallbackQuery', code: 400, description, isNotDone: true });
}

/** One sentence for the person who pressed. */
function isRemark({ tone, gallery, actions }: Reply): boolean {
  return (tone === 'notice' || tone === 'error') && gallery.length === 0 && actions.length === 0;
}
