import * as z from 'zod';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { ChatMembers } from '../contract/chat-memory.ts';

export interface ChatMembersOptions {
  readonly records: RecordStore;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

interface Membership {
  readonly chat: string;
  readonly user: string;
  readonly at: number;
}

const DAY_MS = 24 * 3_600_000;
const Row = z.object({ chat: z.string(), user: z.string(), at: z.number() });
const KEPT = { schema: Row, ttlMs: 90 * DAY_MS, maxRecords: 200_000 } as const;

/** The collections of members: each row is stored twice, in one grouped by chat, in the other by person. */
export const CHAT_MEMBERS = { name: 'chat-members', ...KEPT } as const satisfies CollectionOptions<Membership>;
export const MEMBER_CHATS = { name: 'member-chats', ...KEPT } as const satisfies CollectionOptions<Membership>;

const keyOf = ({ chat, user }: Pick<Membership, 'chat' | 'user'>) => `${chat} ${user}`;

export function createChatMembers({ records, now = Date.now }: ChatMembersOptions): ChatMembers {
  const byChat = records.groupedCollection<Membership>(CHAT_MEMBERS);
  const byUser = records.groupedCollection<Membership>(MEMBER_CHATS);

  async function write(row: Membership): Promise<void> {
    // The record by person is written first: without it the other could not be found when the person is forgotten.
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
