import { z } from 'zod';
import type { MemberStatus } from './chats.ts';
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
const placed = z.looseObject({ chat: chatShape });

export function createPeople(stage: Stage): People {
  const { chats, updates, me } = stage;

  function note(content: unknown): void {
    const place = placed.safeParse(content);
    if (!place.success) return;
    chats.add(place.data.chat);
    const message = noted.safeParse(content);
    if (!message.success || chats.find(message.data.chat.id, message.data.message_id) !== undefined) return;
    const { chat, message_id, text } = message.data;
    chats.putAt(chat.id, message_id, { byBot: false, text, received: message.data });
  }

  function update(content: Readonly<Record<string, unknown>>): number {
    for (const part of Object.values(content)) {
      note(part);
      const inner = z.looseObject({ message: z.unknown() }).safeParse(part);
      if (inner.success) note(inner.data.message);
    }
    return updates.push(content);
  }

  function seconds(): number {
    return Math.floor(stage.now() / 1000);
  }

  function message(written: SomeMessage): number {
    const isAnonymous = written.senderChat !== undefined && written.senderChat.id === written.chat?.id;
    const from = userShape.parse(written.from ?? (isAnonymous ? ANONYMOUS : SOMEONE));
    const chat = chatShape.parse(written.chat ?? { ...from, type: 'private' });
    chats.add(chat);
    if (chats.member(chat.id, from.id) === undefined) chats.setMember(chat.id, from, 'member');
    const { replyTo, text, caption } = written;
    const replied = replyTo === undefined ? undefined : chats.messages.get(`${chat.id}:${replyTo}`);
    const inTopic = written.isTopicMessage ?? (chat.is_forum === true && written.messageThreadId !== undefined);
    const threadId =
      written.messageThreadId ?? (chat.type === 'supergroup' ? (replied?.threadId ?? replyTo) : undefined);
    if (inTopic && threadId !== undefined) chats.addTopic(chat.id, threadId);
    const put = chats.put(chat.id, { byBot: false, text, caption, replyTo, threadId: inTopic ? threadId : undefined });
    const received: Record<string, unknown> = {
      message_id: put.messageId,
      from,
      chat,
      date: seconds(),
      ...(written.senderChat === undefined ? {} : { sender_chat: written.senderChat }),
      ...(threadId === undefined ? {} : { message_thread_id: threadId }),
      ...(inTopic ? { is_topic_message: true } : {}),
      ...(replied === undefined ? {} : { reply_to_message: renderMessage(stage, replied, true) }),
      ...withEntities('text', 'entities', text, written.entities),
      ...withEntities('caption', 'caption_entities', caption, written.captionEntities),
      ...(caption === undefined
        ? {}
        : { photo: [{ file_id: 'AgACAgIAAxtheirs', file_unique_id: 'AQtheirs', width: 640, height: 640 }] }),
      ...written.extra,
    };
    chats.putAt(chat.id, put.messageId, { ...put, received });
    if (isSeen(chat, text ?? caption ?? '', replied?.byBot === true)) updates.push({ message: received });
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
    update,
    message,
    edit: (chatId, messageId, text) => {
      const found = chats.find(chatId, messageId);
      if (found?.received === undefined) throw new Error('there is no such message of somebody else');
      const received = { ...found.received, text, entities: detectEntities(text), edit_date: seconds() };
      chats.putAt(chatId, messageId, { ...found, text, received });
      updates.push({ edited_message: received });
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

function withEntities(
  textKey: string,
  entitiesKey: string,
  text: string | undefined,
  given: readonly Entity[] | undefined,
): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  const entities = given ?? detectEntities(text);
  return { [textKey]: text, ...(entities.length === 0 ? {} : { [entitiesKey]: entities }) };
}
