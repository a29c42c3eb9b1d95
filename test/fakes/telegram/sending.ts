import { badRequest } from './answer.ts';
import type { TelegramRequest } from './call.ts';
import type { FakeMessage, NewMessage } from './chats.ts';
import type { Stored } from './file-shelf.ts';
import {
  type Chat,
  captionShape,
  type FileKind,
  inputMediaShape,
  mediaFieldsShape,
  type Send,
  sendShape,
  textShape,
} from './shapes.ts';
import { type Method, renderMessage, type Stage } from './stage.ts';
import { parseText } from './text.ts';

interface Place {
  readonly chat: Chat;
  readonly replyTo: number | undefined;
  readonly threadId: number | undefined;
  readonly replyMarkup: unknown;
  readonly onlyFor: number | undefined;
}

/** Where the message goes, with everything that may be wrong about it said in the order of the real server. */
export function openPlace(stage: Stage, send: Send, kinds: readonly ('message' | FileKind)[]): Place {
  const { chats } = stage;
  const chat = chats.open(send.chat_id);
  for (const kind of kinds) checkRight(stage, chat, kind);
  if (send.message_thread_id !== undefined) chats.checkTopic(chat, send.message_thread_id);
  const reply = send.reply_parameters ?? legacyReply(send);
  let replied: FakeMessage | undefined;
  if (reply !== undefined) {
    replied = chats.find(chat.id, reply.message_id);
    if (replied === undefined && reply.allow_sending_without_reply !== true) {
      throw badRequest('message to be replied not found');
    }
  }
  return {
    chat,
    replyTo: replied?.messageId,
    threadId: replied?.threadId ?? send.message_thread_id,
    replyMarkup: send.reply_markup,
    onlyFor: receiverIn(stage, chat, send),
  };
}

/** Ephemeral messages are for members of groups; the bot sees them in supergroups as well. */
function receiverIn({ chats }: Stage, chat: Chat, send: Send): number | undefined {
  const receiver = send.ephemeral_message_parameters?.receiver_user_id;
  if (receiver === undefined) return undefined;
  if (chat.type !== 'group' && chat.type !== 'supergroup') throw badRequest('ephemeral messages need a group');
  if (chats.member(chat.id, receiver) === undefined) throw badRequest('PARTICIPANT_ID_INVALID');
  return receiver;
}

/** A restricted bot has rights of its own, a plain member those of the chat, an administrator all. */
function checkRight({ chats, me }: Stage, chat: Chat, kind: 'message' | FileKind): void {
  const member = chats.member(chat.id, me.id);
  const rights = member?.status === 'restricted' ? member.rights : member?.status === 'member' ? chat.permissions : {};
  const right = kind === 'animation' ? 'can_send_other_messages' : `can_send_${kind}s`;
  if (rights?.[right] !== false) return;
  throw badRequest(`not enough rights to send ${kind === 'message' ? 'text messages' : `${kind}s`} to the chat`);
}

function legacyReply(send: Send): Send['reply_parameters'] {
  if (send.reply_to_message_id === undefined) return undefined;
  return {
    message_id: send.reply_to_message_id,
    allow_sending_without_reply: send.allow_sending_without_reply ?? false,
  };
}

export function put(stage: Stage, place: Place, message: Omit<NewMessage, 'byBot'>): FakeMessage {
  const { chat, replyTo, threadId, replyMarkup, onlyFor } = place;
  return stage.chats.put(chat.id, { byBot: true, replyTo, threadId, replyMarkup, onlyFor, ...message });
}

const sendMessage: Method = ({ params }, stage) => {
  const content = textShape.parse(params);
  const parsed = parseText(content.text, content.parse_mode, content.entities);
  const place = openPlace(stage, sendShape.parse(params), ['message']);
  stage.pace.spend(place.chat, 1);
  return renderMessage(stage, put(stage, place, parsed));
};

