import { LRUCache } from 'lru-cache';
import { chatKey } from '../../../bot/command.ts';
import type { Reply } from '../../../bot/reply.ts';
import type { Sending } from '../../../bot/runtime/chat-platform.ts';
import type { Request } from '../../../bot/runtime/request.ts';
import type { SettingsStore } from '../../../bot/settings/settings.ts';
import type { Logger } from '../../../infra/log.ts';
import { TIMES, WORK } from '../limits.ts';
import type { MessageReplyTo } from '../reply-to.ts';
import type { Answer } from './answer.ts';
import { deleteButtonId } from './delete-button.ts';
import type { Content, DiscordApi } from './discord-api.ts';
import { NO_HISTORY, SendFailure } from './send-failure.ts';
import type { EmbedSuppression } from './suppress.ts';

export interface MessageSenderOptions {
  readonly api: Pick<DiscordApi, 'post' | 'deleteMessage'>;
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

export function createMessageSender({ api, suppression, settings, log }: MessageSenderOptions): MessageSender {
  const leaving = new Set<NodeJS.Timeout>();
  const hiding = new Set<Promise<void>>();
  /** Of requests that are answered in parts, whether all was brought so far. */
  const wholeSoFar = new LRUCache<string, boolean>({ max: WORK.suppressed });

  async function post(
    content: Content,
    nonce: string,
    to: MessageReplyTo,
    last: string | undefined,
    signal: AbortSignal,
  ) {
    const replyTo = to.rights.reply ? (last ?? to.messageId) : undefined;
    try {
      return await api.post(to.channelId, content, { nonce, replyTo }, signal);
    } catch (error) {
      // The right to read the history was taken away a moment ago.
      if (replyTo === undefined || !(error instanceof SendFailure) || error.code !== NO_HISTORY) throw error;
      return api.post(to.channelId, content, { nonce, replyTo: undefined }, signal);
    }
  }

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

  async function hideEmbeds({ platform, chat }: Request, to: MessageReplyTo): Promise<void> {
    try {
      // An embed stays where it cannot be read whether it shall.
      const key = chatKey({ platform, chatId: chat.id, ...(chat.groupId !== undefined && { groupId: chat.groupId }) });
      if ((await settings.chat(key)).suppressEmbeds) await suppression.suppress(to);
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
      const { request, signal, put } = sending;
      const sent: string[] = [];
      const { isWhole } = await answer.finish({
        fileBytes: to.fileBytes,
        canAttach: to.rights.attach,
        deleteId: deleteButtonId(request.user.id),
        messages: Number.POSITIVE_INFINITY,
        async send(content, place) {
          const isOld = to.hasOldNonces === true && sending.isFirst;
          const id = await put(
            `${place}`,
            tag => post(content, isOld ? `${to.messageId}-${place}` : nonceOf(to, tag), to, sent.at(-1), signal),
            { repeatMs: TIMES.nonce },
          );
          if (id !== undefined) sent.push(id);
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

/** At most 25 characters: the id of the message takes twelve, a dash, and the tag no more than twelve. */
function nonceOf({ messageId }: MessageReplyTo, tag: string): string {
  return `${BigInt(messageId).toString(36)}-${tag}`;
}
