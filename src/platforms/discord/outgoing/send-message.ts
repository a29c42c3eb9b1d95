import { MessageFlags } from 'discord.js';
import type { Sending } from '../../../bot/contract/chat-platform.ts';
import { createWholeAnswers, noticeLifeMs } from '../../../bot/runtime/chat-cleanup.ts';
import type { Logger } from '../../../infra/log.ts';
import type { DiscordApi } from '../api/discord-api.ts';
import { nonceOf } from '../api/ids.ts';
import { TIMES } from '../api/limits.ts';
import type { MessageReplyTo } from '../api/reply-to.ts';
import type { Answer } from './answer.ts';
import type { AnswerParts } from './answer-parts.ts';
import { deleteButtonId } from './delete-button.ts';
import type { EmbedSuppression } from './embeds.ts';
import { postReply } from './post-reply.ts';
import { holdsFiles } from './uploads.ts';
import { hasButtons, type ViewHistory } from './view-history.ts';

export interface MessageSenderOptions {
  readonly api: Pick<DiscordApi, 'post'>;
  readonly parts: Pick<AnswerParts, 'add'>;
  readonly history: Pick<ViewHistory, 'next' | 'keep'>;
  readonly suppression: Pick<EmbedSuppression, 'suppress'>;
  readonly log: Pick<Logger, 'info'>;
}

/** Answers messages by replies to them. */
export interface MessageSender {
  send(answer: Answer, sending: Sending, to: MessageReplyTo): Promise<void>;
  /** Resolves when nothing is under way. */
  close(): Promise<void>;
}

export function createMessageSender({ api, parts, history, suppression, log }: MessageSenderOptions): MessageSender {
  const hiding = new Set<Promise<void>>();
  const wholeAnswers = createWholeAnswers();

  async function hideEmbeds(to: MessageReplyTo): Promise<void> {
    try {
      await suppression.suppress(to);
    } catch (error) {
      log.info({ err: error }, 'discord: an embed could not be hidden');
    }
  }

  return {
    async send(answer, sending, to) {
      const { request, settings, signal, sendOnce, isFirst, isLast } = sending;
      const { silent: isSilent } = settings;
      const sent: string[] = [];
      const answerId = to.editId ?? to.messageId;
      const button = { requesterId: request.user.id, answerId, hidesEmbed: mayHideEmbed(to) };
      const isView = isFirst && isLast && answer.replies.length === 1 && answer.replies.some(hasButtons);
      const { isWhole } = await answer.finish({
        fileBytes: to.fileBytes,
        canAttach: to.rights.attach,
        deleteId: deleteButtonId(button),
        messages: Number.POSITIVE_INFINITY,
        async send(content, place, count) {
          const replyTo = to.rights.reply ? (sent.at(-1) ?? to.messageId) : undefined;
          const post = (nonce: string) => postReply(api, to.channelId, content, { nonce, replyTo, isSilent }, signal);
          const posted = await sendOnce(`${place}`, tag => post(nonceOf(answerId, tag)), {
            repeatMs: TIMES.nonce,
            isUpload: holdsFiles(content.uploads),
          });
          if (posted !== undefined) sent.push(posted.id);
          if (posted !== undefined && place === 0 && isView)
            await history.keep(posted.id, await history.next(request, undefined), request);
          if (count > 1 || !isFirst || !isLast) await parts.add(answerId, sent);
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

/** Whether its embed would go when all is brought. */
function mayHideEmbed({ isOnlyLinks, rights, flags }: MessageReplyTo): boolean {
  return isOnlyLinks && rights.manage && (flags & MessageFlags.SuppressEmbeds) === 0;
}
