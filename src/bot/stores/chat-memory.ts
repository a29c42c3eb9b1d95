import * as z from 'zod';
import type { RecordStore } from '../../infra/store/records.ts';
import { type ChatMembers, type ChatMemory, ShownMap, type ShownMaps } from '../contract/chat-memory.ts';
import { type CallerPlace, callerKey } from '../contract/request.ts';
import { createTrackedPlayers } from './tracked-players.ts';

export interface ChatMemoryOptions {
  readonly records: RecordStore;
  /** Called with failures that no reply depends on. */
  readonly onFailure: (error: unknown) => void;
  /** Says whether a platform allows messages that answer no request. Default: all do. */
  readonly canPost?: (platform: string) => boolean;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

export function createChatMemory(options: ChatMemoryOptions): ChatMemory {
  const { records, onFailure, canPost = () => true, now = Date.now } = options;
  const maps = createShownMaps(records, onFailure);
  const stored = createChatMembers(records, now);
  // A failure to record a member is only reported, because the answer is being sent anyway.
  const members: ChatMembers = { ...stored, note: (...place) => stored.note(...place).catch(onFailure) };
  const tracked = createTrackedPlayers(records, canPost);

  return {
    maps,
    members,
    tracked,
    async forgetUser(key) {
      await maps.forgetUser(key);
      await members.forgetUser(key);
    },
    async leaveChat(key) {
      await tracked.leave(key);
      await members.forgetChat(key);
    },
    async moveChat(from, to) {
      await tracked.moveChat(from, to);
      await members.moveChat(from, to);
    },
  };
}

const DAY_MS = 24 * 3_600_000;

export const SHOWN_MAPS = { name: 'shown-maps', schema: ShownMap, ttlMs: 30 * DAY_MS, maxRecords: 50_000 };

function createShownMaps(records: RecordStore, onFailure: (error: unknown) => void): ShownMaps {
  const maps = records.collection<ShownMap>({ ...SHOWN_MAPS, maxInMemory: 2_000 });
  const keyOf = (place: CallerPlace) =>
    place.chatKind === 'private' ? callerKey(place) : `${place.platform}:chat:${place.chatId}`;

  return {
    async last(place) {
      try {
        return await maps.get(keyOf(place));
      } catch (error) {
        onFailure(error);
        return undefined;
      }
    },
    remember: (place, { id, ruleset }) => maps.set(keyOf(place), { id, ruleset }).catch(onFailure),
    forgetUser: key => maps.delete(key),
  };
}

const Membership = z.object({ chat: z.string(), user: z.string(), at: z.number() });
type Membership = z.output<typeof Membership>;

const KEPT = { ttlMs: 90 * DAY_MS, maxRecords: 200_000 };
/** The collections of members. Each row is stored twice: in one collection grouped by chat, in the other by person. */
export const CHAT_MEMBERS = { name: 'chat-members', schema: Membership, ...KEPT };
export const MEMBER_CHATS = { name: 'member-chats', schema: Membership, ...KEPT };

function createChatMembers(records: RecordStore, now: () => number): ChatMembers {
  const byChat = records.groupedCollection(CHAT_MEMBERS);
  const byUser = records.groupedCollection(MEMBER_CHATS);
  const keyOf = ({ chat, user }: Pick<Membership, 'chat' | 'user'>) => `${chat} ${user}`;

  async function write(row: Membership): Promise<void> {
    // The record by person is written first: it is needed to find the record by chat when the person is forgotten.
    await byUser.set(keyOf(row), row, row.user);
    await byChat.set(keyOf(row), row, row.chat);
  }

  async function forgetChat(chat: string): Promise<void> {
    const rows = await byChat.listGroup(chat);
    await byChat.deleteGroup(chat);
    for (const row of rows) await byUser.delete(keyOf(row), row.user);
  }

  return {
    async note(chat, user) {
      const known = await byChat.get(keyOf({ chat, user }));
      if (known !== undefined && now() - known.at < DAY_MS) return;
      await write({ chat, user, at: now() });
    },
    has: async (chat, user) => (await byChat.get(keyOf({ chat, user }))) !== undefined,
    list: async chat => (await byChat.listGroup(chat)).map(({ user }) => user),
    async forgetUser(user) {
      for (const row of await byUser.listGroup(user)) await byChat.delete(keyOf(row), row.chat);
      await byUser.deleteGroup(user);
    },
    forgetChat,
    async moveChat(from, to) {
      const rows = await byChat.listGroup(from);
      for (const row of rows.toReversed()) await write({ ...row, chat: to });
      await forgetChat(from);
    },
  };
}
