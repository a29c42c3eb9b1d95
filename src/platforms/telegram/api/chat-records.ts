import { chatKey, type PermissionCheck } from '../../../bot/contract/request.ts';
import type { SettingsStore } from '../../../bot/contract/settings.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from './bot-api.ts';
import { BotApiError } from './bot-api-error.ts';
import type { Me, Member } from './methods.ts';

export type ChatRecords = ReturnType<typeof createChatRecords>;

/** Looks up the rights of people and of Medley in groups, and records that chats moved, were left or were joined. */
export function createChatRecords(
  api: BotApi,
  askMe: () => Promise<Me>,
  settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>,
  log: Pick<Logger, 'warn'>,
  now: () => number,
) {
  async function isAdmin(chatId: number, userId: number): Promise<boolean> {
    try {
      return isAdminIn(await api.call('getChatMember', { chat_id: chatId, user_id: userId }));
    } catch (error) {
      // Telegram answers 400 about a person who has never been in that chat, and who is therefore no admin.
      if (error instanceof BotApiError && error.code === 400) return false;
      throw error;
    }
  }

  /** Lists the permissions that Medley has in a group, and those that it lacks. */
  async function diagnose(chatId: number): Promise<readonly PermissionCheck[]> {
    const { id, can_read_all_group_messages: readsAll } = await askMe();
    const member = await api.call('getChatMember', { chat_id: chatId, user_id: id });
    const isAdminHere = isAdminIn(member);
    // Ordinary members have the permissions of the chat; restricted ones have permissions of their own.
    const hasOwnRights = isAdminHere || member.status === 'restricted';
    const chat = hasOwnRights ? undefined : await api.call('getChat', { chat_id: chatId });
    const rights: Partial<Member> = isAdminHere ? {} : (chat?.permissions ?? member);
    return [
      { key: 'sendMessages', ok: rights.can_send_messages !== false },
      { key: 'attachFiles', ok: rights.can_send_videos !== false && rights.can_send_photos !== false },
      { key: 'privacyMode', ok: readsAll || isAdminHere },
      // Only admins can have the right to delete messages, so it is listed only if Medley is an admin.
      ...(isAdminHere ? [{ key: 'deleteMessages' as const, ok: member.can_delete_messages !== false }] : []),
    ];
  }

  /** Logs a failure of the store, which must not prevent an answer. */
  const logged = (write: Promise<void>) =>
    write.catch((error: unknown) => log.warn({ err: error }, 'the settings of a chat could not be kept'));

  const keyOf = (chat: number) => chatKey({ platform: 'telegram', chatId: `${chat}` });

  return {
    isAdmin,
    diagnose,
    /** To be called when the group `from` has become the supergroup `to`. */
    moved: (from: number, to: number) => logged(settings.moveChat(keyOf(from), keyOf(to))),
    /** To be called when Medley was removed from the chat. */
    left: (chat: number) => logged(settings.markChatLeft(keyOf(chat), now())),
    /** To be called when Medley was added to the chat, whether or not it had been there before. */
    joined: (chat: number) => logged(settings.markChatLeft(keyOf(chat), null)),
  };
}

function isAdminIn({ status }: Member): boolean {
  return status === 'administrator' || status === 'creator';
}
