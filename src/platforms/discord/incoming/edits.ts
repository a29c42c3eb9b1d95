import { SnowflakeUtil } from 'discord.js';
import { createEditedLinks, EDITABLE_MS } from '../../../bot/answer/read.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import { stableId } from '../api/ids.ts';
import type { DiscordReplyTo } from '../api/reply-to.ts';
import type { DiscordContext } from '../outgoing/context.ts';
import { isRecord } from './is-record.ts';
import { readMessage } from './messages.ts';

/** Links that come into a message by an edit. */
export interface Edits {
  /** What the edit asks of Medley; undefined when it adds no link. @throws ZodError for what is no message */
  read(data: unknown): Promise<NewRequest<DiscordReplyTo> | undefined>;
  /** Remembers what was accepted, so that an edit of it is known. */
  accepted(draft: NewRequest<DiscordReplyTo>): void;
}

export function createEdits(context: DiscordContext): Edits {
  const answered = createEditedLinks(context);

  return {
    async read(data) {
      const draft = await readMessage(data, context);
      if (draft?.kind !== 'links' || draft.replyTo.kind !== 'message') return undefined;
      const { messageId } = draft.replyTo;
      const { links, isKnown } = answered.added(messageId, draft.what);
      if (!isKnown) return draft;
      if (links.length === 0) return undefined;
      const eventId = stableId([messageId, ...links.map(({ url }) => url)].join(' '));
      // Whether the links before were brought is not known here, so the embeds of the message stay.
      const replyTo = { ...draft.replyTo, isOnlyLinks: false, editId: eventId };
      return { ...draft, what: links, replyTo, eventId };
    },
    accepted(draft) {
      if (draft.replyTo.kind === 'message') answered.accepted(draft.replyTo.messageId, draft);
    },
  };
}

/** Whether a MESSAGE_UPDATE may be an edit by a person, of a message that is not old: Discord itself adds embeds by updates too. */
export function isEdit(data: unknown, now: number): boolean {
  if (!isRecord(data) || typeof data.edited_timestamp !== 'string' || !isRecord(data.author)) return false;
  const { id } = data;
  return typeof id === 'string' && /^\d+$/.test(id) && now - SnowflakeUtil.timestampFrom(id) < EDITABLE_MS;
}
