import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { Chat, User } from './updates.ts';

/** Where and how to answer a request: everything that any process needs to send the answer, and no text of people. */
export const TelegramReplyTo = z.object({
  chat: z.number(),
  isGroup: z.boolean(),
  /** True for a channel, whose readers do not talk with Medley: notices are not posted there. */
  isChannel: z.boolean().optional(),
  /** The id of a forum's topic; never that of the General topic, which Telegram does not accept. */
  thread: z.number().optional(),
  /** The id of the message to reply to. */
  message: z.number().optional(),
  /** True when that message contains nothing but links that are answered. */
  isOnlyLinks: z.boolean().optional(),
  /** The pressed button: the id of its query, and the message that has it. */
  press: z
    .object({
      query: z.string(),
      message: z.number(),
      /** The kind of the message with the button, if an answer may replace it; undefined for posts and other files. */
      stands: z.enum(['text', 'photo']).optional(),
      /** True when only the person who pressed sees the message with the button. */
      isEphemeral: z.boolean().optional(),
    })
    .optional(),
});
export type TelegramReplyTo = z.output<typeof TelegramReplyTo>;
export type PressedButton = NonNullable<TelegramReplyTo['press']>;

/** Everything of a request except what is asked: the event, the person, the chat and where to answer. */
export type Envelope = Pick<NewRequest<TelegramReplyTo>, 'eventId' | 'chat' | 'user' | 'replyTo'>;
export type Speaker = Pick<Envelope, 'chat' | 'user'>;

/** Makes the id of an event from the ids of its chat, message and the like. */
export type EventIds = (...names: readonly (string | number)[]) => string;

/**
 * Makes ids that are equal for a repeated event, also after a restart. The ids of private chats and of pressed buttons
 * identify people, so they are hashed: an event's id is kept for a day, longer than everything else of the request.
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
  /** The group, when an anonymous admin writes; a channel, when a person writes in its name. */
  readonly sender_chat?: { readonly id: number } | undefined;
  readonly chat: Chat;
}

/** Who wrote a message, and in which chat; undefined for bots. Whether they are an admin is looked up when needed. */
export function speakerOf({ from, sender_chat: as, chat }: Speech): Speaker | undefined {
  // For a message in the name of a chat, Telegram states one of its own bots as the sender.
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

/** The speaker for a person without a known chat, as if in their private chat. */
export function privateSpeaker(user: User): Speaker {
  const id = `${user.id}`;
  return { chat: { id, kind: 'private' }, user: { id, rateKey: id, locales: localesOf(user), isChatAdmin: true } };
}

interface Located {
  readonly chat: Chat;
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message: boolean;
}

/** Where to reply to a message. Only a forum topic's thread may be sent back; messages elsewhere may state one too. */
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
