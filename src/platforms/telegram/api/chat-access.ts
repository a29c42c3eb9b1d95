import type { PermissionCheck } from '../../../bot/contract/caller.ts';
import type { BotApi } from './bot-api.ts';
import { BotApiError } from './bot-api-error.ts';
import type { Me, Member } from './methods.ts';

/** Who may do what in a group: its people, and Medley itself. */
export interface ChatAccess {
  isAdmin(chatId: number, userId: number): Promise<boolean>;
  /** What Medley may and may not do there. */
  diagnose(chatId: number): Promise<readonly PermissionCheck[]>;
}

export function createChatAccess(api: BotApi, me: () => Promise<Me>): ChatAccess {
  async function isAdmin(chatId: number, userId: number): Promise<boolean> {
    try {
      return isAdminIn(await api.call('getChatMember', { chat_id: chatId, user_id: userId }));
    } catch (error) {
      // Telegram does not know them there.
      if (error instanceof BotApiError && error.code === 400) return false;
      throw error;
    }
  }

  return {
    isAdmin,
    async diagnose(chatId) {
      const { id, can_read_all_group_messages: readsAll } = await me();
      const member = await api.call('getChatMember', { chat_id: chatId, user_id: id });
      const isAdminHere = isAdminIn(member);
      // Members have the rights of the chat; those of a restricted one are their own.
      const chat =
        isAdminHere || member.status === 'restricted' ? undefined : await api.call('getChat', { chat_id: chatId });
      const rights: Partial<Member> = isAdminHere ? {} : (chat?.permissions ?? member);
      return [
        { key: 'sendMessages', ok: rights.can_send_messages !== false },
        { key: 'attachFiles', ok: rights.can_send_videos !== false && rights.can_send_photos !== false },
        { key: 'privacyMode', ok: readsAll || isAdminHere },
        // What only admins who were given the right may do; it is of no concern where they were not.
        ...(isAdminHere ? [{ key: 'deleteMessages' as const, ok: member.can_delete_messages !== false }] : []),
      ];
    },
  };
}

function isAdminIn({ status }: Member): boolean {
  return status === 'administrator' || status === 'creator';
}
