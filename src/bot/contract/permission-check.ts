/** Whether Medley may do one thing in a chat. What each is called, and how to mend it, is said in every language. */
export interface PermissionCheck {
  readonly key: PermissionCheckKey;
  readonly ok: boolean;
}

export type PermissionCheckKey =
  /** Write here, which on Discord takes seeing the channel too. */
  | 'sendMessages'
  /** Send photos and videos. */
  | 'attachFiles'
  /** Answer a message as a reply: Discord's Read Message History. */
  | 'readHistory'
  /** Hide the embed of the message that was answered: Discord's Manage Messages. */
  | 'manageMessages'
  /** Delete messages of others: Telegram's right of an admin. */
  | 'deleteMessages'
  /** See what is pasted: Discord's privileged intent. */
  | 'messageContent'
  /** See what is pasted: ok when Telegram's privacy mode is off, or Medley is an admin of the group. */
  | 'privacyMode'
  /** Answer where everyone sees it although a person alone installed Medley: Discord's Use External Apps. */
  | 'useExternalApps';
