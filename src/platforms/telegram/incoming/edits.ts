import type { Draft } from '../../../bot/runtime/chat-platform.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { TelegramReplyTo } from '../reply-to.ts';
import type { EventIds } from './envelope.ts';
import type { ReadMessage } from './message-draft.ts';
import type { Message } from './updates.ts';

/** Links that come into a message by an edit are answered, those that were in it before are not answered again. */
export interface Edits {
  /** What the edit asks of Medley; undefined when it adds no link. */
  read(message: Message): Promise<Draft<TelegramReplyTo> | undefined>;
  /** Remembers what was accepted, so that an edit of it is known. */
  accepted(draft: Draft<TelegramReplyTo>): void;
}

export interface EditsOptions {
  readonly readMessage: ReadMessage;
  readonly eventIds: EventIds;
  readonly now: () => number;
}

/** Telegram reports changes that bots cannot see as edits too; those of old messages are none that a person waits for. */
const EDITABLE_MS = 3_600_000;
const MAX_MESSAGES = 10_000;

export function createEdits({ readMessage, eventIds, now }: EditsOptions): Edits {
  /** By message, in memory alone: after a restart the message's own event id tells whether it was answered. */
  const answered = createLru<string, ReadonlySet<string>>({ max: MAX_MESSAGES, ttl: EDITABLE_MS, perf: { now } });

  return {
    async read(message) {
      if (now() - message.date * 1_000 > EDITABLE_MS) return undefined;
      const draft = await readMessage(message);
      if (draft?.kind !== 'links') return undefined;
      const known = answered.get(keyOf(draft.replyTo));
      if (known === undefined) return draft;
      const added = draft.what.filter(({ url }) => !known.has(url));
      if (added.length === 0) return undefined;
      const { chat, message_id: id } = message;
      // Whether those before were brought is not known here, so the message is not to be deleted for those that were added.
      const { isOnlyLinks: _, ...replyTo } = draft.replyTo;
      return { ...draft, what: added, replyTo, eventId: eventIds(chat.id, id, ...added.map(({ url }) => url)) };
    },
    accepted({ replyTo, ...draft }) {
      if (replyTo.message === undefined) return;
      const key = keyOf(replyTo);
      const links = draft.kind === 'links' ? draft.what.map(({ url }) => url) : [];
      answered.set(key, new Set([...(answered.get(key) ?? []), ...links]));
    },
  };
}

function keyOf({ chat, message }: TelegramReplyTo): string {
  return `${chat} ${message}`;
}
