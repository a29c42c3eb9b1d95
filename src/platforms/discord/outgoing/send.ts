import { MessageFlags } from 'discord.js';
import type { ChatPlatform, Sending } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import type { Request } from '../../../bot/contract/request.ts';
import { createWholeAnswers, noticeLifeMs, notifies, type WholeAnswers } from '../../../bot/stores/settings-store.ts';
import { type AnswerKey, type Content, nonceOf } from '../api/discord-api.ts';
import { DISCORD_LIMITS, TIMES } from '../api/limits.ts';
import { type DiscordReplyTo, eventIdOf, type InteractionReplyTo, type MessageReplyTo } from '../api/reply-to.ts';
import { DiscordFailure, isTokenDead, type SendProblem } from '../api/send-failure.ts';
import { BACK_ID, deleteIdOf, hasButtons, matchDeleteButton } from '../render/buttons.ts';
import type { DiscordContext, SendContext } from './context.ts';
import { createReplyGroup, type ReplyGroup } from './reply-group.ts';
import { holdsFiles } from './uploads.ts';

/** Sends replies to the request's chat. Each reply's files start loading as soon as it arrives. */
export function createSend(context: SendContext): ChatPlatform<DiscordReplyTo>['send'] {
  const wholeAnswers = createWholeAnswers();

  return async (replies, sending) => {
    const { to, t, signal } = sending;
    const options = { ...context, t, signal, commands: await context.commandIds.current() };
    const shared = createReplyGroup(to, options);
    const personal = createReplyGroup(to, options);
    const sent: Reply[] = [];
    try {
      for await (const reply of replies) {
        sent.push(reply);
        const isPersonal = to.kind === 'interaction' && isForCallerAlone(reply, to, sending.request.chat.kind);
        (isPersonal ? personal : shared).add(reply);
      }
      if (sent.length === 0) return;
      const call = { ...context, wholeAnswers, sending };
      const messages =
        to.kind === 'message' ? await sendMessage(call, to, shared) : await sendInteraction(call, to, shared, personal);
      const later = sent.length === 1 ? sent[0]?.later : undefined;
      // An answer can be edited later only if it is one message with one reply and no follow-up of an interaction.
      const isAlone = messages.length === 1 && (to.kind === 'message' || sending.isFirst);
      if (later !== undefined && isAlone) replaceLater(call, later, messages[0]);
    } finally {
      await shared.dispose();
      await personal.dispose();
    }
  };
}

/** One call of `send`. */
interface Call extends SendContext {
  readonly wholeAnswers: WholeAnswers;
  readonly sending: Sending<DiscordReplyTo>;
}

/** The ids of the messages that everybody sees; undefined for one that an earlier attempt sent. */
type SentIds = readonly (string | undefined)[];

