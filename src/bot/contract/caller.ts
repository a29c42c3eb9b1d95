/** The person who asked, and where. Ids are the platform's own, as text. */
export interface Caller {
  readonly platform: string;
  readonly userId: string;
  readonly chatId: string;
  readonly chatKind: 'private' | 'group';
  /** The chat's settings hang on this when several chats share them: a Discord guild. By default they hang on the chat itself. */
  readonly groupId?: string;
  /** The platform shows the chat to adults alone. */
  readonly isAgeRestricted?: boolean;
  /** The channel that a thread belongs to. */
  readonly parentChatId?: string;
  /** The caller may change this chat's settings. It is a function, called only when it matters, where finding out costs a request. */
  readonly isChatAdmin: boolean | (() => Promise<boolean>);
  /** The embed of a message can be hidden on this platform. */
  readonly hidesEmbeds?: boolean;
  /** A message of someone else can be deleted on this platform, so that an answer takes the place of its link. */
  readonly deletesLinks?: boolean;
  /** Links in quotes and forwarded messages are answered where the chat chose nothing. */
  readonly answersQuotes?: boolean;
  /** Others in a group do not see a reply that is for the caller. By default they do. */
  readonly answersAlone?: boolean;
  /** The address that adds Medley to a group of theirs, where the platform has one. */
  readonly inviteUrl?: () => Promise<string>;
  /** Finds out what Medley may do in this chat; called only when that is shown. */
  readonly diagnose?: () => readonly PermissionCheck[] | Promise<readonly PermissionCheck[]>;
  /** Their rate limit is counted by this key. */
  readonly rateKey: string;
  /** A key that they share with people beside them, with a far higher limit: in the web chat their network address. */
  readonly sharedRateKey?: string;
  /** Languages they prefer by what the platform says, best first; settings come before them. */
  readonly locales: readonly string[];
}

/** The parts of a caller that stored data hang on. */
export type CallerPlace = Pick<Caller, 'platform' | 'userId' | 'chatId' | 'chatKind' | 'groupId'>;

/** The key that everything about a person hangs on: settings, buttons, data. */
export function callerKey({ platform, userId }: Pick<Caller, 'platform' | 'userId'>): string {
  return `${platform}:${userId}`;
}

/** The key that everything about a chat hangs on, or about the group of chats that share their settings. */
export function chatKey({ platform, groupId, chatId }: Pick<Caller, 'platform' | 'groupId' | 'chatId'>): string {
  return `${platform}:${groupId ?? chatId}`;
}

/** Says whether Medley may do one thing in a chat. The languages name each thing, and how to allow it. */
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
