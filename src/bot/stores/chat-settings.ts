import { type Caller, callerKey, chatKey } from '../contract/caller.ts';
import type { Services } from '../contract/services.ts';
import type { ChatSettings } from '../contract/settings.ts';
import type { Site } from '../contract/site-name.ts';
import { CHAT_DEFAULTS } from './settings.ts';

/** Nothing is hidden from anyone, or deleted, by mistake. */
const UNREADABLE: ChatSettings = { ...CHAT_DEFAULTS, suppressEmbeds: false, noticeSeconds: 0 };

type Place = Pick<Caller, 'platform' | 'userId' | 'groupId' | 'chatId' | 'chatKind'>;

/**
 * The settings of the caller's chat. Private chats have none beside the person's own, and no notices that others need not see.
 * @throws AppError `internal` when it cannot be read
 */
export async function chatSettingsOf({ settings }: Pick<Services, 'settings'>, caller: Place): Promise<ChatSettings> {
  if (caller.chatKind === 'group') return settings.chat(chatKey(caller));
  const { view } = await settings.user(callerKey(caller));
  return { ...CHAT_DEFAULTS, noticeSeconds: 0, view: view ?? CHAT_DEFAULTS.view };
}

/** The same for those who must go on: what cannot be read is as it is by default, but that nothing is hidden or deleted. */
export async function readableChatSettings(
  services: Pick<Services, 'settings'>,
  caller: Place,
  onUnreadable: (error: unknown) => void,
): Promise<ChatSettings> {
  try {
    return await chatSettingsOf(services, caller);
  } catch (error) {
    onUnreadable(error);
    return UNREADABLE;
  }
}

/** Tells whether pasted links are answered in the caller's channel, by the rules for channels. A thread goes by its channel too. */
export function isChannelOn(
  { offChannels, onlyChannels }: Pick<ChatSettings, 'offChannels' | 'onlyChannels'>,
  { chatId, parentChatId }: Pick<Caller, 'chatId' | 'parentChatId'>,
): boolean {
  const isNamed = (channels: readonly string[]) =>
    channels.includes(chatId) || (parentChatId !== undefined && channels.includes(parentChatId));
  return !isNamed(offChannels) && (onlyChannels.length === 0 || isNamed(onlyChannels));
}

/** Tells whether pasted links of a site are answered in a group: as its admins chose, else by the site's default. */
export function isSiteOn({ sources }: Pick<ChatSettings, 'sources'>, { id, onInGroups }: Site): boolean {
  return sources[id] ?? onInGroups === true;
}

/** Tells whether posts that are marked as sensitive are shown in the caller's chat. */
export function showsSensitive({ sensitive }: Pick<ChatSettings, 'sensitive'>, caller: Caller): boolean {
  if (caller.chatKind === 'private' || sensitive === 'spoiler') return true;
  return sensitive === 'restricted' && caller.isAgeRestricted === true;
}

/** Tells whether the caller may decide for this chat; in a private one everybody decides for themselves. */
export async function decidesForChat({ chatKind, isChatAdmin }: Caller): Promise<boolean> {
  if (chatKind === 'private') return true;
  return typeof isChatAdmin === 'boolean' ? isChatAdmin : isChatAdmin();
}
