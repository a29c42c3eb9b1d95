import type { TelegramRequest } from './call.ts';
import type { Chats, FakeMessage } from './chats.ts';
import { type FileShelf, uniqueIdOf } from './file-shelf.ts';
import type { Inline } from './inline.ts';
import type { Pace } from './pace.ts';
import type { Chat, Command, User } from './shapes.ts';
import type { Updates } from './updates.ts';

/** What the methods of the Bot API act upon. */
export interface Stage {
  readonly me: User;
  readonly chats: Chats;
  readonly shelf: FileShelf;
  readonly updates: Updates;
  readonly inline: Inline;
  readonly pace: Pace;
  /** By `scope language`, as `all_private_chats id` or `default `. */
  readonly commands: Map<string, readonly Command[]>;
  /** A Bot API server of one's own: plain webhooks on any port. */
  readonly isLocal: boolean;
  /** Knows rich messages. */
  readonly isRich: boolean;
  readonly now: () => number;
  /** Notes what a correct bot never does. */
  problem(what: string): void;
}

/** @returns what stands in `result`. */
export type Method = (call: TelegramRequest, stage: Stage) => unknown;

/** The message as the Bot API would give it. */
export function renderMessage(stage: Stage, message: FakeMessage, isInner = false): Record<string, unknown> {
  if (message.received !== undefined) {
    const { reply_to_message: _outer, ...received } = message.received;
    return isInner ? received : message.received;
  }
  const { chats, me } = stage;
  const chat: Chat = chats.get(message.chatId);
  const replied =
    message.replyTo === undefined || isInner ? undefined : chats.messages.get(`${chat.id}:${message.replyTo}`);
  return {
    ...(message.onlyFor === undefined
      ? { message_id: message.messageId }
      : { message_id: 0, ephemeral_message_id: message.messageId }),
    from: me,
    chat,
    date: Math.floor(message.at / 1000),
    ...(message.edits > 0 ? { edit_date: Math.floor(stage.now() / 1000) } : {}),
    ...(message.threadId === undefined ? {} : { message_thread_id: message.threadId, is_topic_message: true }),
    ...(replied === undefined ? {} : { reply_to_message: renderMessage(stage, replied, true) }),
    ...(message.mediaGroupId === undefined ? {} : { media_group_id: message.mediaGroupId }),
    ...(message.text === undefined ? {} : { text: message.text, entities: message.entities }),
    ...(message.caption === undefined ? {} : { caption: message.caption, caption_entities: message.entities }),
    ...(message.replyMarkup === undefined ? {} : { reply_markup: message.replyMarkup }),
    ...(message.rich === undefined ? {} : { rich_message: { blocks: message.rich.blocks } }),
    ...renderFile(message),
  };
}

/** Large videos are not looked into: without what the bot says about them they are square and zero seconds long. */
const PROBED_BYTES = 10_000_000;

export function renderFile({
  file,
  about,
  thumbnail,
}: Pick<FakeMessage, 'file' | 'about' | 'thumbnail'>): Record<string, unknown> {
  if (file === undefined) return {};
  const held = { file_id: file.fileId, file_unique_id: uniqueIdOf(file), file_size: file.bytes };
  if (file.kind === 'photo') return { photo: [{ ...held, width: 640, height: 640 }] };
  const probed = file.bytes <= PROBED_BYTES;
  const shown = {
    ...held,
    file_name: file.name,
    mime_type: file.kind === 'audio' ? 'audio/mpeg' : 'video/mp4',
    ...(thumbnail === undefined
      ? {}
      : { thumbnail: { file_id: thumbnail.fileId, file_unique_id: uniqueIdOf(thumbnail), width: 180, height: 320 } }),
  };
  const moving = {
    ...shown,
    width: about.width ?? (probed ? 720 : 320),
    height: about.height ?? (probed ? 1280 : 320),
    duration: about.duration ?? (probed ? 1 : 0),
  };
  if (file.kind === 'animation') return { animation: moving, document: shown };
  return { [file.kind]: file.kind === 'video' ? moving : shown };
}
