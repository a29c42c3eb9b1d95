import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import { type EventIds, placeOf, speakerOf } from '../api/envelope.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import type { MyChatMember } from '../api/updates.ts';

/** The command that greets a group Medley was just added to; undefined for every other change. */
export function joinedGroup(change: MyChatMember, eventIds: EventIds): NewRequest<TelegramReplyTo> | undefined {
  const { chat, from, date, old_chat_member: before, new_chat_member: now } = change;
  const isGroup = chat.type === 'group' || chat.type === 'supergroup';
  if (!isGroup || isAway(now) || !isAway(before)) return undefined;
  // Anonymous admins come as a bot, and any other bot may add this one: the group's own language counts then.
  const speaker = speakerOf({ from, chat }) ?? speakerOf({ chat, sender_chat: { id: chat.id } });
  if (speaker === undefined) return undefined;
  return {
    kind: 'command',
    what: { name: 'welcome', options: {} },
    ...speaker,
    eventId: eventIds('joined', chat.id, date),
    replyTo: placeOf({ chat, is_topic_message: false }),
  };
}

/** Whether Medley is not, or no longer, in the chat. */
export function isAway({ status, is_member: isMember }: MyChatMember['new_chat_member']): boolean {
  return status === 'left' || status === 'kicked' || (status === 'restricted' && isMember === false);
}
