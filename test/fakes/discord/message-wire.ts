import { Flags } from './message-body.ts';
import type { ChatMessage, ReceivedFile } from './records.ts';
import { attachmentWire, userWire, type Wire } from './wire.ts';

/** An attachment's flag. */
const SPOILER = 1 << 3;

export interface HeldFile extends ReceivedFile {
  readonly id: string;
  readonly description: string | undefined;
  readonly spoiler: boolean;
}

export interface StoredMessage extends ChatMessage {
  body: Record<string, unknown>;
  files: readonly HeldFile[];
  deleted: boolean;
  edits: unknown[];
  flags: number;
  editedAt: number | undefined;
  readonly createdAt: number;
  readonly fromBot: boolean;
  readonly mentionIds: readonly string[];
  /** Fields Discord adds that nobody asked for: type, webhook_id, interaction_metadata ... */
  readonly extra: Wire;
}

export interface MessageView {
  readonly botUserId: string;
  readonly cdnUrl: string;
}

/** A message as Discord answers with it. */
export function messageWire(message: StoredMessage, view: MessageView): Wire {
  const author = userWire(message.authorId, message.fromBot);
  const { body } = message;
  const suppressed = (message.flags & Flags.suppressEmbeds) !== 0;
  return {
    id: message.id,
    channel_id: message.channelId,
    author,
    content: body.content ?? '',
    timestamp: new Date(message.createdAt).toISOString(),
    edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
    tts: false,
    mention_everyone: false,
    mentions: message.mentionIds.map(id => userWire(id, id === view.botUserId)),
    mention_roles: [],
    attachments: message.own
      ? message.files.map(file => attachment(message.channelId, file, view))
      : (body.attachments ?? []),
    embeds: suppressed ? [] : (body.embeds ?? []),
    components: resolveMedia(body.components ?? [], message, view),
    pinned: false,
    type: 0,
    flags: message.flags,
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...message.extra,
  };
}

function attachment(channelId: string, file: HeldFile, view: MessageView): Wire {
  const base = attachmentWire(view.cdnUrl, channelId, file.id, file);
  return {
    ...base,
    ...(file.description === undefined ? {} : { description: file.description }),
    ...(file.spoiler || file.name.startsWith('SPOILER_') ? { flags: SPOILER } : {}),
  };
}

/** `attachment://name` becomes the address the file got, as in every answer of Discord's. */
function resolveMedia(value: unknown, message: StoredMessage, view: MessageView): unknown {
  if (Array.isArray(value)) return value.map(each => resolveMedia(each, message, view));
  if (typeof value !== 'object' || value === null) return value;
  const resolved = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolveMedia(each, message, view)]),
  );
  if (typeof resolved.url !== 'string' || !resolved.url.startsWith('attachment://')) return resolved;
  const name = resolved.url.slice('attachment://'.length);
  const file = message.files.find(each => each.name === name);
  if (file === undefined) return resolved;
  const { url, proxy_url, content_type } = attachment(message.channelId, file, view);
  return { ...resolved, url, proxy_url, content_type, attachment_id: file.id, width: 640, height: 360 };
}
