import * as z from 'zod';
import type { Sending } from '../../../bot/contract/chat-platform.ts';
import type { GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { isNotice } from '../../../bot/contract/reply-parts.ts';
import { createWholeAnswers, noticeLifeMs, notifies } from '../../../bot/stores/settings-store.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { deleteMessage } from '../api/bot-api.ts';
import { failureSentence, isTopicClosed } from '../api/bot-api-error.ts';
import type { Button } from '../api/methods.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import { styleOf } from '../render/formatted-text.ts';
import { audioButton } from '../render/keyboard.ts';
import { renderReply } from '../render/render.ts';
import { renderText } from '../render/text-message.ts';
import type { MessageDestination, ReplyContext, TelegramContext } from './context.ts';
import { createAnswerPress, EDITED, type PressAnswers } from './press-answers.ts';
import type { Sender } from './send.ts';
import type { EditMessage, OwnMessage, WordSender } from './words.ts';

type ReplySending = Sending<TelegramReplyTo> & Pick<ReplyContext, 'key'>;

/** Sends one reply to the chat of its request; resolves with true when all its files have certainly arrived in full. */
export type SendReply = (reply: Reply, sending: ReplySending) => Promise<boolean>;

/** How many people are remembered as having been told that a topic is closed. */
const MAX_INFORMED = 1_000;
const INFORMED_MS = 3_600_000;

export function createSendReply(
  telegram: TelegramContext,
  sender: Sender,
  words: WordSender,
  answers: PressAnswers,
): SendReply {
  const { api, limits, log, now } = telegram;
  const answerPress = createAnswerPress(telegram, sender, words.edit, answers);
  const informed = createLru<string, true>({ max: MAX_INFORMED, ttl: INFORMED_MS, perf: { now } });

  /**
   * Sends a notice in a group. If possible, only the person whom it is for sees it. Otherwise everybody does, without a
   * notification, and it is deleted later if the chat's settings say so.
   */
  async function sendNotice(reply: Reply, sending: ReplySending, context: ReplyContext): Promise<void> {
    const { to, request } = sending;
    // Telegram shows an ephemeral message, which is for the caller alone, only while the chat is open.
    const mayBeEphemeral = Number(request.user.id) > 0 && to.isChannel !== true;
    const isForOne = reply.visibility === 'caller' && mayBeEphemeral && now() - request.at < limits.ephemeralMs;
    const notice = renderText(reply.blocks, reply.actions, styleOf(reply, context.t));
    const silent: MessageDestination = { ...to, silent: true, ...(isForOne && { onlyFor: Number(request.user.id) }) };
    const sent = await words.sendText(notice, { ...context, to: silent });
    // A message that one person alone sees has no id by which to delete it; it disappears by itself.
    if (sent === undefined || sent.message_id === 0) return;
    const isShort = reply.outdatedMs !== undefined || to.isChannel === true;
    const lifeMs = Math.min(noticeLifeMs([reply], sending) ?? Infinity, isShort ? limits.noticeMs : Infinity);
    if (lifeMs !== Infinity) sending.deleteLater(`${to.chat}`, [`${sent.message_id}`], lifeMs);
  }

  /** Tells the person in private that Medley cannot write to the closed topic in which they asked. */
  async function explain(error: unknown, { request, t }: ReplySending): Promise<void> {
    const { id } = request.user;
    if (!isTopicClosed(error) || Number(id) <= 0 || informed.has(id)) return;
    informed.set(id, true);
    await api.call('sendMessage', { chat_id: Number(id), text: failureSentence(error, t) }).catch((cause: unknown) => {
      // Telegram does not let bots write to a person who has never opened a chat with them.
      log.debug({ err: cause }, 'a person could not be told that a topic is closed');
    });
  }

  async function send(reply: Reply, sending: ReplySending, context: ReplyContext): Promise<boolean> {
    const { to } = sending;
    // A reply is passing if it is a notice or soon outdated (such as a time to wait), and no better version follows.
    const isPassing = reply.later === undefined && (reply.outdatedMs !== undefined || isNotice(reply));
    if (to.press !== undefined) await answerPress(reply, to.press, pressContext(reply, sending, context));
    else if (to.isGroup && (isPassing || isPersonal(reply))) await sendNotice(reply, sending, context);
    else
      return sender.send(reply, {
        ...context,
        to: { ...context.to, message: messageToReplyTo(reply.gallery, sending) },
      });
    return false;
  }

  return async (reply, sending) => {
    const { t, signal, sendOnce, sentKeys, key, request } = sending;
    const to: MessageDestination = { ...sending.to, ...(!notifies(sending, key === '0' ? 0 : 1) && { silent: true }) };
    const extra: ReplyContext['extra'] = (gallery, album) => extraButtons(telegram, sending, gallery, album);
    try {
      return await send(reply, sending, { to, t, signal, sendOnce, sentKeys, key, request: request.id, extra });
    } catch (error) {
      if (sending.to.press === undefined) await explain(error, sending);
      throw error;
    }
  };
}

/**
 * The message to which the answer is a reply: the message that asked. If that message will be deleted because its links
 * are answered, it is the message to which that one was a reply, if any.
 */
function messageToReplyTo(gallery: readonly GalleryItem[], { to, settings }: ReplySending): number | undefined {
  return settings.deleteSource && to.isOnlyLinks === true && gallery.length > 0 ? to.repliedTo : to.message;
}

/**
 * Telegram's own buttons, for the audio and for deletion. In private chats only albums have them: people can delete one
 * message by themselves, but not a whole album at once.
 */
function extraButtons(
  { deleteButtons }: TelegramContext,
  sending: ReplySending,
  gallery: readonly GalleryItem[],
  album: readonly number[] | undefined,
): readonly Button[] {
  const { request, to, t } = sending;
  const isAlbum = gallery.length > 1;
  if (to.isChannel === true || (!to.isGroup && !isAlbum)) return [];
  const labels = t.messages.telegram;
  const owner = {
    chatId: to.chat,
    userId: request.user.id,
    messageId: messageToReplyTo(gallery, sending) ?? to.message ?? 0,
  };
  const isDeletable = to.message !== undefined && album !== undefined;
  const buttons = [
    isAlbum ? audioButton(gallery, labels.audio) : undefined,
    isDeletable ? deleteButtons.render({ ...owner, others: album }, labels.delete) : undefined,
  ];
  return buttons.filter(button => button !== undefined);
}

/** True for a reply that only concerns the person who asked, such as their settings, without files and image cards. */
function isPersonal({ visibility, blocks, gallery, later }: Reply): boolean {
  return (
    visibility === 'caller' &&
    gallery.length === 0 &&
    later === undefined &&
    !blocks.some(({ kind }) => kind === 'picture')
  );
}

/** The context for a pressed button. A message that only one person sees cannot be edited, so a new one replaces it. */
function pressContext(reply: Reply, { to, request }: ReplySending, context: ReplyContext): ReplyContext {
  const replaces = to.press?.isEphemeral === true && reply.isBeside !== true ? to.press.query : undefined;
  const isAlone = isPersonal(reply) && to.isGroup && (replaces !== undefined || reply.isBeside === true);
  return isAlone ? { ...context, to: { ...context.to, onlyFor: Number(request.user.id), replaces } } : context;
}

const MAX_MESSAGES = 1_000;

const Sent = z.looseObject({ message_id: z.number(), photo: z.array(z.unknown()).optional() });

/** Sends a reply, and edits it when a better version is ready, provided that it is one message of text or a photo. */
export function createEditedReply(sendReply: SendReply, editMessage: EditMessage): SendReply {
  /** For each message, the request whose reply it shows, as far as this process knows. */
  const writers = createLru<string, string>({ max: MAX_MESSAGES });

  return async (reply, sending) => {
    const { t, key, to, request } = sending;
    const results = new Map<string, unknown>();
    const edited = `${key}${EDITED}`;
    const isConfirmed = await sendReply(reply, {
      ...sending,
      async sendOnce(messageKey, call, options) {
        const isEdit = to.press !== undefined && messageKey.startsWith(edited);
        if (isEdit) writers.set(`${to.chat} ${to.press?.message}`, request.id);
        const result = await sending.sendOnce(messageKey, call, options);
        results.set(messageKey, result);
        return result;
      },
    });
    const message = messageOf(results, to, edited);
    if (reply.later === undefined || message === undefined) return isConfirmed;
    const name = `${message.chat_id} ${message.message_id}`;
    if (!writers.has(name)) writers.set(name, request.id);
    sending.editLater?.(reply.later, async (better, signal) => {
      // The reader may have opened something else in this message, which must stay.
      if (writers.get(name) !== request.id) return;
      const sendOnce = <T>(_: string, call: (tag: string) => Promise<T>): Promise<T | undefined> => call('later');
      await editMessage(renderReply(better, t), message, { key, signal, sendOnce });
    });
    return isConfirmed;
  };
}

/**
 * The message that shows the reply: a new message, or the message with the pressed button if that was edited. Undefined
 * if the reply took several messages, or none whose id is known.
 */
function messageOf(
  results: ReadonlyMap<string, unknown>,
  { chat, press }: TelegramReplyTo,
  edited: string,
): OwnMessage | undefined {
  const sent = [...results.values()].flatMap(result => Sent.safeParse(result).data ?? []);
  const [first, ...others] = sent;
  if (first !== undefined) {
    const kind = first.photo === undefined ? 'text' : 'photo';
    return others.length > 0 ? undefined : { chat_id: chat, message_id: first.message_id, kind };
  }
  const isEdited = [...results.keys()].some(key => key.startsWith(edited));
  if (!isEdited || press?.stands === undefined) return undefined;
  return { chat_id: chat, message_id: press.message, kind: press.stands };
}

/** Sends the replies to a request. Then deletes the message with its links, if the chat's settings say so. */
export function createSendReplies({ api, log }: TelegramContext, sendReply: SendReply) {
  const wholeAnswers = createWholeAnswers();

  /** Deletes the message with the links. If Medley lacks the right to do so, that message stays. Never rejects. */
  async function deleteAnswered({ to, settings }: Sending<TelegramReplyTo>): Promise<void> {
    if (!settings.deleteSource || to.isOnlyLinks !== true || to.message === undefined || to.press !== undefined) return;
    await deleteMessage(api, { chat_id: to.chat, message_id: to.message }).catch((error: unknown) => {
      log.info({ err: error }, 'a link that was answered could not be deleted');
    });
  }

  return async (replies: AsyncIterable<Reply>, sending: Sending<TelegramReplyTo>): Promise<void> => {
    const sent: Reply[] = [];
    let isConfirmed = true;
    for await (const reply of replies) {
      const isWhole = await sendReply(reply, { ...sending, key: sent.length.toString(36) });
      isConfirmed &&= isWhole;
      sent.push(reply);
    }
    if (wholeAnswers.isAllDelivered(sending, { replies: sent, isConfirmed })) await deleteAnswered(sending);
  };
}
