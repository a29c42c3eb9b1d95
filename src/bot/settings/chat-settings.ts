import { type Caller, chatKey, type Services } from '../command.ts';
import { CHAT_DEFAULTS, type ChatSettings } from './settings.ts';

/** What goes for the caller's chat. Private chats have no settings beside the person's own. */
export function chatSettingsOf({ settings }: Pick<Services, 'settings'>, caller: Caller): ChatSettings {
  return caller.chatKind === 'group' ? settings.chat(chatKey(caller)) : CHAT_DEFAULTS;
}
