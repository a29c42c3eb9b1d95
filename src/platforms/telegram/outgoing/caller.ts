import type { Caller } from '../../../bot/command.ts';
import type { ChatAccess } from '../incoming/chat-access.ts';
import type { Chat, User } from '../incoming/updates.ts';
import type { Place } from './message-api.ts';

interface Speech {
  readonly from?: User | undefined;
  /** The group itself for an anonymous admin, a channel for somebody who speaks as it. */
  readonly sender_chat?: { readonly id: number } | undefined;
  readonly chat: Chat;
}

/** Who asked; undefined for bots. */
export function callerOf({ from, sender_chat: as, chat }: Speech, access: ChatAccess): Caller | undefined {
  // Those who speak as a chat come as a bot of Telegram's own.
  if (as === undefined && (from === undefined || from.is_bot)) return undefined;
  const userId = `${as?.id ?? from?.id}`;
  const isGroup = chat.type !== 'private';
  const personId = as === undefined ? from?.id : undefined;
  const language = from?.language_code;
  return {
    platform: 'telegram',
    userId,
    chatId: `${chat.id}`,
    chatKind: isGroup ? 'group' : 'private',
    isChatAdmin: !isGroup || isAdmin(),
    ...(isGroup ? { diagnose: () => access.diagnose(chat.id) } : {}),
    rateKey: userId,
    locales: language === undefined ? [] : [language],
  };

  function isAdmin(): boolean | (() => Promise<boolean>) {
    return personId === undefined ? as?.id === chat.id : () => access.isAdmin(chat.id, personId);
  }
}

/** Somebody by himself, where no chat is known. */
export function privateCaller({ id, language_code: language }: User): Caller {
  return {
    platform: 'telegram',
    userId: `${id}`,
    chatId: `${id}`,
    chatKind: 'private',
    isChatAdmin: true,
    rateKey: `${id}`,
    locales: language === undefined ? [] : [language],
  };
}

interface Placed {
  readonly message_id: number;
  readonly chat: Chat;
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message: boolean;
}

/** Messages outside of a forum, and in its General topic, may name a thread too, which must not be sent. */
export function placeOf(message: Placed): Place {
  const { chat, message_id: replyTo, message_thread_id: threadId, is_topic_message: isInTopic } = message;
  return {
    chatId: chat.id,
    isGroup: chat.type !== 'private',
    ...(isInTopic && threadId !== undefined && threadId !== GENERAL_TOPIC ? { threadId } : {}),
    replyTo,
  };
}

const GENERAL_TOPIC = 1;
