import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import { callerOf, type RequestBody } from '../../../bot/contract/request.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { deleteMessage } from '../api/bot-api.ts';
import { BotApiError, failureSentence } from '../api/bot-api-error.ts';
import {
  localesOf,
  privateSpeaker,
  replyToOf,
  type Speaker,
  speakerOf,
  type TelegramReplyTo,
} from '../api/reply-to.ts';
import type { CallbackQuery } from '../api/updates.ts';
import type { TelegramContext } from '../outgoing/context.ts';
import type { PressAnswers } from '../outgoing/press-answers.ts';
import { readAudioButton } from '../render/keyboard.ts';

type Pressed = NonNullable<CallbackQuery['message']>;

export type ButtonPress = ReturnType<typeof createButtonPress>;

export function createButtonPress(telegram: TelegramContext, answers: PressAnswers) {
  const { api, chats, deleteButtons, dispatcher, eventIds, log } = telegram;

  function translatorFor(speaker: Speaker): Promise<Translator> {
    return dispatcher.translator(callerOf({ platform: 'telegram', ...speaker }));
  }

  /** The person who pressed. If an anonymous admin asked, as the group, any admin who presses counts as the group. */
  async function presserOf(query: CallbackQuery, message: Pressed): Promise<Speaker | undefined> {
    const { chat, reply_to_message: asked } = message;
    const isAskedByGroup = asked?.sender_chat?.id === chat.id;
    const isGroup = isAskedByGroup && (await chats.isAdmin(chat.id, query.from.id).catch(() => false));
    const speaker = speakerOf({ from: query.from, chat, sender_chat: isGroup ? { id: chat.id } : undefined });
    return speaker && { ...speaker, user: { ...speaker.user, locales: localesOf(query.from) } };
  }

  async function deleteAnswer(query: CallbackQuery, message: Pressed, signal: AbortSignal): Promise<void> {
    const { chat, message_id } = message;
    const owner = deleteButtons.read(query.data ?? '', chat.id);
    const presser = await presserOf(query, message);
    if (owner === undefined || presser === undefined) return;
    const asked = message.reply_to_message?.message_id ?? owner.messageId;
    const isOwner = owner.userId === `${query.from.id}` || owner.userId === presser.user.id;
    if ((owner.messageId === asked && isOwner) || (await chats.isAdmin(chat.id, query.from.id))) {
      // When several messages are deleted, Telegram silently skips those that it cannot delete. The first is deleted by
      // a call of its own, so that a failure is noticed.
      await deleteMessage(api, { chat_id: chat.id, message_id }, signal);
      const { others } = owner;
      if (others.length > 0) await api.call('deleteMessages', { chat_id: chat.id, message_ids: others }, { signal });
      return;
    }
    const t = await translatorFor(presser);
    await answers.notify(query.id, t.messages.errors.forbidden_button);
  }

  async function fail(error: unknown, { id, from }: CallbackQuery): Promise<void> {
    const isTheirs = error instanceof BotApiError && (error.code === 400 || error.code === 403);
    log[isTheirs ? 'info' : 'error']({ err: error }, 'a button did not do its work');
    const t = await translatorFor(privateSpeaker(from));
    const isUnclear = error instanceof BotApiError && !error.isNotDone;
    await answers.notify(id, isUnclear ? t.messages.errors.internal : failureSentence(error, t));
  }

  return {
    /** Acts on a delete button at once, without the queue. Never rejects. */
    async act(query: CallbackQuery, signal: AbortSignal): Promise<void> {
      try {
        if (query.message !== undefined) await deleteAnswer(query, query.message, signal);
      } catch (error) {
        if (!signal.aborted) await fail(error, query).catch(() => undefined);
      } finally {
        await answers.acknowledge(query.id);
      }
    },
    /** Reads the request of a button and makes it stop spinning soon; undefined if `act` must be called instead. */
    async read(query: CallbackQuery): Promise<NewRequest<TelegramReplyTo> | undefined> {
      const { id, message, data } = query;
      if (message === undefined || data === undefined || deleteButtons.read(data, message.chat.id)) return undefined;
      const presser = await presserOf(query, message);
      if (presser === undefined) return undefined;
      answers.acknowledgeSoon(id);
      const kind = kindOf(message);
      const body = bodyOf(data);
      const isOnlyButton = body.kind === 'button' && message.reply_markup?.inline_keyboard.flat().length === 1;
      const press = {
        ...{ query: id, message: message.message_id },
        ...(kind && { stands: kind }),
        ...(message.ephemeral_message_id !== undefined && { isEphemeral: true }),
        ...(isOnlyButton && { isOnlyButton }),
      };
      return {
        ...body,
        ...presser,
        eventId: eventIds('button', id),
        replyTo: { ...replyToOf(message), press },
        refuse: async reply => void (await answers.notifyReply(id, reply, await translatorFor(presser))),
      };
    },
  };
}

function bodyOf(data: string): RequestBody {
  const link = readAudioButton(data);
  if (link === undefined) return { kind: 'button', what: { token: data } };
  return { kind: 'command', what: { name: 'download', options: { link, audio: true } } };
}

/** The kind of a message that a reply may replace; undefined for a post's files, which stay in the chat. */
function kindOf({ text, photo }: Pressed): 'text' | 'photo' | undefined {
  if (text !== undefined) return 'text';
  return photo === undefined ? undefined : 'photo';
}
