import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { Chat, User } from './updates.ts';

/** The destination of an answer: everything that any process needs to send it, and no text of people. */
export const TelegramReplyTo = z.object({
  chat: z.number(),
  isGroup: z.boolean(),
  /** True for a channel: nothing is posted there that its readers need not see, since they do not talk with Medley. */
  isChannel: z.boolean().optional(),
  /** The id of a forum's topic; never that of the General topic, which Telegram does not accept. */
  thread: z.number().optional(),
  /** The message that is answered. */
  message: z.number().optional(),
  /** True when that message contains nothing but links that are answered. */
  isOnlyLinks: z.boolean().optional(),
  /** A pressed button: the id of its query, and the message under which it is. */
  press: z
    .object({
      query: z.string(),
      message: z.number(),
      /** The kind of that message if an answer may replace it; posts and other files stay. */
      stands: z.enum(['text', 'photo']).optional(),
      /** The person who pressed alone sees that message. */
      isEphemeral: z.boolean().optional(),
    })
    .optional(),
});
export type TelegramReplyTo = z.output<typeof TelegramReplyTo>;
export type PressedButton = NonNullable<TelegramReplyTo['press']>;

/** A request without its body: the event, the person, the chat and the destination of the answer. */
export type Envelope = Pick<NewRequest<TelegramReplyTo>, 'eventId' | 'chat' | 'user' | 'replyTo'>;
export type Speaker = Pick<Envelope, 'chat' | 'user'>;

/** Makes the id of an event from where it happened. */
export type EventIds = (...names: readonly (string | number)[]) => string;

/**
 * Makes ids that are the same for a repeat, and after a restart. Ids of private chats and of pressed buttons belong to people, so ids are
 * hashed: they are kept for a day when all else about the request is deleted.
 * @param secret the same after a restart
 */
export function createEventIds(secret: string): EventIds {
  return (...names) => {
    const hash = createHmac('sha256', secret).update(`question ${names.join(' ')}`);
    return hash.digest('base64url').slice(0, 22);
  };
}

interface Speech {
  readonly from?: User | undefined;
  /** The group itself when an anonymous admin writes, a channel when a person writes in its name. */
  readonly sender_chat?: { readonly id: number } | undefined;
  readonly chat: Chat;
}

/** The person who writes, and the chat; undefined for bots. Whether they are an admin is looked up when it matters. */
export function speakerOf({ from, sender_chat: as, chat }: Speech): Speaker | undefined {
  // For those who write in the name of a chat, Telegram states one of its own bots as the sender.
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

/** The speaker for a person when no chat is known, as in their private chat. */
export function privateSpeaker(user: User): Speaker {
  const id = `${user.id}`;
  return { chat: { id, kind: 'private' }, user: { id, rateKey: id, locales: localesOf(user), isChatAdmin: true } };
}

interface Located {
  readonly chat: Chat;
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message: boolean;
}

/** Messages outside a forum, and in its General topic, may state a thread too, which must not be sent back. */
export function replyToOf(located: Located): Pick<TelegramReplyTo, 'chat' | 'isGroup' | 'isChannel' | 'thread'> {
  const { chat, message_thread_id: thread, is_topic_message: isInTopic } = located;
  return {
    chat: chat.id,
    isGroup: chat.type !== 'private',
    ...(chat.type === 'channel' && { isChannel: true }),
    ...(isInTopic && thread !== undefined && thread !== GENERAL_TOPIC ? { thread } : {}),
  };
}

const GENERAL_TOPIC = 1;