function sendFile(kind: FileKind): Method {
  return async (call, stage) => {
    const { params, files: uploads } = call;
    const caption = captionShape.parse(params);
    const parsed = parseText(caption.caption ?? '', caption.parse_mode, caption.caption_entities);
    const place = openPlace(stage, sendShape.parse(params), [kind]);
    const source = params[kind];
    if (source !== undefined && typeof source !== 'string') throw badRequest(`there is no ${kind} in the request`);
    const about = mediaFieldsShape.parse(params);
    const file = await stage.shelf.take({ kind, value: source, field: kind, uploads });
    const thumbnail = await takeThumbnail(stage, call, about.thumbnail);
    stage.pace.spend(place.chat, 1);
    const captioned = parsed.text === '' ? {} : { caption: parsed.text, entities: parsed.entities };
    return renderMessage(stage, put(stage, place, { ...captioned, file, about: aboutFile(about), thumbnail }));
  };
}

/** Of an album, as the server says it of the first file that it cannot have. */
function unfetched(index: number): Error {
  return badRequest(`failed to send message #${index + 1} with the error message "WEBPAGE_CURL_FAILED"`);
}

const sendMediaGroup: Method = async (call, stage) => {
  const { params, files: uploads } = call;
  const items = inputMediaShape.array().parse(params.media);
  const kinds = items.map(({ type }) => type);
  const place = openPlace(stage, sendShape.parse(params), kinds);
  stage.pace.spend(place.chat, items.length);
  const group: Omit<NewMessage, 'byBot'>[] = [];
  const mediaGroupId = String(14_000_000_000_000 + stage.chats.messages.size);
  for (const [index, item] of items.entries()) {
    const parsed = parseText(item.caption ?? '', item.parse_mode, item.caption_entities);
    const captioned = parsed.text === '' ? {} : { caption: parsed.text, entities: parsed.entities };
    const source = { kind: item.type, value: item.media, field: 'media', uploads, keepKind: true };
    const file = await stage.shelf.take(source).catch((error: unknown) => {
      throw /^https?:/.test(item.media) ? unfetched(index) : error;
    });
    const thumbnail = await takeThumbnail(stage, call, item.thumbnail);
    group.push({ ...captioned, file, thumbnail, about: aboutFile(item), mediaGroupId });
  }
  return group.map(message => renderMessage(stage, put(stage, place, message)));
};

/** Thumbnails come as files of the same request only; anything else is ignored, as the real server does. */
export async function takeThumbnail(
  stage: Stage,
  { files: uploads, method }: TelegramRequest,
  value: string | undefined,
): Promise<Stored | undefined> {
  const attached = value?.startsWith('attach://') === true;
  if (!attached && !uploads.some(file => file.field === 'thumbnail')) {
    if (value !== undefined) stage.problem(`${method}: a thumbnail is only taken as a file of the same request`);
    return undefined;
  }
  return stage.shelf.take({ kind: 'photo', value, field: 'thumbnail', uploads });
}

const KEPT = ['width', 'height', 'duration', 'supports_streaming', 'has_spoiler'] as const;

/** What is remembered of what the bot says about a file. */
export function aboutFile(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(KEPT.filter(key => fields[key] !== undefined).map(key => [key, fields[key]]));
}

const ACTIONS = new Set([
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'upload_document',
  'choose_sticker',
]);

const sendChatAction: Method = ({ params }, stage) => {
  const { chat_id, message_thread_id } = sendShape.parse(params);
  const chat = stage.chats.open(chat_id);
  if (chat.type === 'channel') throw badRequest('chat actions are not shown in channels');
  if (message_thread_id !== undefined) stage.chats.checkTopic(chat, message_thread_id);
  if (!ACTIONS.has(String(params.action))) throw badRequest('wrong parameter action in request');
  return true;
};

export const SENDING: Readonly<Record<string, Method>> = {
  sendMessage,
  sendMediaGroup,
  sendChatAction,
  sendPhoto: sendFile('photo'),
  sendVideo: sendFile('video'),
  sendAnimation: sendFile('animation'),
  sendDocument: sendFile('document'),
  sendAudio: sendFile('audio'),
};
