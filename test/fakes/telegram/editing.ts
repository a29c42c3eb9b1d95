import { z } from 'zod';
import { badRequest } from './answer.ts';
import type { TelegramRequest } from './call.ts';
import type { FakeMessage } from './chats.ts';
import type { InlineMessage } from './inline.ts';
import { aboutFile, takeThumbnail } from './sending.ts';
import {
  captionShape,
  chatIdShape,
  editTargetShape,
  inputMediaShape,
  messageTargetShape,
  textShape,
} from './shapes.ts';
import { type Method, renderMessage, type Stage } from './stage.ts';
import { parseText } from './text.ts';

type Content = Pick<InlineMessage, 'text' | 'caption' | 'entities' | 'file' | 'about' | 'replyMarkup'>;

interface Target {
  readonly now: Content;
  readonly isInline: boolean;
  /** Puts the new content there, unless nothing changed. */
  change(content: Partial<Content>): unknown;
}

function findTarget({ params }: TelegramRequest, stage: Stage): Target {
  const { chat_id, message_id, inline_message_id, reply_markup } = editTargetShape.parse(params);
  if (inline_message_id !== undefined) {
    const message = stage.inline.messages.get(inline_message_id);
    if (message === undefined) throw badRequest('MESSAGE_ID_INVALID');
    return {
      now: message,
      isInline: true,
      change: content => {
        apply(message, { ...content, replyMarkup: reply_markup });
        return true;
      },
    };
  }
  if (chat_id === undefined || message_id === undefined) throw badRequest('message identifier is not specified');
  const chat = stage.chats.open(chat_id);
  const message = stage.chats.find(chat.id, message_id);
  if (message === undefined) throw badRequest('message to edit not found');
  if (!message.byBot) throw badRequest("message can't be edited");
  return {
    now: message,
    isInline: false,
    change: content => {
      apply(message, { ...content, replyMarkup: reply_markup });
      return renderMessage(stage, message);
    },
  };
}

function apply(message: FakeMessage | InlineMessage, content: Partial<Content>): void {
  const before = contentOf(message);
  Object.assign(message, content);
  if (JSON.stringify(contentOf(message)) === JSON.stringify(before)) {
    const same = 'specified new message content and reply markup are exactly the same as a current content';
    throw badRequest(`message is not modified: ${same} and reply markup of the message`);
  }
  message.edits++;
}

function contentOf(message: Content): unknown {
  const { text, caption, entities, file, replyMarkup } = message;
  return [text, caption, entities, file?.fileId, replyMarkup ?? null];
}

const editMessageText: Method = (call, stage) => {
  const target = findTarget(call, stage);
  const content = textShape.parse(call.params);
  if (target.now.file !== undefined) throw badRequest('there is no text in the message to edit');
  return target.change(parseText(content.text, content.parse_mode, content.entities));
};

const editMessageCaption: Method = (call, stage) => {
  const target = findTarget(call, stage);
  const { caption, caption_entities, parse_mode } = captionShape.parse(call.params);
  if (target.now.file === undefined) throw badRequest('there is no caption in the message to edit');
  const parsed = parseText(caption ?? '', parse_mode, caption_entities);
  return target.change({ caption: parsed.text === '' ? undefined : parsed.text, entities: parsed.entities });
};

const editMessageReplyMarkup: Method = (call, stage) => findTarget(call, stage).change({});

const editMessageMedia: Method = async (call, stage) => {
  const target = findTarget(call, stage);
  const media = inputMediaShape.parse(call.params.media);
  if (target.isInline && (call.files.length > 0 || media.media.startsWith('attach://'))) {
    stage.problem('editMessageMedia: an inline message takes no new files');
    throw badRequest('new files cannot be uploaded when an inline message is edited');
  }
  const source = { kind: media.type, value: media.media, field: 'media', uploads: call.files };
  const file = await stage.shelf.take(source);
  await takeThumbnail(stage, call, media.thumbnail);
  const parsed = parseText(media.caption ?? '', media.parse_mode, media.caption_entities);
  return target.change({
    file,
    about: aboutFile(media),
    text: undefined,
    caption: parsed.text === '' ? undefined : parsed.text,
    entities: parsed.entities,
  });
};

const OLDEST_DELETED_MS = 48 * 3_600_000;

function remove(stage: Stage, chatId: number | string, messageId: number): boolean {
  const chat = stage.chats.open(chatId);
  const message = stage.chats.find(chat.id, messageId);
  if (message === undefined) throw badRequest('message to delete not found');
  const mayDeleteOthers = stage.chats.member(chat.id, stage.me.id)?.rights.can_delete_messages === true;
  const mine = message.byBot || chat.type === 'private' || mayDeleteOthers;
  if (!mine || stage.now() - message.at > OLDEST_DELETED_MS) throw badRequest("message can't be deleted");
  message.deleted = true;
  return true;
}

const deleteMessage: Method = ({ params }, stage) => {
  const { chat_id, message_id } = messageTargetShape.parse(params);
  return remove(stage, chat_id, message_id);
};

const deleteMessages: Method = ({ params }, stage) => {
  const { chat_id, message_ids } = z.looseObject({ chat_id: chatIdShape, message_ids: z.array(z.int()) }).parse(params);
  const chat = stage.chats.open(chat_id);
  for (const id of message_ids) {
    if (stage.chats.find(chat.id, id) !== undefined) remove(stage, chat.id, id);
  }
  return true;
};

const setMessageReaction: Method = ({ params }, stage) => {
  const { chat_id, message_id } = messageTargetShape.parse(params);
  const reaction =
    z
      .array(z.looseObject({ type: z.string() }))
      .optional()
      .parse(params.reaction) ?? [];
  const message = stage.chats.find(stage.chats.open(chat_id).id, message_id);
  if (message === undefined) throw badRequest('message to react not found');
  if (reaction.length > 1) {
    stage.problem('setMessageReaction: a bot sets at most one reaction');
    throw badRequest('REACTIONS_TOO_MANY');
  }
  message.reactions = reaction;
  return true;
};

export const EDITING: Readonly<Record<string, Method>> = {
  editMessageText,
  editMessageCaption,
  editMessageReplyMarkup,
  editMessageMedia,
  deleteMessage,
  deleteMessages,
  setMessageReaction,
};
