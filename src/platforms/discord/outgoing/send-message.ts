import type { Sending } from '../../../bot/runtime/chat-platform.ts';
import { noticeLifeMs } from '../../../bot/runtime/notice-life.ts';
import { createWholeAnswers } from '../../../bot/runtime/whole-answers.ts';
import type { Logger } from '../../../infra/log.ts';
import { TIMES } from '../limits.ts';
import type { MessageReplyTo } from '../reply-to.ts';
import type { Answer } from './answer.ts';
import { deleteButtonId } from './delete-button.ts';
import type { Content, DiscordApi } from './discord-api.ts';
import { NO_HISTORY, SendFailure } from './send-failure.ts';
import type { EmbedSuppression } from './suppress.ts';

export interface MessageSenderOptions {
  readonly api: Pick<DiscordApi, 'post'>;
  readonly suppression: Pick<EmbedSuppression, 'suppress'>;
  readonly log: Pick<Logger, 'info'>;
}

/** Answers messages by replies to them. */
export interface MessageSender {
  send(answer: Answer, sending: Sending, to: MessageReplyTo): Promise<void>;
  /** Resolves when nothing is under way. */
  close(): Promise<void>;
}

export function createMessageSender({ api, suppression, log }: MessageSenderOptions): MessageSender {
  const hiding = new Set<Promise<void>>();
  const wholeAnswers = createWholeAnswers();

  async function post(
    content: Content,
    nonce: string,
    to: MessageReplyTo,
    isSilent: boolean,
    last: string | undefined,
    signal: AbortSignal,
  ) {
    const replyTo = to.rights.reply ? (last ?? to.messageId) : undefined;
    try {
      return await api.post(to.channelId, content, { nonce, replyTo, isSilent }, signal);
    } catch (error) {
      // The right to read the history was taken away a moment ago.
      if (replyTo === undefined || !(error instanceof SendFailure) || error.code !== NO_HISTORY) throw error;
      return api.post(to.channelId, content, { nonce, replyTo: undefined, isSilent }, signal);
    }
  }

  async function hideEmbeds(to: MessageReplyTo): Promise<void> {
    try {
      await suppression.suppress(to);
    } catch (error) {
      log.info({ err: error }, 'discord: an embed could not be hidden');
    }
  }

  return {
    async send(answer, sending, to) {
      const { request, settings, signal, put } = sending;
      const sent: string[] = [];
      const { isWhole } = await answer.finish({
        fileBytes: to.fileBytes,
        canAttach: to.rights.attach,
        deleteId: deleteButtonId(request.user.id),
        messages: Number.POSITIVE_INFINITY,
        async send(content, place) {
          const isOld = to.hasOldNonces === true && sending.isFirst;
          const posted = await put(
            `${place}`,
            tag =>
              post(
                content,
                isOld ? `${to.messageId}-${place}` : nonceOf(to, tag),
                to,
                settings.silent,
                sent.at(-1),
                signal,
              ),
            { repeatMs: TIMES.nonce },
          );
          if (posted !== undefined) sent.push(posted.id);
          return posted?.isConfirmed === true;
        },
      });
      const { replies } = answer;
      const lifeMs = noticeLifeMs(replies, sending);
      if (lifeMs !== undefined) sending.deleteLater(to.channelId, sent, lifeMs);
      const isAllBrought = wholeAnswers.isAllBrought(sending, { replies, isConfirmed: isWhole });
      if (!isAllBrought || !settings.suppressEmbeds || !to.isOnlyLinks || !to.rights.manage) return;
      // The answer stands; it need not wait for this.
      const hidden = hideEmbeds(to).finally(() => hiding.delete(hidden));
      hiding.add(hidden);
    },
    async close() {
      await Promise.all(hiding);
    },
  };
}

/** At most 25 characters: the id of the message takes twelve, a dash, and the tag no more than twelve. */
function nonceOf({ messageId }: MessageReplyTo, tag: string): string {
  return `${BigInt(messageId).toString(36)}-${tag}`;
}
