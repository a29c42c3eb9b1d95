/** A person in a chat; ids are the platform's own. */
export interface Place {
  readonly platform: string;
  readonly userId: string;
  readonly chatId: string;
  readonly chatKind: 'private' | 'group';
  /** What the chat's settings hang on when several chats share them. */
  readonly groupId?: string;
}

/** Under which all about a person is kept. */
export function personKey({ platform, userId }: Pick<Place, 'platform' | 'userId'>): string {
  return `${platform}:${userId}`;
}

/** Under which all about a chat is kept that goes for the whole group. */
export function groupKey({ platform, groupId, chatId }: Pick<Place, 'platform' | 'groupId' | 'chatId'>): string {
  return `${platform}:${groupId ?? chatId}`;
}
