import { createEditedLinks, EDITABLE_MS } from '../../../bot/answer/read.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { EventIds } from '../api/envelope.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import type { Message } from '../api/updates.ts';
import type { ReadMessage } from './message-draft.ts';

/** Links that come into a message by an edit are answered, those that were in it before are not answered again. */
export interface Edits {
  /** What the edit asks of Medley; undefined when it adds no link. */
  read(message: Message): Promise<NewRequest<TelegramReplyTo> | undefined>;
  /** Remembers what was accepted, so that an edit of it is known. */
  accepted(draft: NewRequest<TelegramReplyTo>): void;
}

export interface EditsOptions {
  readonly readMessage: ReadMessage;
  readonly eventIds: EventIds;
  readonly now: () => number;
}

export function createEdits({ readMessage, eventIds, now }: EditsOptions): Edits {
  const answered = createEditedLinks({ now });

  return {
    async read(message) {
      if (now() - message.date * 1_000 > EDITABLE_MS) return undefined;
      const draft = await readMessage(message);
      if (draft?.kind !== 'links') return undefined;
      const { links: added, isKnown } = answered.added(keyOf(draft.replyTo), draft.what);
      if (!isKnown) return draft;
      if (added.length === 0) return undefined;
      const { chat, message_id: id } = message;
      // Whether those before were brought is not known here, so the message is not to be deleted for those that were added.
      const { isOnlyLinks: _, ...replyTo } = draft.replyTo;
      return { ...draft, what: added, replyTo, eventId: eventIds(chat.id, id, ...added.map(({ url }) => url)) };
    },
    accepted({ replyTo, ...draft }) {
      if (replyTo.message !== undefined) answered.accepted(keyOf(replyTo), draft);
    },
  };
}

function keyOf({ chat, message }: TelegramReplyTo): string {
  return `${chat} ${message}`;
}
