import { z } from 'zod';
import type { FakeMessage, MemberStatus } from './chats.ts';
import { type Chat, chatShape, type Entity, userShape } from './shapes.ts';
import { renderMessage, type Stage } from './stage.ts';
import { detectEntities } from './text.ts';

export interface SomeUser {
  readonly id: number;
  readonly first_name?: string;
  readonly username?: string;
  readonly is_bot?: boolean;
  readonly language_code?: string;
}

export interface SomeChat {
  readonly id: number;
  readonly type: Chat['type'];
  readonly title?: string;
  readonly is_forum?: boolean;
  /** What plain members may do; what is not named is allowed. */
  readonly permissions?: Readonly<Record<string, boolean>>;
}

export interface SomeMessage {
  /** Default: the private chat with `from`. */
  readonly chat?: SomeChat;
  readonly from?: SomeUser;
  readonly text?: string;
  readonly caption?: string;
  /** Default: the addresses, commands and mentions Telegram would find. */
  readonly entities?: readonly Entity[];
  readonly captionEntities?: readonly Entity[];
  /** Default in groups: the message replied to, as Telegram threads replies. */
  readonly messageThreadId?: number;
  readonly isTopicMessage?: boolean;
  /** The chat itself for an anonymous administrator, a channel for its posts. */
  readonly senderChat?: SomeChat;
  /** Id of a message of the same chat. */
  readonly replyTo?: number;
  /** Any other fields of the message: `via_bot`, `forward_origin`, ... */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface SomeCallback {
  readonly data: string;
  /** Id and chat of the bot's message whose button was pressed. */
  readonly message?: { readonly chatId: number; readonly messageId: number };
  readonly inlineMessageId?: string;
  readonly from?: SomeUser;
}

export interface People {
  /** Makes the chats and messages of an update known without sending it. */
  note(update: Readonly<Record<string, unknown>>): void;
  /** Somebody deletes a message; nobody is told. */
  erase(chatId: number, messageId: number): void;
  /** Any update at all; the fake notes the chats and messages in it. @returns its update_id. */
  update(update: Readonly<Record<string, unknown>>): number;
  /** @returns the message's id. In groups the bot sees it only as far as privacy mode lets it. */
  message(message: SomeMessage): number;
  /** The text of a message changes; the bot sees `edited_message`. */
  edit(chatId: number, messageId: number, text: string): void;
  /** @returns the query's id. */
  inlineQuery(query: { readonly query: string; readonly from?: SomeUser; readonly offset?: string }): string;
  /** Somebody picks a result the bot offered. @returns inline_message_id, which only results with a keyboard get. */
  chosenInlineResult(chosen: {
    readonly resultId: string;
    readonly query?: string;
    readonly from?: SomeUser;
  }): string | undefined;
  /** @returns the query's id. */
  callbackQuery(press: SomeCallback): string;
  /** The bot itself is added, promoted, blocked or removed. */
  myChatMember(change: {
    readonly chat: SomeChat;
    readonly status: MemberStatus;
    readonly from?: SomeUser;
    readonly rights?: Readonly<Record<string, boolean>>;
  }): void;
  /** The group becomes a supergroup: two service messages, and `from` is refused from now on. */
  migrate(from: number, to: number): void;
}

const SOMEONE: SomeUser = { id: 700_100_200, first_name: 'Sari', username: 'sari_senja', language_code: 'en' };
const ANONYMOUS: SomeUser = { id: 1_087_968_824, first_name: 'Group', username: 'GroupAnonymousBot', is_bot: true };

const noted = z.looseObject({ message_id: z.int(), chat: chatShape, text: z.string().optional() });
const query = z.looseObject({ id: z.string() });
const asked = z.looseObject({ inline_query: query.optional(), callback_query: query.optional() });
const placed = z.looseObject({ chat: chatShape });

export function createPeople(stage: Stage): People {
  const { chats, updates, me } = stage;

  function noteMessage(content: unknown): void {
    const place = placed.safeParse(content);
    if (!place.success) return;
    chats.add(place.data.chat);
    const message = noted.safeParse(content);
    if (!message.success || chats.find(message.data.chat.id, message.data.message_id) !== undefined) return;
    const { chat, message_id, text } = message.data;
    chats.putAt(chat.id, message_id, { byBot: false, text, received: message.data });
  }

  function note(update: Readonly<Record<string, unknown>>): void {
    const { inline_query, callback_query } = asked.safeParse(update).data ?? {};
    if (inline_query !== undefined) stage.inline.ask('query', inline_query.id);
    if (callback_query !== undefined) stage.inline.ask('callback', callback_query.id);
    for (const part of Object.values(update)) {
      noteMessage(part);
      noteMessage(z.looseObject({ message: z.unknown() }).safeParse(part).data?.message);
    }
  }

  function seconds(): number {
    return Math.floor(stage.now() / 1000);
  }

  function message(written: SomeMessage): number {
    const isAnonymous = written.senderChat !== undefined && written.senderChat.id === written.chat?.id;
    const from = userShape.parse(written.from ?? (isAnonymous ? ANONYMOUS : SOMEONE));
    const chat = chatShape.parse(written.chat ?? { id: from.id, type: 'private', first_name: from.first_name });
    chats.add(chat);
    if (chats.member(chat.id, from.id) === undefined) chats.setMember(chat.id, from, 'member');
    const { replyTo, text, caption } = written;
    const replied = replyTo === undefined ? undefined : chats.messages.get(`${chat.id}:${replyTo}`);
    const thread = threadOf(written, chat, replied);
    if (thread.topic !== undefined) chats.addTopic(chat.id, thread.topic);
    const put = chats.put(chat.id, { byBot: false, text, caption, replyTo, threadId: thread.topic });
    const received: Record<string, unknown> = {
      message_id: put.messageId,
      from,
      chat,
      date: seconds(),
      ...(written.senderChat === undefined ? {} : { sender_chat: written.senderChat }),
      ...thread.fields,
      ...(replied === undefined ? {} : { reply_to_message: renderMessage(stage, replied, true) }),
      ...contentOf(written),
      ...written.extra,
    };
    chats.putAt(chat.id, put.messageId, { ...put, received });
    if (chat.type === 'channel') updates.push({ channel_post: postOf(received) });
    else if (isSeen(chat, text ?? caption ?? '', replied?.byBot === true)) updates.push({ message: received });
    return put.messageId;
  }

  /** Privacy mode, which getMe tells of. */
  function isSeen(chat: Chat, text: string, repliesToBot: boolean): boolean {
    if (chat.type === 'private' || me.can_read_all_group_messages === true) return true;
    if (chats.member(chat.id, me.id)?.status === 'administrator') return true;
    const own = (me.username ?? '').toLowerCase();
    const command = /^\/\w+(?:@(\w+))?/.exec(text);
    if (command !== null) return command[1] === undefined || command[1].toLowerCase() === own;
    return repliesToBot || text.toLowerCase().includes(`@${own}`);
  }

  return {
    note,
    update: update => {
      note(update);
      return updates.push(update);
    },
    message,
    edit: (chatId, messageId, text) => {
      const found = chats.find(chatId, messageId);
      if (found?.received === undefined) throw new Error('there is no such message of somebody else');
      const received = { ...found.received, text, entities: detectEntities(text), edit_date: seconds() };
      chats.putAt(chatId, messageId, { ...found, text, received });
      const isPost = chats.get(chatId).type === 'channel';
      updates.push(isPost ? { edited_channel_post: postOf(received) } : { edited_message: received });
    },
    erase: (chatId, messageId) => {
      const found = chats.find(chatId, messageId);
      if (found !== undefined) found.deleted = true;
    },
    inlineQuery: ({ query, from = SOMEONE, offset = '' }) => {
      const id = stage.inline.ask('query');
      updates.push({ inline_query: { id, from: userShape.parse(from), query, offset, chat_type: 'private' } });
      return id;
    },
    chosenInlineResult: ({ resultId, query = '', from = SOMEONE }) => {
      const chosen = stage.inline.choose(resultId);
      const id = chosen === undefined ? {} : { inline_message_id: chosen.id };
      updates.push({ chosen_inline_result: { result_id: resultId, from: userShape.parse(from), query, ...id } });
      return chosen?.id;
    },
    callbackQuery: ({ data, message: at, inlineMessageId, from = SOMEONE }) => {
      const id = stage.inline.ask('callback');
      const pressed = at === undefined ? undefined : chats.messages.get(`${at.chatId}:${at.messageId}`);
      if (at !== undefined && pressed === undefined) throw new Error('there is no such message');
      updates.push({
        callback_query: {
          id,
          from: userShape.parse(from),
          chat_instance: '4100200300400500600',
          data,
          ...(pressed === undefined ? {} : { message: renderMessage(stage, pressed) }),
          ...(inlineMessageId === undefined ? {} : { inline_message_id: inlineMessageId }),
        },
      });
      return id;
    },
    myChatMember: ({ chat: place, status, from = SOMEONE, rights }) => {
      const chat = chatShape.parse(place);
      chats.add(chat);
      const before = chats.member(chat.id, me.id)?.status ?? 'left';
      chats.setMember(chat.id, me, status, rights);
      updates.push({
        my_chat_member: {
          chat,
          from: userShape.parse(from),
          date: seconds(),
          old_chat_member: { status: before, user: me },
          new_chat_member: { status, user: me, ...rights },
        },
      });
    },
    migrate: (from, to) => {
      const chat = chats.get(from);
      chats.migrate(from, to);
      const sender = userShape.parse(SOMEONE);
      const service = { from: sender, date: seconds() };
      const left = chats.put(from, { byBot: false });
      const entered = chats.put(to, { byBot: false });
      updates.push({ message: { ...service, message_id: left.messageId, chat, migrate_to_chat_id: to } });
      const next = { ...service, message_id: entered.messageId, chat: chats.get(to), migrate_from_chat_id: from };
      updates.push({ message: next });
    },
  };
}

/**
 * Replies in a supergroup carry the id of the message their thread began with, forum or not; only `is_topic_message` tells that it
 * names a topic. The General topic has no id.
 */
function threadOf(
  { messageThreadId, isTopicMessage, replyTo }: SomeMessage,
  chat: Chat,
  replied: FakeMessage | undefined,
): { readonly topic: number | undefined; readonly fields: Readonly<Record<string, unknown>> } {
  const named = messageThreadId ?? replied?.threadId;
  const isTopic = isTopicMessage ?? (chat.is_forum === true && named !== undefined);
  const id = named ?? (chat.type === 'supergroup' ? replyTo : undefined);
  if (id === undefined) return { topic: undefined, fields: {} };
  return isTopic
    ? { topic: id, fields: { message_thread_id: id, is_topic_message: true } }
    : { topic: undefined, fields: { message_thread_id: id } };
}

/** Channels speak as themselves. */
function postOf({ from: _from, ...message }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...message, sender_chat: message.chat };
}

const THEIR_PHOTO = { file_id: 'AgACAgIAAxtheirs', file_unique_id: 'AQtheirs', width: 640, height: 640 };

function contentOf({ text, entities, caption, captionEntities }: SomeMessage): Readonly<Record<string, unknown>> {
  const texts = text === undefined ? {} : { text, ...listed('entities', entities ?? detectEntities(text)) };
  if (caption === undefined) return texts;
  const found = listed('caption_entities', captionEntities ?? detectEntities(caption));
  return { ...texts, photo: [THEIR_PHOTO], caption, ...found };
}

function listed(name: string, entities: readonly Entity[]): Readonly<Record<string, unknown>> {
  return entities.length === 0 ? {} : { [name]: entities };
}
