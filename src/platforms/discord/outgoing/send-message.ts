import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { Reply } from '../../../bot/reply.ts';
import type { Sending } from '../../../bot/runtime/chat-platform.ts';
import type { Request } from '../../../bot/runtime/request.ts';
import { chatOf } from '../../../bot/runtime/say.ts';
import type { SettingsStore } from '../../../bot/settings/settings.ts';
import type { Logger } from '../../../infra/log.ts';
import { TIMES, WORK } from '../limits.ts';
import type { MessageReplyTo } from '../reply-to.ts';
import type { Answer } from './answer.ts';
import type { AnswerParts } from './answer-parts.ts';
import { deleteButtonId } from './delete-button.ts';
import type { DiscordApi } from './discord-api.ts';
import { nonceOf, postReply } from './post-reply.ts';
import type { EmbedSuppression } from './suppress.ts';
import { hasButtons, type ViewHistory } from './view-history.ts';

export interface MessageSenderOptions {
  readonly api: Pick<DiscordApi, 'post' | 'deleteMessage'>;
  readonly parts: Pick<AnswerParts, 'add'>;
  readonly history: Pick<ViewHistory, 'next' | 'keep'>;
  readonly suppression: Pick<EmbedSuppression, 'suppress'>;
  readonly settings: Pick<SettingsStore, 'chat'>;
  readonly log: Pick<Logger, 'debug' | 'info'>;
}

/** Answers messages by replies to them. */
export interface MessageSender {
  send(answer: Answer, sending: Sending, to: MessageReplyTo): Promise<void>;
  /** Notices that are still to go away stay. Resolves when nothing is under way. */
  close(): Promise<void>;
}

export function createMessageSender({
  api,
  parts,
  history,
  suppression,
  settings,
  log,
}: MessageSenderOptions): MessageSender {
  const leaving = new Set<NodeJS.Timeout>();
  const hiding = new Set<Promise<void>>();
  /** Of requests that are answered in parts, whether all was brought so far. */
  const wholeSoFar = new LRUCache<string, boolean>({ max: WORK.suppressed });

  /** Whether all of the request was brought, as far as this process knows. */
  function isAllBrought(replies: readonly Reply[], { request, isFirst, isLast }: Sending, isWhole: boolean): boolean {
    // That links wait.
    if (!isLast && replies.every(({ tone }) => tone === 'notice')) return false;
    const isBrought = isWhole && replies.every(({ tone, gallery }) => tone === 'neutral' && gallery.length > 0);
    const isWholeNow = isBrought && (isFirst || wholeSoFar.get(request.id) === true);
    if (isLast) wholeSoFar.delete(request.id);
    else wholeSoFar.set(request.id, isWholeNow);
    return isLast && isWholeNow;
  }

  async function hideEmbeds(request: Request, to: MessageReplyTo): Promise<void> {
    try {
      // An embed stays where it cannot be read whether it shall.
      if ((await settings.chat(chatOf(request))).suppressEmbeds) await suppression.suppress(to);
    } catch (error) {
      log.info({ err: error }, 'discord: an embed could not be hidden');
    }
  }

  /** What concerns one person cannot be hidden from others here, but it need not stay. */
  function leaveSoon(channelId: string, messageIds: readonly string[]): void {
    const timer = setTimeout(() => {
      leaving.delete(timer);
      for (const id of messageIds) {
        api.deleteMessage(channelId, id).catch((error: unknown) => {
          log.debug({ err: error }, 'discord: a notice could not be deleted');
        });
      }
    }, TIMES.notice);
    timer.unref();
    leaving.add(timer);
  }

  return {
    async send(answer, sending, to) {
      const { request, signal, put, isFirst, isLast } = sending;
      const sent: string[] = [];
      const button = { requesterId: request.user.id, answerId: to.messageId, hidesEmbed: mayHideEmbed(to) };
      const isView = isFirst && isLast && answer.replies.length === 1 && answer.replies.some(hasButtons);
      const { isWhole } = await answer.finish({
        fileBytes: to.fileBytes,
        canAttach: to.rights.attach,
        deleteId: deleteButtonId(button),
        messages: Number.POSITIVE_INFINITY,
        async send(content, place, count) {
          const isOld = to.hasOldNonces === true && isFirst;
          const replyTo = to.rights.reply ? (sent.at(-1) ?? to.messageId) : undefined;
          const post = (nonce: string) => postReply(api, to.channelId, content, { nonce, replyTo }, signal);
          const id = await put(
            `${place}`,
            tag => post(isOld ? `${to.messageId}-${place}` : nonceOf(to.messageId, tag)),
            { repeatMs: TIMES.nonce },
          );
          if (id !== undefined) sent.push(id);
          if (id !== undefined && place === 0 && isView)
            await history.keep(id, await history.next(request, undefined), request);
          if (count > 1 || !isFirst || !isLast) await parts.add(to.messageId, sent);
        },
      });
      const { replies } = answer;
      const isGroup = request.chat.kind === 'group';
      if (isGroup && replies.every(({ visibility }) => visibility === 'caller')) leaveSoon(to.channelId, sent);
      if (!isAllBrought(replies, sending, isWhole) || !to.isOnlyLinks || !to.rights.manage) return;
      // The answer stands; it need not wait for this.
      const hidden = hideEmbeds(request, to).finally(() => hiding.delete(hidden));
      hiding.add(hidden);
    },
    async close() {
      for (const timer of leaving) clearTimeout(timer);
      leaving.clear();
      await Promise.all(hiding);
    },
  };
}

/** Whether its embed would go when all is brought. */
function mayHideEmbed({ isOnlyLinks, rights, flags }: MessageReplyTo): boolean {
  return isOnlyLinks && rights.manage && (flags & MessageFlags.SuppressEmbeds) === 0;
}
