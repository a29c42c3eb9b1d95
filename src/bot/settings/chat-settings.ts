import { type Caller, chatKey, type Services } from '../command.ts';
import { CHAT_DEFAULTS, type ChatSettings } from './settings.ts';

/** Nothing is hidden from anyone by mistake. */
const UNREADABLE: ChatSettings = { ...CHAT_DEFAULTS, suppressEmbeds: false };

/**
 * What goes for the caller's chat. Private chats have no settings beside the person's own.
 * @throws AppError `internal` when it cannot be read
 */
export async function chatSettingsOf(
  { settings }: Pick<Services, 'settings'>,
  caller: Pick<Caller, 'platform' | 'groupId' | 'chatId' | 'chatKind'>,
): Promise<ChatSettings> {
  return caller.chatKind === 'group' ? settings.chat(chatKey(caller)) : CHAT_DEFAULTS;
}

/** The same for those who must go on: what cannot be read is as it is by default, but that nothing is hidden. */
export async function readableChatSettings(
  services: Pick<Services, 'settings'>,
  caller: Parameters<typeof chatSettingsOf>[1],
  onUnreadable: (error: unknown) => void,
): Promise<ChatSettings> {
  try {
    return await chatSettingsOf(services, caller);
  } catch (error) {
    onUnreadable(error);
    return UNREADABLE;
  }
}

/** Whether the caller may decide for this chat; in a private one everybody decides for themselves. */
export async function decidesForChat({ chatKind, isChatAdmin }: Caller): Promise<boolean> {
  if (chatKind === 'private') return true;
  return typeof isChatAdmin === 'boolean' ? isChatAdmin : isChatAdmin();
}
