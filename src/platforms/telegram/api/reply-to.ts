import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { Message, User } from './updates.ts';

/** All that a process needs to send the answer to a request. It has no text of people. */
export const TelegramReplyTo = z.object({
  chat: z.number(),
  isGroup: z.boolean(),
  /** True for a channel. Its readers do not talk with Medley, so no notices are posted there. */
  isChannel: z.boolean().optional(),
  /** The id of a forum's topic, except for the General topic, whose id Telegram does not accept. */
  thread: z.number().optional(),
  /** The id of one person's conversation in a channel's direct messages, without which nothing can be sent there. */
  directTopic: z.number().optional(),
  /** The id of the message to reply to. */
  message: z.number().optional(),
  /**
   * The id of the message to which `message` replies; absent in forum topics. The answer replies to it if `message` is
   * deleted, so that in the comments on a channel's post the answer stays below that post.
   */
  repliedTo: z.number().optional(),
  /** True when the message to reply to consists of answered links alone, so that it may be deleted. */
  isOnlyLinks: z.boolean().optional(),
  /** The pressed button: the id of Telegram's query about it, and the message with the button. */
  press: z
    .object({
      query: z.string(),
      message: z.number(),
      /** The kind of the button's message, if an answer may replace it; undefined if the message has a post's files. */
      stands: z.enum(['text', 'photo']).optional(),
      /** True when the message with the button is seen only by the person who pressed it. */
      isEphemeral: z.boolean().optional(),
      /** True when the message has no other button, so that it is of no use once files answer the press. */
      isOnlyButton: z.boolean().optional(),
    })
    .optional(),
});
export type TelegramReplyTo = z.output<typeof TelegramReplyTo>;
export type PressedButton = NonNullable<TelegramReplyTo['press']>;

/** The author of a message or a press, with the chat in which they are. */
export type Speaker = Pick<NewRequest<TelegramReplyTo>, 'chat' | 'user'>;

/** Makes the id of an event out of the ids of its chat, message and the like. */
export type EventIds = (...names: readonly (string | number)[]) => string;

/**
 * Makes ids that are the same for a repeated event, after a restart as well. Plain ids of private chats and of pressed
 * buttons would identify people, so all are hashed: an event's id is kept for a day, longer than anything else of the
 * request.
 * @param secret a text that is the same after a restart
 */
export function createEventIds(secret: string): EventIds {
  return (...names) => {
    const hash = createHmac('sha256', secret).update(`question ${names.join(' ')}`);
    return hash.digest('base64url').slice(0, 22);
  };
}

type Speech = Pick<Message, 'chat'> & Partial<Pick<Message, 'from' | 'sender_chat'>>;

/** The author of a message; undefined for bots. `isChatAdmin` is left out if only a call to Telegram could tell it. */
export function speakerOf({ from, sender_chat: as, chat }: Speech): Speaker | undefined {
  // If a chat is the author (`sender_chat`), `from` is only a placeholder bot.
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

/** The person as a speaker in their private chat, for updates that name no chat. */
export function privateSpeaker(user: User): Speaker {
  const id = `${user.id}`;
  return { chat: { id, kind: 'private' }, user: { id, rateKey: id, locales: localesOf(user), isChatAdmin: true } };
}

interface Located
  extends Pick<Message, 'chat' | 'is_topic_message'>,
    Partial<Pick<Message, 'message_thread_id' | 'direct_messages_topic'>> {
  readonly reply_to_message?: { readonly message_id: number } | undefined;
}

/** The chat and topic for a reply. Only forums get the thread id: Telegram rejects that of any other chat. */
export function replyToOf(located: Located): Omit<TelegramReplyTo, 'message' | 'isOnlyLinks' | 'press'> {
  const { chat, message_thread_id: thread, is_topic_message: isInTopic, direct_messages_topic: direct } = located;
  const repliedTo = isInTopic ? undefined : located.reply_to_message?.message_id;
  return {
    chat: chat.id,
    isGroup: chat.type !== 'private',
    ...(chat.type === 'channel' && { isChannel: true }),
    ...(isInTopic && thread !== undefined && thread !== GENERAL_TOPIC ? { thread } : {}),
    ...(direct !== undefined && { directTopic: direct.topic_id }),
    ...(repliedTo !== undefined && { repliedTo }),
  };
}

const GENERAL_TOPIC = 1;
