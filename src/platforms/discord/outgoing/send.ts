import type { ChatPlatform, Sending } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import { createWholeAnswers, noticeLifeMs, type WholeAnswers } from '../../../bot/runtime/chat-cleanup.ts';
import { notifies } from '../../../bot/stores/settings.ts';
import { nonceOf } from '../api/discord-api.ts';
import { TIMES } from '../api/limits.ts';
import type { DiscordReplyTo, MessageReplyTo } from '../api/reply-to.ts';
import { BACK_ID, deleteIdOf, hasButtons } from '../render/buttons.ts';
import type { SendContext } from './context.ts';
import { createReplyGroup, type ReplyGroup } from './reply-group.ts';
import { answerKeyOf, isForCallerAlone, sendInteraction } from './send-interaction.ts';
import { holdsFiles } from './uploads.ts';

/** Sends replies to the chat of their request. Files are fetched at once and released in the end. */
export function createSend(context: SendContext): ChatPlatform<DiscordReplyTo>['send'] {
  const wholeAnswers = createWholeAnswers();

  return async (replies, sending) => {
    const { to, t, signal } = sending;
    const limits = { fileBytes: to.fileBytes, canAttach: to.kind === 'interaction' || to.rights.attach };
    const options = { ...context, t, signal, commands: await context.commandIds.current() };
    const shared = createReplyGroup(limits, options);
    const personal = createReplyGroup(limits, options);
    const sent: Reply[] = [];
    try {
      for await (const reply of replies) {
        sent.push(reply);
        const isPersonal = to.kind === 'interaction' && isForCallerAlone(reply, to, sending.request.chat.kind);
        (isPersonal ? personal : shared).add(reply);
      }
      if (sent.length === 0) return;
      const messages =
        to.kind === 'message'
          ? await sendMessage(context, wholeAnswers, shared, sending, to)
          : await sendInteraction(context, { shared, personal }, sending, to);
      const later = sent.length === 1 ? sent[0]?.later : undefined;
      // Only an answer of a single message with a single reply can be edited later, and no follow-up of an interaction.
      const isAlone = messages.length === 1 && (to.kind === 'message' || sending.isFirst);
      if (later !== undefined && isAlone) replaceLater(context, sending, later, messages[0]);
    } finally {
      await shared.dispose();
      await personal.dispose();
    }
  };
}

/** Sends replies to a message. Resolves with the id of each, undefined for one that an earlier attempt sent. */
async function sendMessage(
  { api, parts, history, embeds }: SendContext,
  wholeAnswers: WholeAnswers,
  group: ReplyGroup,
  sending: Sending,
  to: MessageReplyTo,
): Promise<readonly (string | undefined)[]> {
  const { request, settings, signal, sendOnce, isFirst, isLast } = sending;
  const { replies } = group;
  const messages: (string | undefined)[] = [];
  const sent = () => messages.filter(id => id !== undefined);
  const answerId = to.editId ?? to.messageId;
  const isView = isFirst && isLast && replies.length === 1 && replies.some(hasButtons);
  const { isWhole } = await group.finish({
    deleteId: deleteIdOf(to, request),
    messages: Number.POSITIVE_INFINITY,
    async send(content, place, count) {
      const replyTo = to.rights.reply ? (sent().at(-1) ?? to.messageId) : undefined;
      const post = (tag: string) => {
        const options = { nonce: nonceOf(answerId, tag), replyTo, isSilent: !notifies(sending, place) };
        return api.post(to.channelId, content, options, signal);
      };
      const isUpload = holdsFiles(content.uploads);
      const posted = await sendOnce(`${place}`, post, { repeatMs: TIMES.nonce, isUpload });
      messages.push(posted?.id);
      if (posted !== undefined && place === 0 && isView)
        await history.keep(posted.id, await history.next(request, undefined), request);
      if (count > 1 || !isFirst || !isLast) await parts.add(answerId, sent());
      return posted?.isConfirmed === true;
    },
  });
  const lifeMs = noticeLifeMs(replies, sending);
  if (lifeMs !== undefined) sending.deleteLater(to.channelId, sent(), lifeMs);
  const isAllDelivered = wholeAnswers.isAllDelivered(sending, { replies, isConfirmed: isWhole });
  if (isAllDelivered && settings.suppressEmbeds && to.isOnlyLinks && to.rights.manage) embeds.suppress(to);
  return messages;
}

/** Replaces the sent reply as soon as a better one is ready. `messageId` is undefined if it is not known. */
function replaceLater(
  context: SendContext,
  { to, t, request, editLater }: Sending<DiscordReplyTo>,
  later: Promise<Reply | undefined>,
  messageId: string | undefined,
): void {
  const { api, history } = context;
  const pressed = to.kind === 'interaction' ? to.pressed : undefined;
  editLater?.(later, async (better, signal) => {
    const shownIn = messageId ?? pressed?.messageId;
    const depth = shownIn === undefined ? 0 : await history.depth(shownIn, request);
    // With its buttons, the reader has opened something else in this message meanwhile, so it is left as it is.
    if (depth === undefined) return;
    const limits = { fileBytes: to.fileBytes, canAttach: to.kind === 'interaction' || to.rights.attach };
    const group = createReplyGroup(limits, { ...context, t, signal, commands: await context.commandIds.current() });
    try {
      group.add(better);
      await group.finish({
        deleteId: deleteIdOf(to, request),
        backId: pressed !== undefined && depth > 1 ? BACK_ID : undefined,
        messages: 1,
        async send(content, place) {
          if (place > 0) return true;
          if (to.kind === 'interaction') await api.editOriginal(answerKeyOf(to, context), content, signal);
          else if (messageId !== undefined) await api.editMessage(to.channelId, messageId, content, signal);
          return true;
        },
      });
    } finally {
      await group.dispose();
    }
  });
}
