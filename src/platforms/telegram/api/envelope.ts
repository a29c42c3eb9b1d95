import { createHmac } from 'node:crypto';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { TelegramReplyTo } from './reply-to.ts';
import type { Chat, User } from './updates.ts';

/** Who asks, and where the answer goes: a request without what is asked. */
export type Envelope = Pick<NewRequest<TelegramReplyTo>, 'eventId' | 'chat' | 'user' | 'replyTo'>;

/** Names an event by where it happened. */
export type EventIds = (...names: readonly (string | number)[]) => string;

/**
 * The same for a repeat, and after a restart. Ids of private chats, and of pressed buttons, are those of people, so they cannot be read
 * from it: it is kept for a day when all else about the request is deleted.
 * @param secret the same after a restart
 */
export function createEventIds(secret: string): EventIds {
  return (...names) =>
    createHmac('sha256', secret)
      .update(`question ${names.join(' ')}`)
      .digest('base64url')
      .slice(0, 22);
}

interface Speech {
  readonly from?: User | undefined;
  /** The group itself for an anonymous admin, a channel for a person who speaks as it. */
  readonly sender_chat?: { readonly id: number } | undefined;
  readonly chat: Chat;
}

/** Who speaks, and in which chat; undefined for bots. Whether a person is an admin is found out when it matters. */
export function speakerOf({ from, sender_chat: as, chat }: Speech): Pick<Envelope, 'chat' | 'user'> | undefined {
  // Those who speak as a chat come as a bot of Telegram's own.
  if (as === undefined && (from === undefined || from.is_bot)) return undefined;
  const id = `${as?.id ?? from?.id}`;
  const isPrivate = chat.type === 'private';
  const isChatAdmin = isPrivate || (as === undefined ? undefined : as.id === chat.id);
  return {
    chat: { id: `${chat.id}`, kind: isPrivate ? 'private' : 'group' },
    user: { id, rateKey: id, locales: localesOf(from), ...(isChatAdmin !== undefined && { isChatAdmin }) },
  };
}

export function localesOf(user: User | undefined): string[] {
  return user?.language_code === undefined ? [] : [user.language_code];
}

/** A person alone, where no chat is known. */
export function privateSpeaker(user: User): Pick<Envelope, 'chat' | 'user'> {
  const id = `${user.id}`;
  return {
    chat: { id, kind: 'private' },
    user: { id, rateKey: id, locales: localesOf(user), isChatAdmin: true },
  };
}

interface Placed {
  readonly chat: Chat;
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message: boolean;
}

/** Messages outside of a forum, and in its General topic, may name a thread too, which must not be sent. */
export function placeOf(placed: Placed): Pick<TelegramReplyTo, 'chat' | 'isGroup' | 'isChannel' | 'thread'> {
  const { chat, message_thread_id: thread, is_topic_message: isInTopic } = placed;
  return {
    chat: chat.id,
    isGroup: chat.type !== 'private',
    ...(chat.type === 'channel' && { isChannel: true }),
    ...(isInTopic && thread !== undefined && thread !== GENERAL_TOPIC ? { thread } : {}),
  };
}

const GENERAL_TOPIC = 1;