async function sendMessage(call: Call, to: MessageReplyTo, group: ReplyGroup): Promise<SentIds> {
  const { api, parts, history, embeds, wholeAnswers, sending } = call;
  const { request, settings, signal, sendOnce, isFirst, isLast } = sending;
  const { replies } = group;
  const messages: (string | undefined)[] = [];
  const sent = () => messages.filter(id => id !== undefined);
  const answerId = to.editId ?? to.messageId;
  const isView = isFirst && isLast && replies.length === 1 && replies.some(hasButtons);
  const mayHide = settings.suppressEmbeds && to.isOnlyLinks && to.rights.manage;
  const isShown = (to.flags & MessageFlags.SuppressEmbeds) === 0;
  const { isWhole } = await group.finish({
    deleteId: isConfirmed => {
      const hidesEmbed = mayHide && isShown && wholeAnswers.mayBeAllDelivered(sending, { replies, isConfirmed });
      return deleteIdOf(to, request, hidesEmbed);
    },
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
  if (isAllDelivered && mayHide) embeds.suppress(to);
  return messages;
}

/** Replaces the sent reply as soon as a better one is ready. `messageId` is undefined if it is not known. */
function replaceLater(call: Call, later: Promise<Reply | undefined>, messageId: string | undefined): void {
  const { api, history } = call;
  const { to, t, request, editLater } = call.sending;
  const pressed = to.kind === 'interaction' ? to.pressed : undefined;
  editLater?.(later, async (better, signal) => {
    const shownIn = messageId ?? pressed?.messageId;
    const depth = shownIn === undefined ? 0 : await history.depth(shownIn, request);
    // The reader has opened something else in this message by its buttons, so the message is left as it is.
    if (depth === undefined) return;
    const group = createReplyGroup(to, { ...call, t, signal, commands: await call.commandIds.current() });
    try {
      group.add(better);
      await group.finish({
        deleteId: () => deleteIdOf(to, request, false),
        backId: pressed !== undefined && depth > 1 ? BACK_ID : undefined,
        messages: 1,
        async send(content, place) {
          if (place > 0) return true;
          if (to.kind === 'interaction') await api.editOriginal(answerKeyOf(to, call), content, signal);
          else if (messageId !== undefined) await api.editMessage(to.channelId, messageId, content, signal);
          return true;
        },
      });
    } finally {
      await group.dispose();
    }
  });
}

interface Answering extends Call {
  readonly key: AnswerKey;
  readonly to: InteractionReplyTo;
  /** True until a first reply was written into the deferred message, or into the message with the pressed button. */
  readonly isOpen: boolean;
}

/**
 * Edits the deferred message, or the message with the pressed button; posts further messages or sends follow-ups.
 * @param personal the replies that only the person who asked sees
 */
async function sendInteraction(
  outer: Call,
  to: InteractionReplyTo,
  shared: ReplyGroup,
  personal: ReplyGroup,
): Promise<SentIds> {
  const { api, sending } = outer;
  const key = answerKeyOf(to, outer);
  // A deferred answer is edited only once; later replies to the request are sent as follow-ups.
  const isOpen = to.pressed !== undefined || sending.isFirst || (await api.isPending(key, sending.signal));
  const call = { ...outer, key, to, isOpen };
  const most = mostFollowUps(to, sending);
  const reserved = personal.replies.length > 0 ? 1 : 0;
  const messages =
    shared.replies.length === 0 ? [] : await sendShared(call, shared, Math.max(1, Number(isOpen) + most - reserved));
  if (personal.replies.length === 0) return messages;
  // The deferred message is deleted first: otherwise a private follow-up would take its place, visible to all.
  if (messages.length === 0 && isOpen && to.pressed === undefined) await api.deleteOriginal(key, sending.signal);
  await personal.finish({
    deleteId: () => undefined,
    messages: Math.max(1, most),
    async send(content, place) {
      await followUp(call, `p${place}`, content, true);
      return true;
    },
  });
  return messages;
}

/** The application's id and the interaction's token, by which the interaction is answered. */
export function answerKeyOf(
  { applicationId, token }: InteractionReplyTo,
  { gateway }: Pick<DiscordContext, 'gateway'>,
): AnswerKey {
  return { applicationId: applicationId ?? gateway.applicationId, token };
}

async function sendShared(call: Answering, group: ReplyGroup, most: number): Promise<SentIds> {
  const { sending, to, parts, history, isOpen } = call;
  const { request, isFirst, isLast } = sending;
  const deleteId = deleteIdOf(to, request, false);
  const answerId = matchDeleteButton(deleteId ?? '')?.answerId;
  const views = await history.next(request, to.pressed);
  const isView = group.replies.length === 1 && isFirst && isLast;
  const isNoted = isView && (views.length > 1 || group.replies.some(hasButtons));
  const messages: (string | undefined)[] = [];
  const sent = () => messages.filter(id => id !== undefined);
  const lastPart = async () => (answerId === undefined ? undefined : (await parts.of(answerId)).at(-1));
  await group.finish({
    deleteId: () => deleteId,
    ...(isView && to.pressed !== undefined && views.length > 1 && { backId: BACK_ID }),
    messages: most,
    async send(content, place, count) {
      const id =
        place === 0 && isOpen
          ? await editOriginal(call, content)
          : await postOrFollowUp(call, `${place}`, content, sent().at(-1) ?? (await lastPart()));
      messages.push(id);
      if (id !== undefined && place === 0 && isNoted) await history.keep(id, views, request);
      if (answerId !== undefined && (count > 1 || !isFirst || !isLast)) await parts.add(answerId, sent());
      return true;
    },
  });
  return messages;
}

/** Edits the first message. If the token has expired and everyone may see the answer, posts it to the channel. */
async function editOriginal(call: Answering, content: Content): Promise<string | undefined> {
  const { api, key, sending, to } = call;
  const options = { repeatMs: TIMES.token, isUpload: holdsFiles(content.uploads) };
  try {
    return await sending.sendOnce('0', () => api.editOriginal(key, content, sending.signal), options);
  } catch (error) {
    if (to.pressed !== undefined || !isTokenDead(error) || !mayPost(call, content)) throw error;
    return postOrFollowUp(call, '0', content, undefined);
  }
}

/** Posts to the channel, where Discord recognises repeats, if that is allowed; else sends a follow-up. */
async function postOrFollowUp(call: Answering, name: string, content: Content, last: string | undefined) {
  const { api, sending, to } = call;
  const { request, signal } = sending;
  if (!mayPost(call, content)) return followUp(call, name, content, to.isEphemeral);
  const replyTo = to.rights.reply ? last : undefined;
  const post = async (tag: string) => {
    const options = { nonce: nonceOf(eventIdOf(request), tag), replyTo, isSilent: !notifies(sending, Number(name)) };
    return (await api.post(request.chat.id, content, options, signal)).id;
  };
  try {
    return await sending.sendOnce(name, post, { repeatMs: TIMES.nonce, isUpload: holdsFiles(content.uploads) });
  } catch (error) {
    if (!(error instanceof DiscordFailure) || !CHANNEL_REFUSALS.has(error.problem)) throw error;
    return followUp(call, name, content, to.isEphemeral);
  }
}

async function followUp(call: Answering, name: string, content: Content, isEphemeral: boolean) {
  const { api, key, sending } = call;
  const isUpload = holdsFiles(content.uploads);
  const silence = notifies(sending, Number(name)) ? 0 : MessageFlags.SuppressNotifications;
  const flags = isEphemeral ? MessageFlags.Ephemeral : silence;
  return sending.sendOnce(name, () => api.followUp(key, content, flags, sending.signal), { isUpload });
}

/** True when Medley is in the channel and may post the content there; in private chats it always may. */
function mayPost({ sending, to }: Answering, { uploads }: Content): boolean {
  const { kind, groupId } = sending.request.chat;
  if (to.isEphemeral || to.personal !== undefined) return false;
  const mayWrite = to.rights.send && (uploads.length === 0 || to.rights.attach);
  return kind === 'private' || (groupId !== undefined && mayWrite);
}

/** The failures of posting to a channel after which a follow-up may succeed, as it has other rights and limits. */
const CHANNEL_REFUSALS: ReadonlySet<SendProblem> = new Set(['too_large', 'forbidden', 'blocked', 'refused', 'gone']);

/** True for a reply that only the caller may see, such as an error that must not replace the button's message. */
function isForCallerAlone(
  { visibility, tone }: Reply,
  { isEphemeral, pressed }: InteractionReplyTo,
  chat: Request['chat']['kind'],
): boolean {
  const isHidden = visibility === 'caller' && !isEphemeral;
  if (pressed !== undefined) return tone === 'notice' || tone === 'error' || isHidden;
  return isHidden && chat === 'group';
}

/**
 * How many follow-ups this call may send. If only a person has installed the app, Discord allows five for the whole
 * answer, and some are left for replies that come later.
 */
function mostFollowUps({ personal }: InteractionReplyTo, { isFirst, isLast }: Sending): number {
  if (personal === undefined) return Number.POSITIVE_INFINITY;
  if (!isFirst) return 1;
  return isLast ? DISCORD_LIMITS.followUps : 2;
}
