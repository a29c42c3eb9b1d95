import { ApiRefusal, badRequest } from './answer.ts';
import type { Stored } from './file-shelf.ts';
import { type Chat, chatShape, type Entity, type User } from './shapes.ts';

/** A rich message as it stands in its chat. */
export interface RichContent {
  /** As the Bot API gives them. */
  readonly blocks: readonly unknown[];
  /** Its paragraphs and quotes, each as a line. */
  readonly text: string;
  readonly files: readonly Stored[];
}

/** A message as it stands in its chat now. */
export interface FakeMessage {
  readonly chatId: number;
  readonly messageId: number;
  readonly byBot: boolean;
  text: string | undefined;
  caption: string | undefined;
  /** Of the text or the caption. */
  entities: readonly Entity[];
  file: Stored | undefined;
  /** What the bot said about the file: width, height, duration, supports_streaming, has_spoiler. */
  about: Readonly<Record<string, unknown>>;
  thumbnail: Stored | undefined;
  readonly rich: RichContent | undefined;
  readonly replyTo: number | undefined;
  readonly threadId: number | undefined;
  readonly mediaGroupId: string | undefined;
  replyMarkup: unknown;
  reactions: readonly unknown[];
  /** The person who alone sees it. */
  readonly onlyFor: number | undefined;
  /** How often it was edited. */
  edits: number;
  deleted: boolean;
  /** Milliseconds. */
  readonly at: number;
  /** Of other people's messages: the message as it came in the update. */
  readonly received: Readonly<Record<string, unknown>> | undefined;
}

export type NewMessage = Partial<Omit<FakeMessage, 'chatId' | 'messageId' | 'byBot' | 'at'>> &
  Pick<FakeMessage, 'byBot'>;

export type MemberStatus = 'creator' | 'administrator' | 'member' | 'restricted' | 'left' | 'kicked';

export interface Member {
  readonly status: MemberStatus;
  readonly user: User;
  readonly rights: Readonly<Record<string, boolean>>;
}

export interface Chats {
  readonly messages: ReadonlyMap<string, FakeMessage>;
  /** Makes the chat known, or changes it. */
  add(chat: Chat): void;
  has(chatId: number): boolean;
  get(chatId: number): Chat;
  addTopic(chatId: number, threadId: number): void;
  /** Only admins who may manage topics write there then. */
  closeTopic(chatId: number, threadId: number): void;
  /** @throws ApiRefusal when the topic is not there to write into; the General topic has no id. */
  checkTopic(chat: Chat, threadId: number): void;
  /**
   * The chat the bot means.
   * @throws ApiRefusal when it is unknown, has moved, or the bot is not in it any more.
   */
  open(chatId: number | string): Chat;
  put(chatId: number, message: NewMessage): FakeMessage;
  putAt(chatId: number, messageId: number, message: NewMessage): FakeMessage;
  find(chatId: number, messageId: number): FakeMessage | undefined;
  setMember(chatId: number, user: User, status: MemberStatus, rights?: Readonly<Record<string, boolean>>): void;
  member(chatId: number, userId: number): Member | undefined;
  members(chatId: number): readonly Member[];
  migrate(from: number, to: number): void;
}

export function createChats(me: User, now: () => number): Chats {
  const chats = new Map<number, Chat>();
  const messages = new Map<string, FakeMessage>();
  const members = new Map<number, Map<number, Member>>();
  const topics = new Map<number, Set<number>>();
  const closed = new Set<string>();
  const moved = new Map<number, number>();
  const lastIds = new Map<number, number>();

  function putAt(chatId: number, messageId: number, message: NewMessage): FakeMessage {
    lastIds.set(chatId, Math.max(messageId, lastIds.get(chatId) ?? 0));
    const put: FakeMessage = {
      text: undefined,
      caption: undefined,
      entities: [],
      file: undefined,
      about: {},
      thumbnail: undefined,
      rich: undefined,
      replyTo: undefined,
      threadId: undefined,
      mediaGroupId: undefined,
      replyMarkup: undefined,
      reactions: [],
      onlyFor: undefined,
      edits: 0,
      deleted: false,
      received: undefined,
      ...message,
      chatId,
      messageId,
      at: now(),
    };
    messages.set(`${chatId}:${messageId}`, put);
    return put;
  }

  function get(chatId: number): Chat {
    const chat = chats.get(chatId);
    if (chat === undefined) throw badRequest('chat not found');
    return chat;
  }

  function setMember(chatId: number, user: User, status: MemberStatus, rights: Member['rights'] = {}): void {
    const inChat = members.get(chatId) ?? new Map<number, Member>();
    members.set(chatId, inChat.set(user.id, { status, user, rights }));
  }

  return {
    messages,
    add: chat => {
      chats.set(chat.id, chatShape.parse({ ...chats.get(chat.id), ...chat }));
      if (members.get(chat.id)?.has(me.id) !== true) setMember(chat.id, me, 'member');
    },
    has: chatId => chats.has(chatId),
    get,
    addTopic: (chatId, threadId) => {
      topics.set(chatId, (topics.get(chatId) ?? new Set()).add(threadId));
    },
    closeTopic: (chatId, threadId) => void closed.add(`${chatId}:${threadId}`),
    checkTopic: (chat, threadId) => {
      if (chat.is_forum !== true || topics.get(chat.id)?.has(threadId) !== true) {
        throw badRequest('message thread not found');
      }
      const member = members.get(chat.id)?.get(me.id);
      if (closed.has(`${chat.id}:${threadId}`) && member?.rights.can_manage_topics !== true) {
        throw badRequest('TOPIC_CLOSED');
      }
    },
    open: chatId => {
      if (typeof chatId === 'string') throw badRequest('chat not found');
      const to = moved.get(chatId);
      if (to !== undefined) {
        throw badRequest('group chat was upgraded to a supergroup chat', { migrate_to_chat_id: to });
      }
      const chat = get(chatId);
      const status = members.get(chatId)?.get(me.id)?.status;
      if (status === 'kicked' || status === 'left') {
        const cause = chat.type === 'private' ? 'blocked by the user' : `kicked from the ${chat.type} chat`;
        throw new ApiRefusal(403, `Forbidden: bot was ${cause}`);
      }
      return chat;
    },
    put: (chatId, message) => putAt(chatId, (lastIds.get(chatId) ?? 0) + 1, message),
    putAt,
    find: (chatId, messageId) => {
      const found = messages.get(`${chatId}:${messageId}`);
      return found === undefined || found.deleted ? undefined : found;
    },
    setMember,
    member: (chatId, userId) => members.get(chatId)?.get(userId),
    members: chatId => [...(members.get(chatId)?.values() ?? [])],
    migrate: (from, to) => {
      const chat = get(from);
      moved.set(from, to);
      chats.set(to, { ...chat, id: to, type: 'supergroup' });
      members.set(to, new Map(members.get(from)));
    },
  };
}
