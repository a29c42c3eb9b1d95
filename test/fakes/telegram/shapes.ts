/** What the bot may send, as far as the fake acts on it; anything else is left to the specification. */
import { z } from 'zod';

export const chatIdShape = z.union([z.int(), z.string().min(1)]);

export const entityShape = z.looseObject({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  url: z.string().optional(),
});
export type Entity = z.infer<typeof entityShape>;

const buttonShape = z.looseObject({
  text: z.string(),
  callback_data: z.string().optional(),
  url: z.string().optional(),
});

export const keyboardShape = z.looseObject({ inline_keyboard: z.array(z.array(buttonShape)) });
export type Keyboard = z.infer<typeof keyboardShape>;

const markupShape = z.union([keyboardShape, z.looseObject({})]);

const replyShape = z.looseObject({
  message_id: z.int(),
  chat_id: chatIdShape.optional(),
  allow_sending_without_reply: z.boolean().optional(),
  quote: z.string().optional(),
});

/** Common to everything that puts a message into a chat. */
export const sendShape = z.looseObject({
  chat_id: chatIdShape,
  message_thread_id: z.int().optional(),
  reply_parameters: replyShape.optional(),
  reply_to_message_id: z.int().optional(),
  allow_sending_without_reply: z.boolean().optional(),
  reply_markup: markupShape.optional(),
  parse_mode: z.string().optional(),
  ephemeral_message_parameters: z.looseObject({ receiver_user_id: z.int() }).optional(),
});
export type Send = z.infer<typeof sendShape>;

export const captionShape = z.looseObject({
  caption: z.string().optional(),
  caption_entities: z.array(entityShape).optional(),
  parse_mode: z.string().optional(),
});

export const textShape = z.looseObject({
  text: z.string(),
  entities: z.array(entityShape).optional(),
  parse_mode: z.string().optional(),
});

export const mediaFieldsShape = z.looseObject({
  width: z.int().optional(),
  height: z.int().optional(),
  duration: z.int().optional(),
  supports_streaming: z.boolean().optional(),
  has_spoiler: z.boolean().optional(),
  thumbnail: z.string().optional(),
});

export const FILE_KINDS = ['photo', 'video', 'animation', 'document', 'audio'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export const inputMediaShape = captionShape.extend(mediaFieldsShape.shape).extend({
  type: z.enum(FILE_KINDS),
  media: z.string(),
});
export type InputMedia = z.infer<typeof inputMediaShape>;

export const editTargetShape = z.looseObject({
  chat_id: chatIdShape.optional(),
  message_id: z.int().optional(),
  inline_message_id: z.string().optional(),
  reply_markup: keyboardShape.optional(),
});

export const messageTargetShape = z.looseObject({ chat_id: chatIdShape, message_id: z.int() });

export const inlineResultShape = z.looseObject({
  type: z.string(),
  id: z.string(),
  reply_markup: keyboardShape.optional(),
  caption: z.string().optional(),
  caption_entities: z.array(entityShape).optional(),
  parse_mode: z.string().optional(),
  input_message_content: z
    .looseObject({
      message_text: z.string().optional(),
      entities: z.array(entityShape).optional(),
      parse_mode: z.string().optional(),
    })
    .optional(),
});
export type InlineResult = z.infer<typeof inlineResultShape>;

export const inlineAnswerShape = z.looseObject({
  inline_query_id: z.string(),
  results: z.array(inlineResultShape),
  cache_time: z.int().optional(),
  is_personal: z.boolean().optional(),
  next_offset: z.string().optional(),
  button: z.looseObject({ text: z.string(), start_parameter: z.string().optional() }).optional(),
});
export type InlineAnswer = z.infer<typeof inlineAnswerShape>;

export const callbackAnswerShape = z.looseObject({
  callback_query_id: z.string(),
  text: z.string().optional(),
  show_alert: z.boolean().optional(),
});
export type CallbackAnswer = z.infer<typeof callbackAnswerShape>;

export const scopeShape = z.looseObject({
  type: z.string(),
  chat_id: chatIdShape.optional(),
  user_id: z.int().optional(),
});

export const commandShape = z.looseObject({ command: z.string(), description: z.string() });
export type Command = z.infer<typeof commandShape>;

/** People and places, as tests write them. */
export const userShape = z.looseObject({
  id: z.int(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default('Sari'),
  username: z.string().optional(),
  language_code: z.string().optional(),
});
export type User = z.infer<typeof userShape>;

export const chatShape = z.looseObject({
  id: z.int(),
  type: z.enum(['private', 'group', 'supergroup', 'channel']),
  title: z.string().optional(),
  is_forum: z.boolean().optional(),
  permissions: z.record(z.string(), z.boolean()).optional(),
});
export type Chat = z.infer<typeof chatShape>;
